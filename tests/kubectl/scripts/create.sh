# create, run and expose, and what is refused.
kubectl create configmap settings --from-literal=colour=red --from-literal=size=3
kubectl create configmap settings --from-literal=colour=blue
kubectl create secret generic keys --from-literal=a=secret
kubectl create secret tls cert --cert=none --key=none
kubectl create secret docker-registry registry --docker-username=u --docker-password=p
kubectl create serviceaccount runner
kubectl create namespace create-more
kubectl create deployment web --image=nginx:1 --replicas=2 --port=80
kubectl expose deployment web --port=80 --target-port=8080
kubectl expose deployment web --port=80 --name=web-node --type=NodePort
kubectl expose deployment none --port=80
kubectl create service clusterip fixed --tcp=5678:8080 --clusterip=None
kubectl create service nodeport node --tcp=80
kubectl create service loadbalancer balancer --tcp=80:8080
kubectl create service externalname other --external-name=example.com
kubectl create job once --image=busybox -- echo hello
kubectl create cronjob nightly --image=busybox --schedule='0 3 * * *' -- echo hello
kubectl create job by-hand --from=cronjob/nightly
kubectl create quota limits --hard=cpu=1,pods=2,services=10
kubectl create role reader --verb=get,list --resource=pods,deployments.apps
kubectl create role reader --verb=get --resource=nones
kubectl create rolebinding readers --role=reader --user=alice --serviceaccount=create:runner
kubectl create clusterrole create-reader --verb=get --resource=nodes --non-resource-url=/logs/*
kubectl create clusterrolebinding create-readers --clusterrole=create-reader --group=people
kubectl create ingress site --class=none --rule='example.com/path*=web:80,tls=cert'
kubectl create poddisruptionbudget calm --selector=app=web --min-available=1
kubectl create priorityclass create-high --value=1000 --description='before others'
kubectl create priorityclass create-high --value=1001
kubectl run alone --image=nginx:1 --labels=app=alone --env=COLOUR=red --port=80
kubectl run alone --image=nginx:1
kubectl run dry --image=nginx:1 --dry-run=client -o yaml
kubectl create deployment dry --image=nginx:1 --dry-run=server -o yaml
kubectl create deployment dry --image=nginx:1 --dry-run=server
kubectl get deployment dry
kubectl wait --for=condition=Available deployment/web --timeout=30s
kubectl wait --for=condition=Ready pod/alone --timeout=30s
kubectl wait --for=condition=Complete job/once job/by-hand --timeout=60s
kubectl get configmaps,secrets,serviceaccounts,services,ingresses,jobs,cronjobs,resourcequotas
kubectl get roles,rolebindings,poddisruptionbudgets
kubectl get clusterrole/create-reader clusterrolebinding/create-readers priorityclass/create-high
kubectl get service web web-node balancer -o yaml
kubectl get ingress,cronjob -o yaml
kubectl get secret registry cert -o yaml
kubectl create -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {generateName: made-up-}
YAML
kubectl create -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: broken}
spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: b}}}}
YAML
kubectl create -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: Wrong_Name}
YAML
kubectl create -f - <<'YAML'
apiVersion: v1
kind: Pot
metadata: {name: none}
YAML
kubectl create -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: create-none}
YAML
for validate in strict warn ignore; do
  kubectl create --validate=$validate -f - <<YAML
apiVersion: v1
kind: ConfigMap
metadata: {name: unknown-$validate, colour: red}
datum: {a: b}
YAML
done
kubectl create -f - <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: typed}
spec: {ports: [{port: eighty}]}
YAML
kubectl create token runner --audience=nobody --duration=1s
kubectl delete namespace create-more --wait=false
kubectl delete clusterrole/create-reader clusterrolebinding/create-readers priorityclass/create-high

# get in all of its forms.
kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: front}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {tier: front}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {tier: front, n: "2"}}
data: {a: "1", b: "two\nlines"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {tier: back, n: "1"}}
binaryData: {x: AAEC}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {a: secret}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, labels: {app: alone}}
spec:
  initContainers: [{name: setup, image: busybox}]
  containers: [{name: c, image: nginx, resources: {requests: {cpu: 100m, memory: 1Mi}}}]
YAML
kubectl wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web --timeout=30s
kubectl wait --for=condition=Ready pod/alone --timeout=30s
kubectl get deployments
kubectl get deploy -o wide
kubectl get deployments.v1.apps web --show-labels
kubectl get pods
kubectl get pods -o wide
kubectl get pods --show-kind --no-headers
kubectl get pod/alone -o yaml
kubectl get pod/alone -o json
kubectl get pods -l app=web -o yaml
kubectl get replicasets -o wide
kubectl get replicaset -o yaml
kubectl get all
kubectl get all --show-labels
kubectl get cm,svc
kubectl get configmaps one two three
kubectl get configmap one three --ignore-not-found
kubectl get cm -l tier=front
kubectl get cm -l 'tier in (front, back),n!=2' --no-headers
kubectl get cm -l '!tier' -o name
kubectl get cm -l 'a b'
kubectl get cm -L tier -L n
kubectl get cm --label-columns=tier --sort-by=.metadata.labels.n
kubectl get cm --sort-by='{.metadata.name}' -o name
kubectl get cm --field-selector metadata.name=two
kubectl get cm --field-selector metadata.namespace!=get
kubectl get pods --field-selector status.phase=Running,metadata.name=alone
kubectl get pods --field-selector spec.none=1
kubectl get cm --chunk-size=1
kubectl get cm one -o jsonpath='{.data.b}'
kubectl get cm -o jsonpath='{range .items[*]}{.kind}/{.metadata.name}{"\t"}{.metadata.labels}{"\n"}{end}'
kubectl get cm one -o jsonpath-as-json='{.metadata.labels}'
kubectl get cm -l tier -o custom-columns=NAME:.metadata.name,DATA:.data,TIER:.metadata.labels.tier
kubectl get cm -o custom-columns=NAME
printf 'NAME LABEL\nmetadata.name metadata.labels.tier\n' >columns
kubectl get cm -o custom-columns-file=columns
kubectl get cm -l n=2 -o go-template='{{range .items}}{{.metadata.name}} {{len .data}}{{"\n"}}{{end}}'
kubectl get cm one -o go-template='{{.data.a}}'
kubectl get cm one -o template --template='{{index .metadata.labels "tier"}}'
kubectl get cm one -o yaml --show-managed-fields
kubectl get deployment web --subresource=status -o yaml
kubectl get deployment web --subresource=scale -o yaml
kubectl get deployment web --subresource=scale
kubectl get secret keys -o jsonpath='{.data.a}'
kubectl get pots
kubectl get pods none
kubectl get pods/alone cm/one
kubectl get pods cm/one
kubectl get nodes
kubectl get nodes -o wide
kubectl get node node-0 -o yaml
kubectl get nodes -l kubernetes.io/os=linux -o name
kubectl get namespaces get default kube-system
kubectl get ns get -o yaml
kubectl get deployments -A -l app=web
kubectl get cm -n none
kubectl get storageclasses
kubectl get endpoints
kubectl get events --field-selector reason=ScalingReplicaSet
kubectl get events --field-selector involvedObject.kind=ReplicaSet -o custom-columns=REASON:.reason,TYPE:.type,FROM:.source.component
kubectl events --for deployment/web
kubectl get --raw /api/v1/namespaces/get/configmaps/one
kubectl get -f none.yaml
# Every kind can be listed.
kubectl get "$("$KUBECTL" api-resources --verbs=list -o name | paste -sd,)" -A -l no=such

background get configmaps -w --output-watch-events
kubectl create configmap three --from-literal=a=b
kubectl label configmap three tier=front
kubectl delete configmap three
end_background 7
background get configmaps -l tier=front --watch -L tier
kubectl label configmap two tier=front --overwrite
kubectl label configmap two tier=back --overwrite
end_background 4
background get configmap one -o name -w
kubectl annotate configmap one seen=true
end_background 2
background get secrets --watch -o jsonpath='{.metadata.name}{"\n"}'
kubectl create secret generic more
end_background 2

# delete, with each cascade, and wait.
cat >web.yaml <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "nginx:1"}]}}
YAML
again() {
  quietly apply -f web.yaml
  quietly wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web --timeout=30s
}
again
kubectl wait --for=condition=Available deployment/web --timeout=30s
kubectl wait --for=condition=Ready pods -l app=web --timeout=30s
kubectl wait --for=condition=None deployment/web --timeout=1s
kubectl wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web
kubectl wait --for=delete deployment/none
kubectl wait --for=create deployment/web
kubectl wait --for=condition=Available deployment/none
kubectl wait --for=condition=Available

kubectl delete deployment web --cascade=orphan
kubectl get deployments,replicasets
kubectl get pods
kubectl get replicasets -o jsonpath='{.items[*].metadata.ownerReferences}'
again
kubectl get replicasets
kubectl delete deployment web --cascade=foreground
kubectl get deployments,replicasets,pods
again
kubectl delete -f web.yaml --cascade=background
quietly wait --for=delete pods -l app=web --timeout=30s
kubectl get deployments,replicasets,pods
again
kubectl delete pods -l app=web
kubectl delete replicaset -l app=web --cascade=foreground
kubectl delete deployment web --cascade=foreground --wait=false
quietly wait --for=delete deployment/web --timeout=30s

kubectl run alone --image=nginx:1
kubectl wait --for=condition=Ready pod/alone --timeout=30s
kubectl delete pod alone --dry-run=server
kubectl delete pod alone --grace-period=1
kubectl run alone --image=nginx:1
kubectl delete pod alone --force
kubectl run alone --image=nginx:1
kubectl delete pod alone --now
kubectl create configmap one
kubectl create configmap two
kubectl create configmap three
kubectl delete configmap one none
kubectl delete configmap none --ignore-not-found
kubectl delete configmap two -o name
kubectl delete configmap
kubectl delete configmaps -l a=b
kubectl delete configmaps --field-selector metadata.name=three
kubectl delete pots --all
kubectl create -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: held, finalizers: [example.com/hold]}
YAML
kubectl delete configmap held --timeout=1s
kubectl get configmap held -o jsonpath='{.metadata.finalizers} {.metadata.deletionGracePeriodSeconds}'
kubectl create configmap held
kubectl patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}'
kubectl wait --for=delete configmap/held
kubectl get configmap held
kubectl create namespace delete-all
kubectl -n delete-all create configmap one
kubectl delete namespace delete-all
kubectl get namespace delete-all
kubectl -n delete-all create configmap one
kubectl delete namespace default
kubectl delete namespace kube-system --dry-run=server
kubectl delete all --all

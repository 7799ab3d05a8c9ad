# What kubectl finds out about a server.
kubectl version
kubectl cluster-info
kubectl api-versions
kubectl api-resources
kubectl api-resources --sort-by=kind -o wide
kubectl api-resources --namespaced=false -o name
kubectl api-resources --api-group=apps --verbs=list,watch
kubectl api-resources --categories=all
kubectl get --raw /healthz
kubectl get --raw /livez
kubectl get --raw /readyz
kubectl get --raw /apis/apps/v2
kubectl get --raw /none

# scale and autoscale.
kubectl create deployment web --image=nginx:1
kubectl create -f - <<'YAML'
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: "db:1"}]}}
YAML
kubectl scale deployment web --replicas=3
kubectl scale deployment/web --replicas=4 --current-replicas=2
kubectl scale deployment/web --replicas=2 --current-replicas=3
kubectl scale deployment/web --replicas=2 --resource-version=1
kubectl scale deployment/web --replicas=-1
kubectl scale deployment/none --replicas=1
kubectl scale deployment/web statefulset/db --replicas=2
kubectl scale --replicas=1 configmap/kube-root-ca.crt
kubectl scale deployment/web --replicas=5 --dry-run=server
kubectl wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web --timeout=30s
kubectl scale deployment --all --replicas=1
kubectl wait --for=jsonpath='{.status.replicas}'=1 deployment/web --timeout=30s
kubectl wait --for=jsonpath='{.status.terminatingReplicas}'=0 deployment/web --timeout=30s
kubectl rollout status deployment/web
kubectl get deployment,statefulset
kubectl get statefulset db -o yaml
kubectl patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'
kubectl get deployment web -o jsonpath='{.spec.replicas}'
kubectl autoscale deployment web --min=2 --max=5 --cpu=80%
kubectl autoscale deployment web --min=2 --max=5 --cpu=80%
kubectl autoscale deployment web --min=6 --max=5 --name=wrong
kubectl autoscale deployment web --max=5 --cpu=500m --memory=1Gi --name=amounts
kubectl autoscale deployment none --max=5
kubectl get hpa
kubectl get hpa web -o yaml
kubectl get horizontalpodautoscalers.v1.autoscaling amounts -o yaml
kubectl delete hpa --all

# edit, label, annotate, set and taint: one member at a time.
kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "nginx:1"}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: red}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {n: "2"}}
YAML
kubectl label configmap one tier=front
kubectl label configmap one tier=front
kubectl label configmap one tier=back
kubectl label configmap one tier=back --overwrite
kubectl label configmap one tier=back --resource-version=1 --overwrite
kubectl label configmap one tier='not valid!' --overwrite
kubectl label configmap one two zone=a
kubectl label configmaps -l n=2 colour=red
kubectl label configmap one tier-
kubectl label configmap one tier-
kubectl label configmap none a=b
kubectl label --list namespace change
kubectl label configmap one a=b --dry-run=server -o yaml
kubectl label node node-1 zone=change
kubectl label node node-1 zone-
kubectl annotate configmap one note='one two'
kubectl annotate configmap one note=other
kubectl annotate configmap one note=other --overwrite
kubectl annotate --list serviceaccount default
kubectl annotate configmap one note-
kubectl annotate configmap --field-selector=metadata.name=one by=field
kubectl get configmaps one two -o yaml

# What the editor is given is shown, and changed as the sed expression says.
cat >editor <<'SH'
#!/bin/sh
cat "$2"
sed -i "$1" "$2"
SH
chmod +x editor
export KUBE_EDITOR="$PWD/editor s/red/blue/"
kubectl edit configmap one
kubectl edit configmap one
KUBE_EDITOR="$PWD/editor s/nginx:1/nginx:2/"
kubectl edit deployment/web -o json
KUBE_EDITOR="$PWD/editor s/blue/[/"
kubectl edit configmap one
KUBE_EDITOR="$PWD/editor s/app:.web/app:_other/"
kubectl edit deployment web --validate=false --windows-line-endings=false
kubectl edit configmap none
kubectl apply edit-last-applied configmap/one
KUBE_EDITOR=false
kubectl edit configmap one

kubectl set image deployment/web c=nginx:3
kubectl set image deployment/web none=nginx:3
kubectl set env deployment/web COLOUR=red SIZE=3
kubectl set env deployment/web --list
kubectl set env deployment/web COLOUR-
kubectl set env deployment/web --from=configmap/one --prefix=ONE_
kubectl set resources deployment web --requests=cpu=100m --limits=memory=64Mi
kubectl set serviceaccount deployment web default
kubectl set selector service none app=web
kubectl get deployment web -o yaml
kubectl taint node node-1 gpu=yes:NoSchedule
kubectl taint node node-1 gpu=yes:NoSchedule
kubectl get node node-1 -o jsonpath='{.spec.taints}'
kubectl taint node node-1 gpu-
kubectl cordon node-1
kubectl get node node-1
kubectl run drained --image=nginx:1 --labels=app=drained --overrides='{"spec":{"nodeName":"node-1"}}'
kubectl wait --for=condition=Ready pod/drained --timeout=30s
kubectl drain node-1 --pod-selector=app=drained
kubectl drain node-1 --pod-selector=app=drained --force
kubectl get pod drained
kubectl uncordon node-1

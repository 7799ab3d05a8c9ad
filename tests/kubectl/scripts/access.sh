# auth: who one is, and what one may do.
kubectl auth whoami
kubectl auth whoami -o yaml
kubectl auth can-i create pods
kubectl auth can-i '*' '*' -A
kubectl auth can-i get pods/log
kubectl auth can-i get pods --subresource=log
kubectl auth can-i get /metrics
kubectl auth can-i get deployments.apps/web -q
kubectl auth can-i get pots
kubectl auth can-i --list
kubectl auth can-i get pods --as=alice
kubectl auth can-i get pods --as=alice --as-group=system:masters
kubectl auth whoami --as=alice --as-group=people
kubectl auth reconcile -f - <<'YAML'
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: access}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: access}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: alice, apiGroup: rbac.authorization.k8s.io}]
YAML
kubectl get role,rolebinding -o yaml
kubectl get rolebindings -o wide
kubectl describe role reader
kubectl describe rolebinding readers
kubectl set subject rolebinding readers --user=bob
kubectl create clusterrole access-all --verb=get --resource=pods --aggregation-rule=a=b
kubectl create clusterrole access-all --aggregation-rule=a=b
kubectl delete clusterrole access-all

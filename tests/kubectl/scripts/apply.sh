# apply, of either kind, again and again; what is added, changed and removed.
cat >web.yaml <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: front}, annotations: {note: one}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: nginx:1
        env: [{name: COLOUR, value: red}, {name: SIZE, value: "3"}]
        ports: [{containerPort: 80}, {containerPort: 443}]
      - {name: beside, image: "busybox:1"}
      tolerations: [{key: gpu, operator: Exists}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{name: http, port: 80}, {name: tls, port: 443}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data: {a: "1", b: "2"}
YAML
sed -e s/nginx:1/nginx:2/ -e 's/, tier: front//' -e 's/{name: COLOUR, value: red}, //' \
  -e 's/, {containerPort: 443}//' -e '/beside/d' -e '/tolerations/d' -e 's/note: one/other: two/' \
  -e 's/, {name: tls, port: 443}//' -e 's/, b: "2"/, c: "3"/' web.yaml >changed.yaml
kubectl apply -f none.yaml
kubectl diff -f web.yaml
kubectl apply -f web.yaml --dry-run=client
kubectl apply -f web.yaml --dry-run=server
kubectl apply -f web.yaml
kubectl apply -f web.yaml
kubectl apply view-last-applied deployment/web
kubectl diff -f web.yaml
kubectl diff -f changed.yaml
kubectl apply -f changed.yaml
kubectl apply -f changed.yaml
quietly rollout status deployment/web
kubectl wait --for=jsonpath='{.status.terminatingReplicas}'=0 deployment/web
kubectl get deployment/web service/web configmap/web -o yaml
kubectl label deployment web theirs=kept
kubectl apply -f web.yaml
quietly rollout status deployment/web
kubectl wait --for=jsonpath='{.status.terminatingReplicas}'=0 deployment/web
kubectl get deployment/web configmap/web -o json
kubectl create configmap made --from-literal=a=b
kubectl apply -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: made}
data: {a: c}
YAML
kubectl apply set-last-applied -f changed.yaml
kubectl apply view-last-applied configmap/web -o json
kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: other}}
  template: {metadata: {labels: {app: other}}, spec: {containers: [{name: c, image: "nginx:1"}]}}
YAML
kubectl apply --force -f - <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}
YAML
kubectl get service web -o yaml

cat >ours.yaml <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: ours, labels: {of: us}}
data: {a: "1", b: "2"}
YAML
sed -e 's/"1"/"7"/' -e 's/, b: "2"//' ours.yaml >theirs.yaml
kubectl apply --server-side -f ours.yaml
kubectl apply --server-side -f ours.yaml
kubectl apply --server-side --field-manager=them -f theirs.yaml
kubectl apply --server-side --field-manager=them --force-conflicts -f theirs.yaml
kubectl apply --server-side -f theirs.yaml
for manager in kubectl them; do
  kubectl get configmap ours --show-managed-fields \
    -o jsonpath="{.metadata.managedFields[?(@.manager=='$manager')]}"
done
kubectl apply --server-side --dry-run=server -f web.yaml -o name
kubectl apply --server-side -f web.yaml
kubectl get deployment web --show-managed-fields \
  -o jsonpath="{.metadata.managedFields[?(@.operation=='Apply')]}"
kubectl apply edit-last-applied none
kubectl apply --prune -l of=us -f theirs.yaml
kubectl replace -f ours.yaml
kubectl replace --force -f ours.yaml
kubectl replace -f - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: none}
YAML
kubectl patch configmap ours -p '{"data":{"a":"9","b":null}}'
kubectl patch configmap ours -p '{"data":{"a":"9"}}'
kubectl patch configmap ours --type=merge -p '{"data":{"c":"1"}}'
kubectl patch configmap ours --type=json -p '[{"op":"replace","path":"/data/c","value":"2"}]'
kubectl patch configmap ours --type=json -p '[{"op":"remove","path":"/data/z"}]'
kubectl patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"nginx:9"}]}}}}'
kubectl patch deployment web -p '{"spec":{"replicas":-1}}'
kubectl patch deployment web --subresource=status --type=merge -p '{"status":{"collisionCount":1}}'
kubectl get configmap ours -o yaml
kubectl get deployment web -o 'jsonpath={.spec.template.spec.containers[*].image}'

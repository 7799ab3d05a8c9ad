# A kind of one's own, and its objects.
cat >widgets.yaml <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size, description: How large}
    - {name: Colour, type: string, jsonPath: .spec.colour, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, minimum: 0, default: 1, description: How large it is.}
              colour: {type: string, enum: [red, green, blue]}
              parts:
                type: array
                items: {type: object, required: [name], properties: {name: {type: string}, n: {type: integer}}}
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
YAML
widget() { printf 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: %s}\nspec: %s\n' "$@"; }
kubectl get widgets
widget early '{}' >early.yaml
kubectl apply -f early.yaml
kubectl apply -f widgets.yaml
kubectl wait --for=condition=Established crd/widgets.example.com
kubectl apply -f widgets.yaml
kubectl get crd widgets.example.com
kubectl get crd widgets.example.com -o yaml
kubectl api-resources --api-group=example.com
kubectl api-resources --api-group=example.com -o wide
for _ in $(seq 100); do ! quietly explain widget || break; sleep 0.1; done
kubectl explain widget
kubectl explain widget.spec --recursive
kubectl explain wd.spec.parts
widget one '{colour: red, parts: [{name: a, n: 1}, {name: b}]}' >one.yaml
widget one '{size: 3, parts: [{name: b, n: 2}, {name: c}]}' >changed.yaml
widget two '{size: -1}' >two.yaml
widget three '{shape: round}' >three.yaml
widget four '{colour: pink}' >four.yaml
kubectl apply -f one.yaml
kubectl apply -f one.yaml
kubectl get widget one -o yaml
kubectl diff -f changed.yaml
kubectl apply -f changed.yaml
kubectl apply -f changed.yaml
kubectl get widget one -o json
kubectl apply -f two.yaml
kubectl apply -f three.yaml
kubectl apply -f three.yaml --validate=false
kubectl apply -f four.yaml
kubectl apply --server-side -f two.yaml
kubectl apply --server-side --force-conflicts -f one.yaml
kubectl apply --server-side --field-manager=other -f changed.yaml
kubectl get wd
kubectl get wd -o wide --show-labels
kubectl get all
kubectl get wd one -o jsonpath='{.spec.parts[*].name}'
kubectl get wd -o custom-columns=NAME:.metadata.name,SIZE:.spec.size
kubectl describe wd one
kubectl scale wd one --replicas=4
kubectl scale wd one --replicas=4 --current-replicas=9
kubectl get wd one --subresource=scale -o yaml
kubectl patch wd one --subresource=status --type=merge -p '{"status":{"size":4,"seen":true}}'
kubectl get wd one --subresource=status -o jsonpath='{.status}'
kubectl wait --for=jsonpath='{.status.seen}'=true wd/one
kubectl patch wd one -p '{"spec":{"size":5}}'
kubectl patch wd one --type=merge -p '{"spec":{"size":5}}'
kubectl label wd one tier=front
kubectl annotate wd one note=a
export KUBE_EDITOR='sed -i s/size:.5/size:_6/;s/_/\x20/'
kubectl edit wd one
kubectl get wd -l tier=front -L tier
kubectl get wd --field-selector metadata.name=one -o name
kubectl get wd --field-selector spec.size=1
background get wd -w
kubectl patch wd one --type=merge -p '{"spec":{"size":7}}'
end_background 4
kubectl create -f one.yaml
kubectl delete wd one
kubectl delete wd one
kubectl create -f - <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wrong.example.com}
spec: {group: example.org, scope: Namespaced, names: {plural: wrong, kind: Wrong}, versions: [{name: v1, served: true, storage: true}]}
YAML
kubectl create -f - <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: wrongs.example.com}
spec:
  group: example.com
  scope: Anywhere
  names: {plural: wrongs, kind: Wrong}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
YAML
kubectl delete crd widgets.example.com
kubectl wait --for=delete crd/widgets.example.com
kubectl get wd
kubectl get widgets.example.com

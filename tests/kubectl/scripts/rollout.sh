# rollout: status, history, undo, restart, pause and resume.
kubectl create deployment web --image=nginx:1 --replicas=2
kubectl annotate deployment web kubernetes.io/change-cause=first
kubectl wait --for=condition=Available deployment/web --timeout=30s
kubectl rollout status deployment/web
kubectl rollout status deployment/none
kubectl set image deployment/web nginx=nginx:2
kubectl annotate deployment web kubernetes.io/change-cause=second --overwrite
quietly rollout status deployment/web
kubectl wait --for=jsonpath='{.status.terminatingReplicas}'=0 deployment/web
kubectl rollout status deployment/web
kubectl rollout history deployment/web
kubectl rollout history deployment/web --revision=2
kubectl rollout history deployment/web --revision=9
kubectl describe deployment web --show-events=false
kubectl get replicasets -o wide
kubectl rollout history deployment/web -o name
kubectl rollout undo deployment/web --dry-run=server
kubectl rollout undo deployment/web
quietly rollout status deployment/web
kubectl rollout history deployment/web
kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'
kubectl rollout undo deployment/web --to-revision=2
kubectl rollout undo deployment/web --to-revision=99
quietly rollout status deployment/web
kubectl rollout undo deployment/web --to-revision=4
kubectl rollout pause deployment/web
kubectl rollout pause deployment/web
kubectl rollout restart deployment/web
kubectl rollout undo deployment/web
kubectl set image deployment/web nginx=nginx:3
kubectl wait --for=jsonpath='{.status.conditions[?(@.reason=="DeploymentPaused")].status}'=Unknown deployment/web
kubectl get deployment web -o jsonpath='{.status.updatedReplicas}'
kubectl rollout resume deployment/web
kubectl rollout resume deployment/web
quietly rollout status deployment/web
kubectl rollout restart deployment/web
quietly rollout status deployment/web
kubectl rollout history deployment/web
kubectl get deployment web -o jsonpath='{.spec.template.metadata.annotations}'
quietly rollout status deployment/web
kubectl wait --for=jsonpath='{.status.terminatingReplicas}'=0 deployment/web
kubectl get deployment web
kubectl get replicasets --sort-by='{.metadata.annotations.deployment\.kubernetes\.io/revision}' -o custom-columns='REVISION:.metadata.annotations.deployment\.kubernetes\.io/revision,IMAGE:.spec.template.spec.containers[0].image'
kubectl rollout status configmap/kube-root-ca.crt
kubectl rollout pause configmap/kube-root-ca.crt
kubectl rollout history configmap/kube-root-ca.crt
kubectl patch deployment web -p '{"spec":{"template":{"spec":{"nodeSelector":{"disk":"none"}}}}}'
kubectl wait --for=jsonpath='{.status.unavailableReplicas}'=1 deployment/web --timeout=30s
kubectl rollout status deployment/web --watch=false
kubectl patch deployment web -p '{"spec":{"progressDeadlineSeconds":1}}'
kubectl wait --for=jsonpath='{.status.conditions[?(@.type=="Progressing")].reason}'=ProgressDeadlineExceeded deployment/web --timeout=30s
kubectl rollout status deployment/web

# explain: names and types (see `play`), of every kind and all that is in it.
kubectl explain pods
kubectl explain deployment.spec.strategy.rollingUpdate
kubectl explain pod.spec.containers.resources.limits
kubectl explain service.spec.ports.targetPort
kubectl explain deployments.spec.none
kubectl explain pots
kubectl explain hpa.spec.metrics --api-version=autoscaling/v2
kubectl explain crd.spec.versions.schema.openAPIV3Schema
for kind in $("$KUBECTL" api-resources -o name); do
  kubectl explain "$kind" --recursive
done

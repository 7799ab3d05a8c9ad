# describe, of what controllers make and of what they do not.
kubectl apply -f - <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: front}, annotations: {note: a short one}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: nginx:1
        args: [--verbose]
        ports: [{containerPort: 80, name: http}, {containerPort: 443}]
        env:
        - {name: COLOUR, value: red}
        - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: LIMIT, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
        - {name: VALUE, valueFrom: {configMapKeyRef: {name: one, key: a}}}
        envFrom: [{configMapRef: {name: one}}]
        resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 1500m}}
        livenessProbe: {httpGet: {path: /healthz, port: http}}
        readinessProbe: {exec: {command: [cat, /ready]}, periodSeconds: 3}
        volumeMounts: [{name: scratch, mountPath: /tmp}, {name: config, mountPath: /etc/web, readOnly: true}]
      volumes:
      - {name: scratch, emptyDir: {sizeLimit: 1Gi}}
      - {name: config, configMap: {name: one}}
      tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: "1", b: "two\nlines"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {a: secret}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, selector: {app: web}, ports: [{name: http, port: 80, targetPort: http}, {name: s, port: 443}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: site}
spec:
  defaultBackend: {service: {name: web, port: {number: 80}}}
  rules: [{host: example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress], ingress: [{ports: [{port: 80}]}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {completions: 3, template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 0 3 * * *
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: "db:1"}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: "agent:1"}]}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: describe-volume}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: none, hostPath: {path: /data}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: calm}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {configmaps: "100"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: PersistentVolumeClaim, max: {storage: 10Gi}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, labels: {app: alone}}
spec:
  initContainers: [{name: setup, image: "busybox:1", command: [sh, -c, "echo a\necho b"]}]
  containers: [{name: c, image: nginx, resources: {requests: {cpu: 1}}}]
  nodeSelector: {kubernetes.io/hostname: node-0}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting}
spec: {containers: [{name: c, image: nginx}], nodeSelector: {disk: none}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 1
  selector: {app: old}
  template: {metadata: {labels: {app: old}}, spec: {containers: [{name: c, image: nginx}]}}
YAML
quietly rollout status deployment/web
kubectl wait --for=condition=Ready pod/alone --timeout=30s
kubectl wait --for=jsonpath='{.status.readyReplicas}'=1 rc/old --timeout=30s
kubectl describe deployment web
kubectl describe deployment/none
kubectl describe replicasets
kubectl describe pods -l app=web
kubectl describe pod alone
kubectl describe pod waiting
kubectl describe rc old
kubectl describe configmap one
kubectl describe cm o
kubectl describe secret keys
kubectl describe svc web
kubectl describe ingress site
kubectl describe networkpolicy closed
kubectl wait --for=condition=Complete job/once --timeout=60s
kubectl describe job once
kubectl describe cronjob nightly
kubectl describe statefulset db
kubectl describe daemonset agent
kubectl describe pvc data
kubectl describe pv describe-volume
kubectl describe hpa web
kubectl describe pdb calm
kubectl describe resourcequota quota
kubectl describe limitrange limits
kubectl describe serviceaccount default
kubectl describe namespace describe
kubectl create -f - <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: describe-machine, labels: {disk: ssd, node-role.kubernetes.io/worker: ""}}
spec: {podCIDR: 10.9.0.0/24, taints: [{key: gpu, effect: NoSchedule}]}
status:
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  allocatable: {cpu: "3", memory: 7Gi, pods: "110"}
  conditions: [{type: Ready, status: "False", reason: NotYet, message: It starts.}]
  addresses: [{type: Hostname, address: describe-machine}]
YAML
kubectl describe node describe-machine
kubectl delete node describe-machine
kubectl describe priorityclass system-node-critical
kubectl describe deployment web --show-events=false
kubectl describe pots
kubectl delete pv describe-volume --wait=false

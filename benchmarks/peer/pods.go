package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func ptr[T any](v T) *T { return &v }

func uid(n int) types.UID {
	return types.UID(fmt.Sprintf("%08x-5c1f-4be2-9d0a-%012x", n*2654435761%(1<<32), n))
}

// typicalPods are what a Deployment's replicas look like on a real cluster: one web container with
// probes, resources and a few variables, the token volume that admission adds, a status with all
// conditions, and the managed fields of its writers.
func typicalPods(n int) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1234567"}}
	for i := range n {
		list.Items = append(list.Items, typicalPod(i))
	}
	return list
}

// typicalTemplate is what those pods are made from.
func typicalTemplate() *corev1.PodTemplateSpec {
	pod := typicalPod(0)
	template := &corev1.PodTemplateSpec{Spec: pod.Spec}
	template.Labels = pod.Labels
	template.Annotations = pod.Annotations
	delete(template.Labels, "pod-template-hash")
	template.Spec.NodeName = ""
	// Without what admission adds.
	template.Spec.Volumes = template.Spec.Volumes[:1]
	template.Spec.Containers[0].VolumeMounts = template.Spec.Containers[0].VolumeMounts[:1]
	return template
}

func typicalPod(i int) corev1.Pod {
	app := fmt.Sprintf("web-%d", i/20)
	hash := fmt.Sprintf("%09x", i/20*7919+100000)
	created := metav1.NewTime(time.Unix(1790000000+int64(i), 0))
	at := func(seconds int) metav1.Time {
		return metav1.NewTime(created.Add(time.Duration(seconds) * time.Second))
	}
	pod := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%s-%05x", app, hash, i), GenerateName: app + "-" + hash + "-",
			Namespace: fmt.Sprintf("team-%d", i/200), UID: uid(i),
			ResourceVersion: fmt.Sprint(1000000 + i), Generation: 1, CreationTimestamp: created,
			Labels: map[string]string{
				"app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "shop",
				"pod-template-hash": hash, "tier": "frontend",
			},
			Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9102"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-" + hash, UID: uid(1000000 + i/20),
				Controller: ptr(true), BlockOwnerDeletion: ptr(true),
			}},
			ManagedFields: managedFields(created, at(4)),
		},
		Spec:   podSpec(i),
		Status: podStatus(i, created, at),
	}
	return pod
}

func podSpec(i int) corev1.PodSpec {
	probe := func(path string, period int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http"), Scheme: "HTTP"}},
			TimeoutSeconds: 1, PeriodSeconds: period, SuccessThreshold: 1, FailureThreshold: 3,
		}
	}
	return corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "web-config"}, DefaultMode: ptr(int32(420))}}},
			{Name: fmt.Sprintf("kube-api-access-%05x", i), VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				DefaultMode: ptr(int32(420)),
				Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: ptr(int64(3607)), Path: "token"}},
					{ConfigMap: &corev1.ConfigMapProjection{
						LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
						Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
					{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
						Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
				}}}},
		},
		Containers: []corev1.Container{{
			Name: "server", Image: "registry.example.com/shop/web:1.29.3",
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}, {Name: "metrics", ContainerPort: 9102, Protocol: "TCP"}},
			Env: []corev1.EnvVar{
				{Name: "LOG_LEVEL", Value: "info"}, {Name: "LISTEN", Value: ":8080"},
				{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
			},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
				Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
			},
			VolumeMounts: []corev1.VolumeMount{
				{Name: "config", MountPath: "/etc/web", ReadOnly: true},
				{Name: fmt.Sprintf("kube-api-access-%05x", i), MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true},
			},
			LivenessProbe: probe("/healthz", 10), ReadinessProbe: probe("/ready", 5),
			TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File", ImagePullPolicy: "IfNotPresent",
		}},
		RestartPolicy: "Always", TerminationGracePeriodSeconds: ptr(int64(30)), DNSPolicy: "ClusterFirst",
		ServiceAccountName: "default", DeprecatedServiceAccount: "default", NodeName: fmt.Sprintf("node-%03d.example.com", i%100),
		SecurityContext: &corev1.PodSecurityContext{}, SchedulerName: "default-scheduler",
		Tolerations: []corev1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: ptr(int64(300))},
			{Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: ptr(int64(300))},
		},
		Priority: ptr(int32(0)), EnableServiceLinks: ptr(true), PreemptionPolicy: ptr(corev1.PreemptLowerPriority),
	}
}

func podStatus(i int, created metav1.Time, at func(int) metav1.Time) corev1.PodStatus {
	condition := func(kind corev1.PodConditionType, seconds int) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: "True", LastTransitionTime: at(seconds), ObservedGeneration: 1}
	}
	ip := fmt.Sprintf("10.%d.%d.%d", i/65536, i/256%256, i%256)
	resources := podSpec(i).Containers[0].Resources
	return corev1.PodStatus{
		Phase: "Running", ObservedGeneration: 1,
		Conditions: []corev1.PodCondition{
			condition("PodReadyToStartContainers", 2), condition("Initialized", 0), condition("Ready", 4),
			condition("ContainersReady", 4), condition("PodScheduled", 0),
		},
		HostIP: fmt.Sprintf("192.0.2.%d", i%100), HostIPs: []corev1.HostIP{{IP: fmt.Sprintf("192.0.2.%d", i%100)}},
		PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: &created, QOSClass: "Burstable",
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: "server", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at(2)}},
			Ready: true, Started: ptr(true), Image: "registry.example.com/shop/web:1.29.3",
			ImageID:            "registry.example.com/shop/web@sha256:4c1b6a6f7a0d3b1d5a7d9c2b8e6f0a1b2c3d4e5f60718293a4b5c6d7e8f90123",
			ContainerID:        fmt.Sprintf("containerd://%064x", i),
			AllocatedResources: resources.Requests, Resources: &resources,
		}},
	}
}

func managedFields(created, updated metav1.Time) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource string, when metav1.Time, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: "Update", APIVersion: "v1", Time: &when, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("kube-controller-manager", "", created, `{"f:metadata":{"f:annotations":{".":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{},"f:pod-template-hash":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"0\"}":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"server\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"LISTEN\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"LOG_LEVEL\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:periodSeconds":{}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:terminationGracePeriodSeconds":{}}}`),
		entry("kubelet", "status", updated, `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"10.0.0.1\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`),
	}
}

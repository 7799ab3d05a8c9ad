package clientgo

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	apply "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
)

func TestADeploymentIsAppliedBySeveral(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.AppsV1().Deployments(w.space)
		owner := metav1.ApplyOptions{FieldManager: "owner"}
		scaler := metav1.ApplyOptions{FieldManager: "scaler"}
		pods := func(containers ...*applycore.ContainerApplyConfiguration) *applycore.PodTemplateSpecApplyConfiguration {
			return applycore.PodTemplateSpec().WithLabels(map[string]string{"app": "web"}).
				WithSpec(applycore.PodSpec().WithContainers(containers...))
		}
		web := func(spec *apply.DeploymentSpecApplyConfiguration) *apply.DeploymentApplyConfiguration {
			return apply.Deployment("web", w.space).WithSpec(spec)
		}
		selector := applymeta.LabelSelector().WithMatchLabels(map[string]string{"app": "web"})
		nginx := applycore.Container().WithName("c").WithImage("nginx:1").
			WithPorts(applycore.ContainerPort().WithContainerPort(80))
		whole := func() *apply.DeploymentApplyConfiguration {
			return web(apply.DeploymentSpec().WithReplicas(1).WithSelector(selector).WithTemplate(pods(nginx))).
				WithLabels(map[string]string{"mine": "yes", "shared": "yes"})
		}
		made := must(client.Apply(w.ctx, whole(), owner))
		expect(t, w.show(made), `
			metadata:
			  creationTimestamp: TIME
			  generation: 1
			  labels:
			    mine: "yes"
			    shared: "yes"
			  name: web
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			spec:
			  progressDeadlineSeconds: 600
			  replicas: 1
			  revisionHistoryLimit: 10
			  selector:
			    matchLabels:
			      app: web
			  strategy:
			    rollingUpdate:
			      maxSurge: 25%
			      maxUnavailable: 25%
			    type: RollingUpdate
			  template:
			    metadata:
			      labels:
			        app: web
			    spec:
			      containers:
			      - image: nginx:1
			        imagePullPolicy: IfNotPresent
			        name: c
			        ports:
			        - containerPort: 80
			          protocol: TCP
			        resources: {}
			        terminationMessagePath: /dev/termination-log
			        terminationMessagePolicy: File
			      dnsPolicy: ClusterFirst
			      restartPolicy: Always
			      schedulerName: default-scheduler
			      securityContext: {}
			      terminationGracePeriodSeconds: 30
			status: {}`)
		expect(t, w.owners(made), `
			owner Apply apps/v1 metadata{labels{mine shared}} spec{replicas selector
			template{metadata{labels{app}} spec{containers{k:{"name":"c"}{. image name
			ports{k:{"containerPort":80,"protocol":"TCP"}{. containerPort}}}}}}}`)
		again := must(client.Apply(w.ctx, whole(), owner))
		expect(t, again.ResourceVersion, made.ResourceVersion)

		// Another has its own opinion: that is refused, until it insists.
		two := web(apply.DeploymentSpec().WithReplicas(2))
		expect(t, w.refusal(client.Apply(w.ctx, two, scaler)), `
			409 Conflict: Apply failed with 1 conflict: conflict with "owner": .spec.replicas
			.spec.replicas FieldManagerConflict: conflict with "owner"`)
		scaler.Force = true
		scaled := must(client.Apply(w.ctx, two, scaler))
		expect(t, w.owners(scaled), `
			owner Apply apps/v1 metadata{labels{mine shared}} spec{selector
			template{metadata{labels{app}} spec{containers{k:{"name":"c"}{. image name
			ports{k:{"containerPort":80,"protocol":"TCP"}{. containerPort}}}}}}}
			scaler Apply apps/v1 spec{replicas}`)
		expect(t, w.refusal(client.Apply(w.ctx, whole(), owner)), `
			409 Conflict: Apply failed with 1 conflict: conflict with "scaler": .spec.replicas
			.spec.replicas FieldManagerConflict: conflict with "scaler"`)

		// A second container, and a port of the first, belong to who added them; a label to both.
		sidecar := web(apply.DeploymentSpec().WithTemplate(pods(
			applycore.Container().WithName("d").WithImage("d:1"),
			applycore.Container().WithName("c").WithPorts(applycore.ContainerPort().WithContainerPort(81).WithName("more"))))).
			WithLabels(map[string]string{"shared": "yes"})
		injector := metav1.ApplyOptions{FieldManager: "injector"}
		injected := must(client.Apply(w.ctx, sidecar, injector))
		expect(t, w.show(injected.Spec.Template.Spec.Containers), `
			- image: d:1
			  imagePullPolicy: IfNotPresent
			  name: d
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			- image: nginx:1
			  imagePullPolicy: IfNotPresent
			  name: c
			  ports:
			  - containerPort: 80
			    protocol: TCP
			  - containerPort: 81
			    name: more
			    protocol: TCP
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File`)
		expect(t, w.owners(injected), `
			injector Apply apps/v1 metadata{labels{shared}} spec{template{metadata{labels{app}}
			spec{containers{k:{"name":"c"}{. name ports{k:{"containerPort":81,"protocol":"TCP"}{.
			containerPort name}}} k:{"name":"d"}{. image name}}}}}
			owner Apply apps/v1 metadata{labels{mine shared}} spec{selector
			template{metadata{labels{app}} spec{containers{k:{"name":"c"}{. image name
			ports{k:{"containerPort":80,"protocol":"TCP"}{. containerPort}}}}}}}
			scaler Apply apps/v1 spec{replicas}`)

		// What its owner leaves out is gone, unless another has it too.
		less := web(apply.DeploymentSpec().WithSelector(selector).WithTemplate(pods(
			applycore.Container().WithName("c").WithImage("nginx:1"))))
		lessened := must(client.Apply(w.ctx, less, owner))
		expect(t, w.show(lessened), `
			metadata:
			  creationTimestamp: TIME
			  generation: 4
			  labels:
			    shared: "yes"
			  name: web
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			spec:
			  progressDeadlineSeconds: 600
			  replicas: 2
			  revisionHistoryLimit: 10
			  selector:
			    matchLabels:
			      app: web
			  strategy:
			    rollingUpdate:
			      maxSurge: 25%
			      maxUnavailable: 25%
			    type: RollingUpdate
			  template:
			    metadata:
			      labels:
			        app: web
			    spec:
			      containers:
			      - image: d:1
			        imagePullPolicy: IfNotPresent
			        name: d
			        resources: {}
			        terminationMessagePath: /dev/termination-log
			        terminationMessagePolicy: File
			      - image: nginx:1
			        imagePullPolicy: IfNotPresent
			        name: c
			        ports:
			        - containerPort: 81
			          name: more
			          protocol: TCP
			        resources: {}
			        terminationMessagePath: /dev/termination-log
			        terminationMessagePolicy: File
			      dnsPolicy: ClusterFirst
			      restartPolicy: Always
			      schedulerName: default-scheduler
			      securityContext: {}
			      terminationGracePeriodSeconds: 30
			status: {}`)
		expect(t, w.owners(lessened), `
			injector Apply apps/v1 metadata{labels{shared}} spec{template{metadata{labels{app}}
			spec{containers{k:{"name":"c"}{. name ports{k:{"containerPort":81,"protocol":"TCP"}{.
			containerPort name}}} k:{"name":"d"}{. image name}}}}}
			owner Apply apps/v1 spec{selector template{metadata{labels{app}}
			spec{containers{k:{"name":"c"}{. image name}}}}}
			scaler Apply apps/v1 spec{replicas}`)

		extracted := must(apply.ExtractDeployment(lessened, "injector"))
		expect(t, w.show(extracted), `
			apiVersion: apps/v1
			kind: Deployment
			metadata:
			  labels:
			    shared: "yes"
			  name: web
			  namespace: SPACE
			spec:
			  template:
			    metadata:
			      labels:
			        app: web
			    spec:
			      containers:
			      - image: d:1
			        name: d
			      - name: c
			        ports:
			        - containerPort: 81
			          name: more`)

		status := apply.Deployment("web", w.space).WithStatus(apply.DeploymentStatus().WithReplicas(1).
			WithConditions(apply.DeploymentCondition().WithType(appsv1.DeploymentAvailable).WithStatus(corev1.ConditionTrue)))
		reported := must(client.ApplyStatus(w.ctx, status, metav1.ApplyOptions{FieldManager: "observer"}))
		expect(t, w.show(reported.Status), `
			conditions:
			- lastTransitionTime: null
			  lastUpdateTime: null
			  status: "True"
			  type: Available
			replicas: 1`)
		expect(t, w.owners(reported), `
			injector Apply apps/v1 metadata{labels{shared}} spec{template{metadata{labels{app}}
			spec{containers{k:{"name":"c"}{. name ports{k:{"containerPort":81,"protocol":"TCP"}{.
			containerPort name}}} k:{"name":"d"}{. image name}}}}}
			observer/status Apply apps/v1 status{conditions{k:{"type":"Available"}{. status type}}
			 replicas}
			owner Apply apps/v1 spec{selector template{metadata{labels{app}}
			spec{containers{k:{"name":"c"}{. image name}}}}}
			scaler Apply apps/v1 spec{replicas}`)
	})
}

func TestAnUpdateTakesOverWhatItChanges(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		applied := applycore.ConfigMap("a", w.space).WithData(map[string]string{"a": "1", "b": "1"})
		made := must(client.Apply(w.ctx, applied, metav1.ApplyOptions{FieldManager: "owner"}))
		made.Data["b"] = "2"
		made.Data["c"] = "2"
		updated := must(client.Update(w.ctx, made, metav1.UpdateOptions{FieldManager: "editor"}))
		expect(t, w.owners(updated), `
			editor Update v1 data{b c}
			owner Apply v1 data{a}`)
		expect(t, w.refusal(client.Apply(w.ctx, applied, metav1.ApplyOptions{FieldManager: "owner"})), `
			409 Conflict: Apply failed with 1 conflict: conflict with "editor" using v1: .data.b
			.data.b FieldManagerConflict: conflict with "editor" using v1`)
		patched := must(client.Patch(w.ctx, "a", types.MergePatchType, []byte(`{"data": {"a": null}}`),
			metav1.PatchOptions{FieldManager: "patcher"}))
		expect(t, w.owners(patched), "editor Update v1 data{b c}")

		// An empty list of managers means that nobody owns anything.
		disowned := must(client.Patch(w.ctx, "a", types.MergePatchType, []byte(`{"metadata": {"managedFields": [{}]}}`),
			metav1.PatchOptions{FieldManager: "patcher"}))
		expect(t, w.owners(disowned), "")
	})
}

func TestAppliesThatAreWrong(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	client := w.dynamic.Resource(configMaps).Namespace(w.space)
	object := func(change func(map[string]any)) *unstructured.Unstructured {
		made := map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "a", "namespace": w.space}, "data": map[string]any{"k": "v"}}
		change(made)
		return &unstructured.Unstructured{Object: made}
	}
	options := metav1.ApplyOptions{FieldManager: "owner"}
	try := func(change func(map[string]any)) string {
		return w.refusal(client.Apply(w.ctx, "a", object(change), options))
	}
	expect(t, try(func(made map[string]any) { made["data"] = map[string]any{"k": 1} }), `
		500 : failed to create typed patch object (SPACE/a; /v1, Kind=ConfigMap): .data.k: expected string, got &value.valueUnstructured{Value:1}`)
	expect(t, try(func(made map[string]any) { made["colour"] = "red" }), `
		500 : failed to create typed patch object (SPACE/a; /v1, Kind=ConfigMap): .colour: field not declared in schema`)
	expect(t, try(func(made map[string]any) { made["kind"] = "Secret" }), "400 BadRequest: invalid object type: /v1, Kind=Secret")
	expect(t, try(func(made map[string]any) { made["metadata"] = map[string]any{"name": "b"} }), `
		400 BadRequest: the name of the object (b) does not match the name on the URL (a)`)
	expect(t, w.refusal(client.Apply(w.ctx, "a", object(func(map[string]any) {}), metav1.ApplyOptions{})), `
		422 Invalid: PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch
		of meta.k8s.io PatchOptions
		fieldManager FieldValueRequired: Required value: is required for apply patch`)

	// A version is asked of what is there, not of what is new.
	versioned := func(made map[string]any) { made["metadata"] = map[string]any{"name": "a", "resourceVersion": "1"} }
	made := must(client.Apply(w.ctx, "a", object(versioned), options))
	expect(t, w.show(made), `
		apiVersion: v1
		data:
		  k: v
		kind: ConfigMap
		metadata:
		  creationTimestamp: TIME
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID`)
	expect(t, try(versioned), `
		409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again
		of  configmaps a`)
}

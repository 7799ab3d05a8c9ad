package clientgo

import (
	"context"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

// deployment is as small as one can be.
func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx:1"}}},
			},
		},
	}
}

func TestADeploymentFromCreateToDelete(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.AppsV1().Deployments(w.space)
		created := must(client.Create(w.ctx, deployment("web"), metav1.CreateOptions{FieldManager: "tester"}))
		expect(t, w.show(created), `
			metadata:
			  creationTimestamp: TIME
			  generation: 1
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
			        resources: {}
			        terminationMessagePath: /dev/termination-log
			        terminationMessagePolicy: File
			      dnsPolicy: ClusterFirst
			      restartPolicy: Always
			      schedulerName: default-scheduler
			      securityContext: {}
			      terminationGracePeriodSeconds: 30
			status: {}`)
		expect(t, w.owners(created), `
			tester Update apps/v1 spec{progressDeadlineSeconds replicas revisionHistoryLimit selector
			strategy{rollingUpdate{. maxSurge maxUnavailable} type} template{metadata{labels{. app}}
			spec{containers{k:{"name":"c"}{. image imagePullPolicy name resources
			terminationMessagePath terminationMessagePolicy}} dnsPolicy restartPolicy schedulerName
			securityContext terminationGracePeriodSeconds}}}`)
		expect(t, w.refusal(client.Create(w.ctx, deployment("web"), metav1.CreateOptions{})), `
			409 AlreadyExists: deployments.apps "web" already exists
			of apps deployments web`)

		wanted := created.DeepCopy()
		wanted.Spec.Replicas = ptr.To[int32](3)
		wanted.Status.Replicas = 7 // not for this call to say
		updated := must(client.Update(w.ctx, wanted, metav1.UpdateOptions{FieldManager: "tester"}))
		if *updated.Spec.Replicas != 3 || updated.Status.Replicas != 0 || updated.Generation != 2 {
			t.Errorf("updated to %s", w.show(updated))
		}
		expect(t, w.refusal(client.Update(w.ctx, wanted, metav1.UpdateOptions{})), `
			409 Conflict: Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again
			of apps deployments web`)

		seen := updated.DeepCopy()
		seen.Spec.Replicas = ptr.To[int32](9) // not for this call to say
		seen.Status = appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UnavailableReplicas: 3}
		reported := must(client.UpdateStatus(w.ctx, seen, metav1.UpdateOptions{FieldManager: "observer"}))
		expect(t, w.show(reported.Status), `
			observedGeneration: 2
			replicas: 3
			unavailableReplicas: 3`)
		if *reported.Spec.Replicas != 3 || reported.Generation != 2 {
			t.Errorf("a status changed more than itself: %s", w.show(reported))
		}
		expect(t, w.owners(reported), `
			observer/status Update apps/v1 status{observedGeneration replicas unavailableReplicas}
			tester Update apps/v1 spec{progressDeadlineSeconds replicas revisionHistoryLimit selector
			strategy{rollingUpdate{. maxSurge maxUnavailable} type} template{metadata{labels{. app}}
			spec{containers{k:{"name":"c"}{. image imagePullPolicy name resources
			terminationMessagePath terminationMessagePolicy}} dnsPolicy restartPolicy schedulerName
			securityContext terminationGracePeriodSeconds}}}`)

		got := must(client.Get(w.ctx, "web", metav1.GetOptions{}))
		expect(t, w.show(got), w.show(reported))
		list := must(client.List(w.ctx, metav1.ListOptions{}))
		if len(list.Items) != 1 || list.ResourceVersion == "" {
			t.Fatalf("listed %s", w.show(list))
		}
		expect(t, w.show(list.Items[0]), w.show(got))

		done(client.Delete(w.ctx, "web", metav1.DeleteOptions{}))
		expect(t, w.refusal(client.Get(w.ctx, "web", metav1.GetOptions{})), `
			404 NotFound: deployments.apps "web" not found
			of apps deployments web`)
		expect(t, w.refusal(onlyError(client.Delete(w.ctx, "web", metav1.DeleteOptions{}))), `
			404 NotFound: deployments.apps "web" not found
			of apps deployments web`)
	})
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		bad := deployment("Web!")
		bad.Spec.Replicas = ptr.To[int32](-1)
		bad.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
		bad.Spec.Template.Spec.Containers[0].Image = ""
		_, err := w.typed.AppsV1().Deployments(w.space).Create(w.ctx, bad, metav1.CreateOptions{})
		expect(t, w.refusal(nil, err), "422 Invalid: Deployment.apps \"Web!\" is invalid: [metadata.name: Invalid value: \"Web!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.metadata.labels: Invalid value: {\"app\":\"Web!\"}: `selector` does not match template `labels`, spec.template.labels: Invalid value: \"Web!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), spec.template.spec.containers[0].image: Required value]\nof apps Deployment Web!\nmetadata.name FieldValueInvalid: Invalid value: \"Web!\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\nspec.replicas FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0\nspec.template.metadata.labels FieldValueInvalid: Invalid value: {\"app\":\"Web!\"}: `selector` does not match template `labels`\nspec.template.labels FieldValueInvalid: Invalid value: \"Web!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')\nspec.template.spec.containers[0].image FieldValueRequired: Required value")

		_, err = w.typed.CoreV1().ConfigMaps("nowhere").Create(w.ctx, configMap("a", nil), metav1.CreateOptions{})
		expect(t, w.refusal(nil, err), `
			404 NotFound: namespaces "nowhere" not found
			of  namespaces nowhere`)
		elsewhere := configMap("a", nil)
		elsewhere.Namespace = "elsewhere"
		_, err = w.typed.CoreV1().ConfigMaps(w.space).Create(w.ctx, elsewhere, metav1.CreateOptions{})
		expect(t, w.refusal(nil, err), `
			400 BadRequest: the namespace of the provided object does not match the namespace sent on the request`)
	})
}

func TestNamesAreMadeUp(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "made-up-"}}
		names := map[string]bool{}
		for range 20 {
			made := must(client.Create(w.ctx, object, metav1.CreateOptions{}))
			expect(t, w.show(made), `
				metadata:
				  creationTimestamp: TIME
				  generateName: made-up-
				  name: made-up------
				  namespace: SPACE
				  resourceVersion: VERSION
				  uid: UID`)
			names[made.Name] = true
		}
		if len(names) != 20 {
			t.Errorf("twice the same: %v", names)
		}
	})
}

func TestAttemptsLeaveNothing(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		tried := must(client.Create(w.ctx, configMap("tried", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
		if tried.UID == "" || tried.ResourceVersion != "" {
			t.Errorf("tried to make %s", w.show(tried))
		}
		expect(t, w.refusal(client.Get(w.ctx, "tried", metav1.GetOptions{})), `
			404 NotFound: configmaps "tried" not found
			of  configmaps tried`)

		kept := must(client.Create(w.ctx, configMap("kept", map[string]string{"a": "1"}), metav1.CreateOptions{}))
		changed := kept.DeepCopy()
		changed.Data["a"] = "2"
		changed = must(client.Update(w.ctx, changed, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}))
		if changed.Data["a"] != "2" || changed.ResourceVersion != kept.ResourceVersion {
			t.Errorf("tried to change to %s", w.show(changed))
		}
		done(client.Delete(w.ctx, "kept", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
		expect(t, w.show(must(client.Get(w.ctx, "kept", metav1.GetOptions{}))), w.show(kept))
		_, err := client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{DryRun: []string{"Some"}})
		expect(t, w.refusal(nil, err), `
			422 Invalid: CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"
			of meta.k8s.io CreateOptions
			dryRun FieldValueNotSupported: Unsupported value: ["Some"]: supported values: "All"`)
	})
}

// Each of ten writers counts up by one, and none of that is lost.
func TestConflictsAreTriedAgain(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		must(client.Create(w.ctx, configMap("count", map[string]string{"ones": ""}), metav1.CreateOptions{}))
		backoff := retry.DefaultBackoff
		backoff.Steps = 100
		var writers sync.WaitGroup
		for range 10 {
			writers.Go(func() {
				err := retry.RetryOnConflict(backoff, func() error {
					current, err := client.Get(w.ctx, "count", metav1.GetOptions{})
					if err != nil {
						return err
					}
					current.Data["ones"] += "1"
					_, err = client.Update(w.ctx, current, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		expect(t, must(client.Get(w.ctx, "count", metav1.GetOptions{})).Data["ones"], "1111111111")
	})
}

// heardWarnings keeps what the server warned of.
type heardWarnings struct {
	mutex sync.Mutex
	texts []string
}

func (h *heardWarnings) HandleWarningHeader(code int, agent string, text string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.texts = append(h.texts, text)
}

func (h *heardWarnings) HandleWarningHeaderWithContext(_ context.Context, code int, agent string, text string) {
	h.HandleWarningHeader(code, agent, text)
}

func TestUnknownFieldsAreRefusedWarnedOfOrIgnored(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	heard := &heardWarnings{}
	w := newWorld(t).with(func(config *rest.Config) { config.WarningHandlerWithContext = heard })
	client := w.dynamic.Resource(configMaps).Namespace(w.space)
	object := func(name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "colour": "red"},
			"data": map[string]any{"a": "1"}, "dat": map[string]any{},
		}}
	}
	strict := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	expect(t, w.refusal(client.Create(w.ctx, object("strict"), strict)), `
		400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat", unknown field "metadata.colour"`)
	expect(t, strings.Join(heard.texts, "\n"), "")

	warned := must(client.Create(w.ctx, object("warned"), metav1.CreateOptions{FieldValidation: metav1.FieldValidationWarn}))
	expect(t, w.show(warned), `
		apiVersion: v1
		data:
		  a: "1"
		kind: ConfigMap
		metadata:
		  creationTimestamp: TIME
		  name: warned
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID`)
	expect(t, strings.Join(heard.texts, "\n"), `
		unknown field "dat"
		unknown field "metadata.colour"`)
	heard.texts = nil

	must(client.Create(w.ctx, object("ignored"), metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore}))
	expect(t, strings.Join(heard.texts, "\n"), "")
	unknown := metav1.CreateOptions{FieldValidation: "Sometimes"}
	expect(t, w.refusal(client.Create(w.ctx, object("unknown"), unknown)), `
		422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"
		of meta.k8s.io CreateOptions
		fieldValidation FieldValueNotSupported: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"`)
}

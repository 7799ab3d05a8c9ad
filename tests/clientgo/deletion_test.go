package clientgo

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func TestAPodOnANodeGoesWhenTheNodeSaysSo(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().Pods(w.space)
		must(client.Create(w.ctx, pod("a", "node-1"), metav1.CreateOptions{}))
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		going := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		expect(t, w.show(going.ObjectMeta), `
			creationTimestamp: TIME
			deletionGracePeriodSeconds: 30
			deletionTimestamp: TIME
			generation: 2
			labels:
			  app: a
			name: a
			namespace: SPACE
			resourceVersion: VERSION
			uid: UID`)
		// A shorter time is taken, a longer one is not.
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](5)}))
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](50)}))
		sooner := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		if *sooner.DeletionGracePeriodSeconds != 5 || !sooner.DeletionTimestamp.Before(going.DeletionTimestamp) {
			t.Errorf("not sooner: %s", w.show(sooner.ObjectMeta))
		}
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
			404 NotFound: pods "a" not found
			of  pods a`)

		must(client.Create(w.ctx, pod("unscheduled", ""), metav1.CreateOptions{}))
		done(client.Delete(w.ctx, "unscheduled", metav1.DeleteOptions{}))
		expect(t, w.refusal(client.Get(w.ctx, "unscheduled", metav1.GetOptions{})), `
			404 NotFound: pods "unscheduled" not found
			of  pods unscheduled`)
	})
}

func TestOnlyWhatIsMeantIsDeleted(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		made := must(client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		other := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("other"))}}
		err := client.Delete(w.ctx, "a", other)
		expect(t, scrubbed(w.refusal(nil, err), string(made.UID), "UID"), `
			409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (UID). The object might have been deleted and then recreated
			of  ConfigMap a`)
		older := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: ptr.To("1")}}
		err = client.Delete(w.ctx, "a", older)
		expect(t, scrubbed(w.refusal(nil, err), made.ResourceVersion, "VERSION"), `
			409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (VERSION). The object might have been modified
			of  ConfigMap a`)
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: &made.UID, ResourceVersion: &made.ResourceVersion}}))
		expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
			404 NotFound: configmaps "a" not found
			of  configmaps a`)
	})
}

func TestWhatBecomesOfDependentsIsWrittenDown(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		for policy, finalizer := range map[metav1.DeletionPropagation]string{
			metav1.DeletePropagationOrphan:     metav1.FinalizerOrphanDependents,
			metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents,
		} {
			must(client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
			done(client.Delete(w.ctx, "a", metav1.DeleteOptions{PropagationPolicy: &policy}))
			going := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
			if going.DeletionTimestamp == nil || len(going.Finalizers) != 1 || going.Finalizers[0] != finalizer {
				t.Errorf("%s: %s", policy, w.show(going))
			}
			going.Finalizers = nil
			must(client.Update(w.ctx, going, metav1.UpdateOptions{}))
			expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
				404 NotFound: configmaps "a" not found
				of  configmaps a`)
		}
		must(client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
		expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
			404 NotFound: configmaps "a" not found
			of  configmaps a`)

		must(client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		err := client.Delete(w.ctx, "a", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletionPropagation("Sideways"))})
		expect(t, w.refusal(nil, err), `
			422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"
			of meta.k8s.io DeleteOptions
			propagationPolicy FieldValueNotSupported: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"`)
		err = client.Delete(w.ctx, "a", metav1.DeleteOptions{
			OrphanDependents: ptr.To(true), PropagationPolicy: ptr.To(metav1.DeletePropagationOrphan)})
		expect(t, w.refusal(nil, err), `
			422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set
			of meta.k8s.io DeleteOptions
			propagationPolicy FieldValueInvalid: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`)
	})
}

func TestFinalizersHoldBackTheEnd(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		held := configMap("a", map[string]string{"k": "v"})
		held.Finalizers = []string{"example.com/one", "example.com/two"}
		must(client.Create(w.ctx, held, metav1.CreateOptions{}))
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		going := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		expect(t, w.show(going), `
			data:
			  k: v
			metadata:
			  creationTimestamp: TIME
			  deletionGracePeriodSeconds: 0
			  deletionTimestamp: TIME
			  finalizers:
			  - example.com/one
			  - example.com/two
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID`)

		// A second delete changes nothing; other changes are still taken; no finalizer may be added.
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		going = must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		going.Data["k"] = "w"
		going.Finalizers = going.Finalizers[1:]
		going = must(client.Update(w.ctx, going, metav1.UpdateOptions{}))
		more := going.DeepCopy()
		more.Finalizers = append(more.Finalizers, "example.com/three")
		expect(t, w.refusal(client.Update(w.ctx, more, metav1.UpdateOptions{})), `
			422 Invalid: ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/three"}
			of  ConfigMap a
			metadata.finalizers FieldValueForbidden: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/three"}`)
		_, err := client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{})
		expect(t, w.refusal(nil, err), `
			409 AlreadyExists: object is being deleted: configmaps "a" already exists
			of  configmaps a`)

		going.Finalizers = nil
		last := must(client.Update(w.ctx, going, metav1.UpdateOptions{}))
		expect(t, w.show(last), `
			data:
			  k: w
			metadata:
			  creationTimestamp: TIME
			  deletionGracePeriodSeconds: 0
			  deletionTimestamp: TIME
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID`)
		expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
			404 NotFound: configmaps "a" not found
			of  configmaps a`)
	})
}

func TestACollectionIsDeletedAsSelected(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		w.colours()
		client := w.typed.CoreV1().ConfigMaps(w.space)
		done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}, metav1.ListOptions{}))
		expect(t, names(must(client.List(w.ctx, metav1.ListOptions{}))), "a b c d e")
		done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "colour=red"}))
		expect(t, names(must(client.List(w.ctx, metav1.ListOptions{}))), "b c d")
		done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=d"}))
		expect(t, names(must(client.List(w.ctx, metav1.ListOptions{}))), "b c")
		done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		expect(t, names(must(client.List(w.ctx, metav1.ListOptions{}))), "")
	})
}

// A namespace goes when what is in it has gone, which others see to.
func TestANamespaceTakesNothingNewOnceItGoes(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		namespaces := w.typed.CoreV1().Namespaces()
		made := must(w.typed.CoreV1().ConfigMaps(w.space).Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		done(namespaces.Delete(w.ctx, w.space, metav1.DeleteOptions{}))
		going := must(namespaces.Get(w.ctx, w.space, metav1.GetOptions{}))
		expect(t, w.show([]any{going.Spec, going.Status}), `
			- finalizers:
			  - kubernetes
			- phase: Terminating`)
		var refused string
		w.eventually("nothing can be made in the namespace", func() bool {
			_, err := w.typed.CoreV1().ConfigMaps(w.space).Create(w.ctx,
				&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "late-"}}, metav1.CreateOptions{})
			if err == nil {
				return false
			}
			refused = w.refusal(nil, err)
			return true
		})
		expect(t, latePattern.ReplaceAllString(refused, "late-NAME"), `
			403 Forbidden: configmaps "late-" is forbidden: unable to create new content in namespace SPACE because it is being terminated
			of  configmaps late-
			metadata.namespace NamespaceTerminating: namespace SPACE is being terminated`)
		made.Data = map[string]string{"still": "here"}
		must(w.typed.CoreV1().ConfigMaps(w.space).Update(w.ctx, made, metav1.UpdateOptions{}))
		done(w.typed.CoreV1().ConfigMaps(w.space).DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		going.Spec.Finalizers = nil
		must(namespaces.Finalize(w.ctx, going, metav1.UpdateOptions{}))
		expect(t, w.refusal(namespaces.Get(w.ctx, w.space, metav1.GetOptions{})), `
			404 NotFound: namespaces "SPACE" not found
			of  namespaces SPACE`)
	})
}

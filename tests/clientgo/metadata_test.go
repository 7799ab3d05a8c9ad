package clientgo

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestMetadataIsReadPatchedWatchedAndDeleted(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		start := w.colours().ResourceVersion
		client := w.metadata.Resource(configMaps).Namespace(w.space)
		got := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		expect(t, w.show(got), `
			metadata:
			  creationTimestamp: TIME
			  labels:
			    colour: red
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID`)
		list := must(client.List(w.ctx, metav1.ListOptions{LabelSelector: "colour=red", Limit: 1}))
		expect(t, w.show(list), `
			items:
			- metadata:
			    creationTimestamp: TIME
			    labels:
			      colour: red
			    name: a
			    namespace: SPACE
			    resourceVersion: VERSION
			    uid: UID
			metadata:
			  continue: CONTINUE
			  resourceVersion: VERSION`)

		watching := must(client.Watch(w.ctx, metav1.ListOptions{ResourceVersion: start}))
		defer watching.Stop()
		patch := []byte(`{"metadata":{"labels":{"colour":"black"},"annotations":{"why":"mourning"}}}`)
		patched := must(client.Patch(w.ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "tester"}))
		expect(t, w.show(patched), `
			metadata:
			  annotations:
			    why: mourning
			  creationTimestamp: TIME
			  labels:
			    colour: black
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID`)
		event := <-watching.ResultChan()
		expect(t, string(event.Type), "MODIFIED")
		expect(t, w.show(event.Object), w.show(patched))
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		w.expectEvents(watching, "DELETED a")
		expect(t, w.refusal(client.Get(w.ctx, "a", metav1.GetOptions{})), `
			404 NotFound: configmaps "a" not found
			of  configmaps a`)
		done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "colour=green"}))
		expect(t, names(must(w.typed.CoreV1().ConfigMaps(w.space).List(w.ctx, metav1.ListOptions{}))), "c e")
	})
}

func TestMetadataOfPodsHasNoMoreThanThat(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		must(w.typed.CoreV1().Pods(w.space).Create(w.ctx, pod("a", "node-1"), metav1.CreateOptions{}))
		pods := configMaps
		pods.Resource = "pods"
		list := must(w.metadata.Resource(pods).Namespace(w.space).List(w.ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=node-1"}))
		expect(t, w.show(list), `
			items:
			- metadata:
			    creationTimestamp: TIME
			    generation: 1
			    labels:
			      app: a
			    name: a
			    namespace: SPACE
			    resourceVersion: VERSION
			    uid: UID
			metadata:
			  resourceVersion: VERSION`)
	})
}

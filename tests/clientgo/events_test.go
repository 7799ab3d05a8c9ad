package clientgo

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

func TestTheOldRecorderCountsUp(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		about := must(w.typed.CoreV1().ConfigMaps(w.space).Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		broadcaster := record.NewBroadcaster(record.WithContext(w.ctx))
		defer broadcaster.Shutdown()
		broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: w.typed.CoreV1().Events(w.space)})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "tester", Host: "here"})
		for range 3 {
			recorder.Eventf(about, corev1.EventTypeWarning, "Tried", "to count to %d", 3)
		}
		var found []corev1.Event
		w.eventually("the event has been counted", func() bool {
			found = must(w.typed.CoreV1().Events(w.space).List(w.ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=a,reason=Tried"})).Items
			return len(found) == 1 && found[0].Count == 3
		})
		found[0].Name = "NAME"
		expect(t, w.show(found[0]), `
			count: 3
			eventTime: null
			firstTimestamp: TIME
			involvedObject:
			  apiVersion: v1
			  kind: ConfigMap
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			lastTimestamp: TIME
			message: to count to 3
			metadata:
			  creationTimestamp: TIME
			  name: NAME
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			reason: Tried
			reportingComponent: tester
			reportingInstance: here
			source:
			  component: tester
			  host: here
			type: Warning`)
	})
}

func TestTheNewRecorderMakesSeries(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		about := must(w.typed.CoreV1().ConfigMaps(w.space).Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
		broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: w.typed.EventsV1()})
		defer broadcaster.Shutdown()
		done(broadcaster.StartRecordingToSinkWithContext(w.ctx))
		recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/tester")
		client := w.typed.EventsV1().Events(w.space)
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Tried", "Trying", "to count to %d", 2)
		w.eventually("there is an event", func() bool {
			return len(must(client.List(w.ctx, metav1.ListOptions{})).Items) == 1
		})
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Tried", "Trying", "to count to %d", 2)
		w.eventually("there is a series", func() bool {
			found := must(client.List(w.ctx, metav1.ListOptions{})).Items
			return len(found) == 1 && found[0].Series != nil
		})
		found := must(client.List(w.ctx, metav1.ListOptions{FieldSelector: "regarding.name=a,reason=Tried"})).Items[0]
		name := found.Name
		found.Name, found.ReportingInstance = "NAME", "INSTANCE"
		expect(t, w.show(found), `
			action: Trying
			deprecatedFirstTimestamp: null
			deprecatedLastTimestamp: null
			deprecatedSource: {}
			eventTime: TIME
			metadata:
			  creationTimestamp: TIME
			  name: NAME
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			note: to count to 2
			reason: Tried
			regarding:
			  apiVersion: v1
			  kind: ConfigMap
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			reportingController: example.com/tester
			reportingInstance: INSTANCE
			series:
			  count: 2
			  lastObservedTime: TIME
			type: Normal`)
		// It is the same event in the other group.
		old := must(w.typed.CoreV1().Events(w.space).Get(w.ctx, name, metav1.GetOptions{}))
		old.Name, old.ReportingInstance = "NAME", "INSTANCE"
		expect(t, w.show(old), `
			action: Trying
			eventTime: TIME
			firstTimestamp: null
			involvedObject:
			  apiVersion: v1
			  kind: ConfigMap
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			lastTimestamp: null
			message: to count to 2
			metadata:
			  creationTimestamp: TIME
			  name: NAME
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			reason: Tried
			reportingComponent: example.com/tester
			reportingInstance: INSTANCE
			series:
			  count: 2
			  lastObservedTime: TIME
			source: {}
			type: Normal`)
	})
}

package main

import (
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/record/util"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"flyball.example/conformance/cases"
)

// object is one of a few kinds, named and versioned at random.
func (g *generator) object() (string, runtime.Object) {
	meta := metav1.ObjectMeta{
		Name: cases.Pick(g.Writer, eventfulNames), Namespace: cases.Pick(g.Writer, []string{"shop", "default"}),
		UID: "f00d", ResourceVersion: cases.Pick(g.Writer, []string{"", "77"}),
	}
	cluster := meta
	cluster.Namespace = ""
	switch g.Random.IntN(5) {
	case 0:
		return "Pod", &v1.Pod{ObjectMeta: meta}
	case 1:
		return "Node", &v1.Node{ObjectMeta: cluster}
	case 2:
		return "Deployment", &appsv1.Deployment{ObjectMeta: meta}
	case 3:
		// One that says what it is.
		return "Deployment", &appsv1.Deployment{
			TypeMeta: metav1.TypeMeta{Kind: "Rollout", APIVersion: "example.com/v1"}, ObjectMeta: meta}
	default:
		return "ObjectReference", &v1.ObjectReference{Kind: "Job", Namespace: meta.Namespace, Name: meta.Name,
			FieldPath: "spec.template", APIVersion: "batch/v1"}
	}
}

func (g *generator) records() {
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	recorded := make(chan *v1.Event)
	broadcaster.StartEventWatcher(func(event *v1.Event) { recorded <- event })
	for range 300 {
		source := v1.EventSource{Component: "controller", Host: cases.Pick(g.Writer, []string{"", "node"})}
		recorder := broadcaster.NewRecorder(scheme.Scheme, source)
		now := start.Add(time.Duration(g.Random.Int64N(int64(time.Hour))))
		impl := hidden(reflect.ValueOf(recorder), "recorderImpl")
		hidden(impl, "clock").Set(reflect.ValueOf(clock.PassiveClock(clocktesting.NewFakePassiveClock(now))))

		kind, object := g.object()
		eventType := cases.Pick(g.Writer, []string{v1.EventTypeNormal, v1.EventTypeWarning})
		message := cases.Pick(g.Writer, []string{"", "Created pod: web", "100% <done>"})
		annotations := map[string]string(nil)
		if g.Chance(0.3) {
			annotations = map[string]string{"b": "2", "a": "1"}
		}
		recorder.AnnotatedEventf(object, annotations, eventType, "Reason", "%s", message)
		event := <-recorded
		if uuid.Validate(event.Name) == nil {
			event.Name = ""
		}
		g.Line("R", kind, text(object), eventType, "Reason", cases.Text(message), text(annotations),
			source.Component, cases.Text(source.Host), now.UnixNano(), text(event))
	}
}

var eventfulNames = []string{
	"web", "web-0.shop", "system:node", "UPPER", "-", "a..b", "trailing-", strings.Repeat("n", 236),
	strings.Repeat("n", 237), strings.Repeat("n", 253), "",
}

func (g *generator) names() {
	for _, name := range eventfulNames {
		for _, nanoseconds := range []int64{0, 1, -255, start.UnixNano(), 1<<63 - 1} {
			made := util.GenerateEventName(name, nanoseconds)
			if uuid.Validate(made) == nil {
				made = ""
			}
			g.Line("N", cases.Text(name), nanoseconds, cases.Text(made))
		}
	}
}

func (g *generator) series() {
	for range 50 {
		event := &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: "web.1", Namespace: "shop"},
			EventTime:  metav1.NewMicroTime(start),
			Series: &eventsv1.EventSeries{
				Count:            g.Random.Int32N(1000),
				LastObservedTime: metav1.NewMicroTime(start.Add(time.Duration(g.Random.Int64N(int64(time.Hour))))),
			},
			Reason: "Reason", Note: "note",
		}
		g.Line("P", text(event), cases.Text(cases.Must(seriesPatch(event))))
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/lru"

	"flyball.example/conformance/cases"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// limits of a correlator.
type limits struct {
	memory, events, interval, burst, secondsPerToken int
}

func (g *generator) sequences() {
	for i := range 120 {
		l := limits{4096, 10, 600, 25, 300}
		if i%3 == 0 { // small enough that everything is forgotten, dropped and combined often
			l = limits{2 + g.Random.IntN(6), 1 + g.Random.IntN(4), 60, 1 + g.Random.IntN(5), 1 + g.Random.IntN(90)}
		}
		g.sequence(l, 150)
	}
}

// sequence is one correlator's life.
func (g *generator) sequence(l limits, length int) {
	g.Line("S", l.memory, l.events, l.interval, l.burst, l.secondsPerToken)
	clock := clocktesting.NewFakePassiveClock(start)
	var observed *v1.Event
	correlator := record.NewEventCorrelatorWithOptions(record.CorrelatorOptions{
		LRUCacheSize: l.memory, MaxEvents: l.events, MaxIntervalInSeconds: l.interval,
		BurstSize: l.burst, QPS: float32(1) / float32(l.secondsPerToken), Clock: clock,
		SpamKeyFunc: func(event *v1.Event) string {
			observed = event
			return spamKey(event)
		},
	})
	groups := similarEvents(correlator)
	objects := 1 + g.Random.IntN(4)
	messages := 1 + g.Random.IntN(20)
	now := start
	for range length {
		now = now.Add(g.pause())
		clock.SetTime(now)
		event := g.event(now, objects, messages)
		group, message := record.EventAggregatorByReasonFunc(event)
		before, known := messagesOf(groups, group)
		kept := before.Clone()
		result := cases.Must(correlator.EventCorrelate(event.DeepCopy()))
		// Of a full set upstream forgets any message. The one that has just come is one of them.
		after, _ := messagesOf(groups, group)
		same := known && reflect.ValueOf(before).Pointer() == reflect.ValueOf(after).Pointer()
		if same && !kept.Has(message) && len(kept)+1 >= l.events {
			clear(after)
			after.Insert(kept.UnsortedList()...)
		}
		g.Line("E", now.UnixNano(), text(event), known, result.Skip, text(observed), cases.Text(result.Patch))
		if !result.Skip && g.Chance(0.8) {
			written := clone(result.Event)
			written.ResourceVersion = fmt.Sprint(g.Random.IntN(100000))
			written.UID = "served"
			correlator.UpdateState(written)
			g.Line("U", text(written))
		}
	}
}

// pause is often none, and sometimes just what a limit is about.
func (g *generator) pause() time.Duration {
	switch g.Random.IntN(12) {
	case 0:
		return cases.Pick(g.Writer, []time.Duration{time.Minute, time.Minute + 1, 5 * time.Minute,
			299 * time.Second, 10 * time.Minute, 10*time.Minute + 1, 11 * time.Minute})
	case 1:
		return time.Duration(g.Random.Int64N(int64(30 * time.Second)))
	case 2, 3:
		return time.Duration(g.Random.IntN(30)) * time.Second
	case 4, 5:
		return time.Duration(g.Random.IntN(1000)) * time.Millisecond
	default:
		return 0
	}
}

// event is one of not too many.
func (g *generator) event(now time.Time, objects, messages int) *v1.Event {
	object := v1.ObjectReference{
		Kind: "Pod", Namespace: "shop", Name: fmt.Sprintf("web-%d", g.Random.IntN(objects)),
		UID: types.UID("uid"), APIVersion: "v1", ResourceVersion: fmt.Sprint(g.Random.IntN(9)),
	}
	if g.Chance(0.1) {
		object.FieldPath = "spec.containers{c}"
	}
	event := &v1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%v.%x", object.Name, now.UnixNano()), Namespace: "shop",
		},
		InvolvedObject: object,
		Reason:         cases.Pick(g.Writer, []string{"Failed", "Failed", "Failed", "Created", "Killing", ""}),
		Message:        fmt.Sprintf("<message> & %d\n", g.Random.IntN(messages)),
		Source:         v1.EventSource{Component: cases.Pick(g.Writer, []string{"controller", "kubelet"})},
		FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now),
		Count: 1, Type: v1.EventTypeNormal,
	}
	if g.Chance(0.1) {
		event.Message = cases.Pick(g.Writer, []string{"", "controller", "ünï\u2028", strings.Repeat("long ", 20)})
	}
	if g.Chance(0.2) {
		event.Source.Host = "node"
	}
	if g.Chance(0.1) {
		event.Type = v1.EventTypeWarning
	}
	if g.Chance(0.1) {
		event.Annotations = map[string]string{"a": "b"}
	}
	if g.Chance(0.02) {
		event.LastTimestamp = cases.Pick(g.Writer, []metav1.Time{{}, metav1.NewTime(time.Unix(0, 0))})
	}
	event.ReportingController, event.ReportingInstance = event.Source.Component, event.Source.Host
	return clone(event)
}

func text(event any) cases.Text {
	return cases.Text(cases.Must(json.Marshal(event)))
}

// clone is the event as JSON can say it: times in whole seconds.
func clone(event *v1.Event) *v1.Event {
	again := &v1.Event{}
	if err := json.Unmarshal(cases.Must(json.Marshal(event)), again); err != nil {
		cases.Fatal("%v", err)
	}
	return again
}

// hidden is an unexported field.
func hidden(value reflect.Value, name string) reflect.Value {
	field := value.Elem().FieldByName(name)
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// similarEvents is the memory of a correlator's aggregator.
func similarEvents(correlator *record.EventCorrelator) *lru.Cache {
	aggregator := hidden(reflect.ValueOf(correlator), "aggregator")
	return hidden(aggregator, "cache").Interface().(*lru.Cache)
}

// messagesOf is what is remembered of a group of similar events. To ask is to use, so it must be
// about the event that is used next or was last.
func messagesOf(groups *lru.Cache, group string) (sets.Set[string], bool) {
	value, known := groups.Get(group)
	if !known {
		return nil, false
	}
	copied := reflect.New(reflect.TypeOf(value))
	copied.Elem().Set(reflect.ValueOf(value))
	return hidden(copied, "localKeys").Interface().(sets.Set[string]), true
}

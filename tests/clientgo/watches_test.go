package clientgo

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

// next is an event of a watch, "ADDED a", or "end".
func (w *world) next(watching watch.Interface) string {
	w.t.Helper()
	select {
	case event, open := <-watching.ResultChan():
		if !open {
			return "end"
		}
		return w.eventText(event)
	case <-time.After(patience):
		w.t.Fatalf("%s: no event", caller(2))
		return ""
	}
}

func (w *world) eventText(event watch.Event) string {
	if status, isStatus := event.Object.(*metav1.Status); isStatus {
		return fmt.Sprintf("%s %s", event.Type, w.statusText(*status))
	}
	object := must(meta.Accessor(event.Object))
	if event.Type == watch.Bookmark {
		return fmt.Sprintf("%s %v", event.Type, object.GetAnnotations())
	}
	return fmt.Sprintf("%s %s", event.Type, object.GetName())
}

func (w *world) expectEvents(watching watch.Interface, events ...string) {
	w.t.Helper()
	for _, event := range events {
		expect(w.t, w.next(watching), event)
	}
}

func setData(w *world, name, key, value string) *corev1.ConfigMap {
	client := w.typed.CoreV1().ConfigMaps(w.space)
	current := must(client.Get(w.ctx, name, metav1.GetOptions{}))
	current.Data = map[string]string{key: value}
	return must(client.Update(w.ctx, current, metav1.UpdateOptions{}))
}

func TestAWatchShowsEveryChangeInItsOrder(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		start := w.colours().ResourceVersion
		watching := must(client.Watch(w.ctx, metav1.ListOptions{ResourceVersion: start}))
		defer watching.Stop()
		setData(w, "a", "k", "1")
		changed := setData(w, "a", "k", "2")
		done(client.Delete(w.ctx, "b", metav1.DeleteOptions{}))
		must(client.Create(w.ctx, configMap("f", nil), metav1.CreateOptions{}))
		w.expectEvents(watching, "MODIFIED a", "MODIFIED a", "DELETED b", "ADDED f")

		// From a point in the past it is the same again.
		again := must(client.Watch(w.ctx, metav1.ListOptions{ResourceVersion: start, FieldSelector: "metadata.name=a"}))
		defer again.Stop()
		w.next(again)
		event := <-again.ResultChan()
		expect(t, w.show(event.Object), w.show(changed))

		// From no point, and from any: what is there comes first.
		for _, version := range []string{"", "0"} {
			initial := must(client.Watch(w.ctx, metav1.ListOptions{ResourceVersion: version, LabelSelector: "colour=red"}))
			w.expectEvents(initial, "ADDED a", "ADDED e")
			initial.Stop()
		}
	})
}

func TestASelectedWatchShowsWhatComesAndGoes(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		start := w.colours().ResourceVersion
		watching := must(client.Watch(w.ctx, metav1.ListOptions{ResourceVersion: start, LabelSelector: "colour=red"}))
		defer watching.Stop()
		paint := func(name, colour string) {
			current := must(client.Get(w.ctx, name, metav1.GetOptions{}))
			current.Labels["colour"] = colour
			must(client.Update(w.ctx, current, metav1.UpdateOptions{}))
		}
		paint("a", "green")
		paint("b", "red")
		paint("c", "green")
		setData(w, "b", "k", "1")
		done(client.Delete(w.ctx, "e", metav1.DeleteOptions{}))
		w.expectEvents(watching, "DELETED a", "ADDED b", "MODIFIED b", "DELETED e")
	})
}

func TestAWatchBeginsWithAListIfAsked(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		w.colours()
		options := metav1.ListOptions{
			SendInitialEvents:    ptr.To(true),
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
			AllowWatchBookmarks:  true,
		}
		watching := must(client.Watch(w.ctx, options))
		defer watching.Stop()
		w.expectEvents(watching, "ADDED a", "ADDED b", "ADDED c", "ADDED d", "ADDED e",
			"BOOKMARK map[k8s.io/initial-events-end:true]")
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		w.expectEvents(watching, "DELETED a")

		refuse := func(change func(*metav1.ListOptions)) string {
			wrong := options
			change(&wrong)
			return w.refusal(client.Watch(w.ctx, wrong))
		}
		expect(t, refuse(func(wrong *metav1.ListOptions) { wrong.ResourceVersionMatch = "" }), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueForbidden: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`)
		expect(t, refuse(func(wrong *metav1.ListOptions) { wrong.ResourceVersionMatch = metav1.ResourceVersionMatchExact }), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueForbidden: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan
			resourceVersionMatch FieldValueNotSupported: Unsupported value: "Exact": supported values: "NotOlderThan"`)
		expect(t, refuse(func(wrong *metav1.ListOptions) { wrong.SendInitialEvents = nil }), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueForbidden: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`)
	})
}

// With no initial events there is a bookmark at once, and nothing that was there before.
func TestAWatchWithoutInitialEventsShowsWhatIsNew(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		w.colours()
		watching := must(client.Watch(w.ctx, metav1.ListOptions{
			SendInitialEvents: ptr.To(false), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}))
		defer watching.Stop()
		must(client.Create(w.ctx, configMap("f", nil), metav1.CreateOptions{}))
		w.expectEvents(watching, "ADDED f")
	})
}

// Whoever resumes has a recent place to go on from: the server says one before it ends the watch.
func TestAWatchEndsInTimeAndSaysWhereItIs(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().ConfigMaps(w.space)
		start := w.colours().ResourceVersion
		watching := must(client.Watch(w.ctx, metav1.ListOptions{
			ResourceVersion: start, TimeoutSeconds: ptr.To[int64](4), AllowWatchBookmarks: true}))
		begun := time.Now()
		must(client.Create(w.ctx, configMap("f", nil), metav1.CreateOptions{}))
		w.expectEvents(watching, "ADDED f")
		bookmark, ok := <-watching.ResultChan()
		if !ok || bookmark.Type != watch.Bookmark {
			t.Fatalf("not a bookmark: %v", bookmark)
		}
		resumed := must(client.Watch(w.ctx, metav1.ListOptions{
			ResourceVersion: bookmark.Object.(*corev1.ConfigMap).ResourceVersion}))
		defer resumed.Stop()
		for event := range watching.ResultChan() {
			if event.Type != watch.Bookmark {
				t.Errorf("not asked for: %s", w.eventText(event))
			}
		}
		if lasted := time.Since(begun); lasted < 3500*time.Millisecond || lasted > 10*time.Second {
			t.Errorf("lasted %s", lasted)
		}
		must(client.Create(w.ctx, configMap("g", nil), metav1.CreateOptions{}))
		w.expectEvents(resumed, "ADDED g")
	})
}

// What a server does not remember any more, it says so of: to lists and watches of the past, and to
// those who want the next page.
func TestThePastIsForgotten(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	client := w.typed.CoreV1().ConfigMaps(w.space)
	start := w.colours().ResourceVersion
	page := must(client.List(w.ctx, metav1.ListOptions{Limit: 2}))
	exact := metav1.ListOptions{ResourceVersion: page.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact}
	var refused string
	count := 0
	w.eventually("a list of the past is refused", func() bool {
		for range 50 {
			count++
			setData(w, "a", "count", fmt.Sprint(count))
		}
		_, err := client.List(w.ctx, exact)
		if err != nil {
			refused = w.refusal(nil, err)
		}
		return err != nil
	})
	expect(t, refused, "410 Expired: The resourceVersion for the provided list is too old.")
	_, err := client.List(w.ctx, metav1.ListOptions{Limit: 2, Continue: page.Continue})
	expect(t, w.refusal(nil, err), `
		410 Expired: The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`)
	// The refusal has a way to go on, with what is there now.
	token := err.(apierrors.APIStatus).Status().Continue
	expect(t, names(must(client.List(w.ctx, metav1.ListOptions{Limit: 2, Continue: token}))), "c d ... and 1 more")

	// Nobody has watched these before: no server remembers how they were then.
	widgets := w.defineWidgets("forgotten.example.com")
	watching := must(w.dynamic.Resource(widgets).Namespace(w.space).Watch(w.ctx, metav1.ListOptions{ResourceVersion: start}))
	event := w.next(watching)
	if before, _, found := strings.Cut(event, "too old resource version: "+start); found {
		event = before + "too old resource version"
	}
	expect(t, event, "ERROR 410 Expired: too old resource version")
	expect(t, w.next(watching), "end")
}

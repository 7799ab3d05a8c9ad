package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"flyball.example/conformance/cases"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// state is an object between two writes.
type state struct {
	exists  bool
	tree    map[string]any
	entries []metav1.ManagedFieldsEntry
}

// sequence writes to one object. Both kinds of case begin with:
//
//	apiVersion kind subresource definition reset before entries
//
// where the object is "-" before it is created, and entries are a number and, for each, its fields.
func (g *generator) sequence(s *subject, steps int) {
	g.step = 0
	live := state{}
	donors := []map[string]any{s.make(), s.make()}
	managers := []string{"kubectl", "helm", "controller", "b<c", ""}
	crowd := g.Chance(0.2)
	for range steps {
		g.step++
		donor := cases.Pick(g.Writer, donors)
		manager := cases.Pick(g.Writer, managers)
		if crowd {
			manager = fmt.Sprintf("m%02d", g.Random.IntN(16))
		}
		if !live.exists && g.Chance(0.5) || live.exists && g.Chance(0.5) {
			after := clone(donor)
			if live.exists {
				after = g.change(live.tree, donor)
			}
			if g.Chance(0.1) {
				annotate(after, string(print(g.part(donor, 0.7))))
			}
			live = g.update(s, live, after, manager)
		} else {
			config := g.part(g.change(donor, cases.Pick(g.Writer, donors)), cases.Pick(g.Writer, []float64{0.3, 0.7, 1}))
			live = g.apply(s, live, config, manager, g.Chance(0.3))
		}
	}
}

func annotate(tree map[string]any, text string) {
	metadata := tree["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
	}
	annotations[lastApplied] = text
	metadata["annotations"] = annotations
}

func (g *generator) head(s *subject, live state) []any {
	before := "-"
	if live.exists {
		before = cases.Text(print(live.tree)).String()
	}
	subresource := s.subresource
	if subresource == "" {
		subresource = "-"
	}
	return append([]any{s.apiVersion, s.kind, subresource, cases.Text(s.definition), cases.Text(strings.Join(s.reset, ",")), before},
		list(live.entries)...)
}

func list(entries []metav1.ManagedFieldsEntry) []any {
	fields := []any{len(entries)}
	for _, e := range entries {
		seconds := "-"
		if e.Time != nil {
			seconds = fmt.Sprint(e.Time.Unix())
		}
		raw := ""
		if e.FieldsV1 != nil {
			raw = string(e.FieldsV1.GetRawBytes())
		}
		fields = append(fields, cases.Text(e.Manager), cases.Text(e.Operation), cases.Text(e.APIVersion), seconds,
			cases.Text(e.FieldsType), cases.Text(raw), cases.Text(e.Subresource))
	}
	return fields
}

// begin is the object as upstream gets it: before it is created, an empty one.
func (s *subject) begin(live state) runtime.Object {
	if !live.exists {
		gvk := schema.FromAPIVersionAndKind(s.apiVersion, s.kind)
		if s.definition == "" {
			return cases.Must(scheme.Scheme.New(gvk))
		}
		return cases.Must(plain{}.New(gvk))
	}
	object := s.object(live.tree)
	cases.Must(meta.Accessor(object)).SetManagedFields(clones(live.entries))
	return object
}

func clones(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if entries == nil {
		return nil
	}
	out := []metav1.ManagedFieldsEntry{}
	for _, e := range entries {
		out = append(out, *e.DeepCopy())
	}
	return out
}

// end takes the object apart again. What upstream dated now gets the time of the step, which is before.
func (g *generator) end(object runtime.Object) state {
	accessor := cases.Must(meta.Accessor(object))
	entries := clones(accessor.GetManagedFields())
	for i := range entries {
		if t := entries[i].Time; t != nil && t.Unix() > 1000000 {
			entries[i].Time = &metav1.Time{Time: time.Unix(int64(g.step), 0).UTC()}
		}
	}
	accessor.SetManagedFields(nil)
	tree := parse(print(object)).(map[string]any)
	return state{exists: true, tree: tree, entries: entries}
}

// update writes:
//
//	U ... after said? said-entries manager seconds | entries
func (g *generator) update(s *subject, live state, after map[string]any, manager string) state {
	said := live.entries
	sent := true
	switch {
	case g.Chance(0.2):
		said, sent = nil, false
	case g.Chance(0.05):
		said = g.reset()
	case g.Chance(0.05):
		said = g.spoil(clones(live.entries))
	}
	if said == nil {
		sent = false
	}
	if live.exists {
		after["metadata"].(map[string]any)["uid"] = "1-2-3"
		if g.Chance(0.1) {
			delete(after["metadata"].(map[string]any), "uid")
		}
	}
	object := s.object(after)
	tree := parse(print(object)).(map[string]any)
	if sent {
		cases.Must(meta.Accessor(object)).SetManagedFields(clones(said))
	}
	line := append(g.head(s, live), cases.Text(print(tree)), sent)
	line = append(line, list(said)...)
	line = append(line, cases.Text(manager), g.step)
	result := g.end(s.manager.UpdateNoErrors(s.begin(live), object, manager))
	if live.exists {
		result.tree["metadata"].(map[string]any)["uid"] = "1-2-3"
	}
	g.Line("U", append(line, list(result.entries)...)...)
	return result
}

// spoil makes entries that the server did not write: out of order, of other versions, broken.
func (g *generator) spoil(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if len(entries) == 0 {
		return nil
	}
	e := &entries[g.Random.IntN(len(entries))]
	switch g.Random.IntN(7) {
	case 0:
		e.APIVersion = "gone.example.com/v1"
	case 1:
		e.Operation = "Other"
	case 2:
		e.FieldsType = ""
	case 3:
		e.FieldsV1.SetRawBytes([]byte(`{"f:spec":{"f:template":{"f:x":{}},"f:whole":{"f:a":{}},"f:plain":{"i:0":{}}},"f:metadata":{"f:name":{}}}`))
	case 4:
		e.Time = nil
	case 5:
		e.FieldsV1.SetRawBytes([]byte(`{"f:metadata": {"f:labels":{"f:z":{},"f:app":{}},"f:ownerReferences":{"k:{\"uid\":\"1\"}":{"f:name":{}}}}}`))
	default:
		slices.Reverse(entries)
		return append(entries, *entries[0].DeepCopy())
	}
	return entries
}

// apply writes:
//
//	A ... applied manager force seconds | code message causes object entries
//
// where a cause is its field and message, and the rest is only there without an error.
func (g *generator) apply(s *subject, live state, config map[string]any, manager string, force bool) state {
	if g.Chance(0.02) {
		config["kind"] = "Other"
	}
	if g.Chance(0.02) {
		config["spec"] = cases.Pick(g.Writer, []any{map[string]any{"nowhere": int64(1)}, "text", []any{int64(1)}})
	}
	line := append(g.head(s, live), cases.Text(print(config)), cases.Text(manager), force, g.step)
	object, err := s.manager.Apply(s.begin(live), &unstructured.Unstructured{Object: clone(config)}, manager, force)
	if err != nil {
		g.Line("A", append(line, refusal(err)...)...)
		return live
	}
	result := g.end(object)
	line = append(line, 0, cases.Text(""), 0, cases.Text(print(result.tree)))
	g.Line("A", append(line, list(result.entries)...)...)
	result.tree["metadata"].(map[string]any)["uid"] = "1-2-3"
	return result
}

func refusal(err error) []any {
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return []any{500, cases.Text(err.Error()), 0}
	}
	fields := []any{int(status.ErrStatus.Code), cases.Text(status.ErrStatus.Message)}
	var causes []metav1.StatusCause
	if status.ErrStatus.Details != nil {
		causes = slices.Clone(status.ErrStatus.Details.Causes)
	}
	// Managers come in any order.
	slices.SortStableFunc(causes, func(a, b metav1.StatusCause) int { return strings.Compare(a.Message, b.Message) })
	fields = append(fields, len(causes))
	for _, cause := range causes {
		fields = append(fields, cases.Text(cause.Field), cases.Text(cause.Message))
	}
	return fields
}

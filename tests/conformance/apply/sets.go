package main

import (
	"fmt"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
	"unicode"
	"unicode/utf8"
)

var words = []string{"a", "b", "spec", "name", "web", "", "grüße", "日本", "<&>", "\u2028", "q\"\\", "\n\t", "\x01\x7f", "."}

func (g *generator) scalar() value.Value {
	return value.NewValueInterface(cases.Pick(g.Writer, []any{"a", "b", "<&>\u2028", "q\"", "", int64(0), int64(80), int64(443),
		int64(-7), int64(9007199254740993), 0.5, 1e30, 80.0, true, false}))
}

func (g *generator) element() fieldpath.PathElement {
	switch g.Random.IntN(6) {
	case 0:
		return fieldpath.KeyElementByFields("name", g.scalar().Unstructured())
	case 1:
		return fieldpath.KeyElementByFields("port", g.scalar().Unstructured(), "<p>", g.scalar().Unstructured())
	case 2:
		return fieldpath.ValueElement(g.scalar())
	case 3:
		return fieldpath.IndexElement(g.Random.IntN(12) - 1)
	default:
		return fieldpath.FieldNameElement(cases.Pick(g.Writer, words))
	}
}

func (g *generator) fieldSet() *fieldpath.Set {
	set := fieldpath.NewSet()
	for range g.Random.IntN(12) {
		var path fieldpath.Path
		for range 1 + g.Random.IntN(4) {
			path = append(path, g.element())
		}
		set.Insert(path)
	}
	return set
}

func text(set *fieldpath.Set) cases.Text { return cases.Text(cases.Must(set.ToJSON())) }

// fieldSets writes:
//
//	F a b union difference recursive-difference intersection paths(a)
//	P text refused canonical-text
func (g *generator) fieldSets(count int) {
	for range count {
		a, b := reread(g.fieldSet()), reread(g.fieldSet())
		if g.Chance(0.5) {
			b = b.Union(a.Difference(reread(g.fieldSet())))
		}
		g.Line("F", text(a), text(b), text(a.Union(b)), text(a.Difference(b)), text(a.RecursiveDifference(b)),
			text(a.Intersection(b)), cases.Text(a.String()))
	}
	for range count {
		raw := []byte(cases.Must(g.fieldSet().ToJSON()))
		for range g.Random.IntN(3) {
			raw = g.damage(raw)
		}
		set := &fieldpath.Set{}
		err := set.FromJSON(strings.NewReader(string(raw)))
		g.Line("P", cases.Text(raw), err != nil, text(set))
	}
}

func reread(set *fieldpath.Set) *fieldpath.Set {
	again := &fieldpath.Set{}
	if err := again.FromJSON(strings.NewReader(string(cases.Must(set.ToJSON())))); err != nil {
		cases.Fatal("%v", err)
	}
	return again
}

func (g *generator) damage(raw []byte) []byte {
	at := g.Random.IntN(len(raw))
	piece := cases.Pick(g.Writer, []string{" ", "{", "}", "\"", ":", ",", "{}", "\".\":{},", "\"f:x\":{},", "\"x:y\":{\"f:z\":{}},",
		"null", "1", "\"f:\\u0061\":{},", "\"k:{\\\"name\\\":1.0}\":{},", "\"v:1e2\":{},", "\"i:07\":{},"})
	if g.Chance(0.6) {
		// Where a member may stand.
		if open := strings.IndexByte(string(raw[at:]), '{'); open >= 0 {
			at += open + 1
		}
	}
	return []byte(string(raw[:at]) + piece + string(raw[min(len(raw), at+g.Random.IntN(2)*g.Random.IntN(2)):]))
}

// userAgents writes:
//
//	N user-agent manager
func (g *generator) userAgents() {
	agents := []string{"", "/", "kubectl/v1.37", "a b/c/d", "kube\tctl\x00/1", "grüße/1", "\xff\xfe/1", "\u200bx\u00a0y/1", "q\"\\/1",
		strings.Repeat("x", 200), strings.Repeat("ü", 100), strings.Repeat("x", 127) + "üz", "日本\u2028語\U0001f600\ue000/1"}
	for _, agent := range agents {
		g.Line("N", cases.Text(agent), cases.Text(prefix(agent)))
	}
}

// prefix is what the API server's handlers do, which do not export it.
func prefix(agent string) string {
	var name strings.Builder
	for _, r := range strings.Split(agent, "/")[0] {
		if !unicode.IsPrint(r) {
			continue
		}
		if name.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		fmt.Fprintf(&name, "%c", r)
	}
	return name.String()
}

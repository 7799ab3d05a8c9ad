package main

import (
	"flyball.example/conformance/cases"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// mergePatches writes M: document, patch, answer, and whether upstream itself says something else: it
// takes nulls out of the objects in a list, which RFC 7386 leaves alone, most of the time. The answer
// is then the one without that.
func (g *generator) mergePatches(count int) {
	write := func(document, patch []byte) {
		merge := func(document, patch []byte) answer {
			return ask(func() ([]byte, error) {
				patched, err := jsonpatch.MergePatch(document, patch)
				if err != nil {
					return nil, err
				}
				return canonical(patched), nil
			}, refused)
		}
		own := merge(document, patch)
		said := own
		if own.refused == "" {
			marked := merge(print(markNulls(parse(document), false)), print(markNulls(parse(patch), false)))
			said.text = string(unmarkNulls([]byte(marked.text)))
		}
		g.Line("M", append([]any{cases.Text(document), cases.Text(patch), said != own}, said.fields()...)...)
	}
	for _, document := range roots {
		for _, patch := range roots {
			write([]byte(document), []byte(patch))
		}
	}
	for range count {
		k := cases.Pick(g.Writer, kinds)
		document, other := g.document(k), g.document(k)
		patch := g.change(other, document, g.Random.IntN(4), true)
		if g.Chance(0.6) {
			patch = g.difference(document, g.change(document, other, 1+g.Random.IntN(5), true))
		}
		write(print(document), print(patch))
	}
}

// difference is a patch with a null for what goes, of upstream's making.
func (g *generator) difference(from, to map[string]any) map[string]any {
	text := cases.Must(jsonpatch.CreateMergePatch(print(from), print(to)))
	return parse(text).(map[string]any)
}

var roots = []string{`null`, `{}`, `[]`, `3`, `"x"`, `true`, `{"a":1}`, `{"a":null}`, `{"a":{"b":null}}`, `[1,null,{"a":null}]`,
	`{"a":[{"b":null}]}`, `{"a":{"b":[null,{"c":null,"d":1}]}}`, `{"a":{"b":1},"c":[1]}`, `{"a":1.0}`, `{"a":[[{"b":null}]]}`}

// mergeDifferences writes C: from, to, answer, and whether the patch is wrong, that is, does not lead
// to `to`: upstream reads whole numbers as float64, and sets members to null.
func (g *generator) mergeDifferences(count int) {
	write := func(from, to []byte) {
		said := ask(func() ([]byte, error) {
			patch, err := jsonpatch.CreateMergePatch(from, to)
			if err != nil {
				return nil, err
			}
			return canonical(patch), nil
		}, refused)
		wrong := false
		if said.refused == "" {
			got, err := jsonpatch.MergePatch(print(markNulls(parse(from), false)), print(markNulls(parse([]byte(said.text)), false)))
			wrong = err != nil || !sameDocument(unmarkNulls(canonical(got)), to)
		}
		g.Line("C", append([]any{cases.Text(from), cases.Text(to), wrong}, said.fields()...)...)
	}
	for _, from := range roots {
		for _, to := range roots {
			write([]byte(from), []byte(to))
		}
	}
	for range count {
		k := cases.Pick(g.Writer, kinds)
		document := g.document(k)
		write(print(document), print(g.change(document, g.document(k), g.Random.IntN(6), g.Chance(0.3))))
	}
}

package main

import (
	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// twoWay writes D: apiVersion, kind, from, to, whether fields must stay untouched, the answers to
// creating the patch; and for each patch that came out an A.
func (g *generator) twoWay(some []kind, count int) {
	for i := range count {
		k := some[i%len(some)]
		donor := g.document(k)
		before := g.document(k)
		after := g.change(before, donor, 1+g.Random.IntN(6), g.Chance(0.12))
		if g.Chance(0.05) {
			after = donor
		}
		from, to := print(before), print(after)
		if g.Chance(0.01) {
			from = cases.Pick(g.Writer, [][]byte{[]byte("null"), []byte("{}"), []byte("[]"), []byte("3")})
		}
		guarded := g.Chance(0.2)
		answers := askOften(func() ([]byte, error) {
			return strategicpatch.CreateTwoWayMergePatch(g.scramble(from), g.scramble(to), k.make(), preconditions(guarded)...)
		}, whyNoPatch)
		g.Line("D", append([]any{k.apiVersion, k.name, cases.Text(from), cases.Text(to), guarded},
			listFields(answers)...)...)
		for _, said := range answers {
			if said.refused == "" {
				g.apply(k, from, []byte(said.text))
			}
		}
	}
}

func preconditions(guarded bool) []mergepatch.PreconditionFunc {
	if !guarded {
		return nil
	}
	return []mergepatch.PreconditionFunc{mergepatch.RequireKeyUnchanged("kind"), mergepatch.RequireKeyUnchanged("status"),
		mergepatch.RequireMetadataKeyUnchanged("name")}
}

func whyNoPatch(err error) string {
	switch {
	case mergepatch.IsConflict(err):
		return "conflict"
	case mergepatch.IsPreconditionFailed(err):
		return "precondition"
	}
	return "refused"
}

// apply writes A: apiVersion, kind, document, patch, the answers. The documents are given as the API
// server gives them, as maps.
func (g *generator) apply(k kind, document, patch []byte) {
	answers := askOften(func() ([]byte, error) {
		original, isMap := parse(g.scramble(document)).(map[string]any)
		if !isMap && string(document) != "null" {
			return nil, mergepatch.ErrBadJSONDoc
		}
		changes, isMap := parse(g.scramble(patch)).(map[string]any)
		if !isMap && string(patch) != "null" {
			return nil, mergepatch.ErrBadJSONDoc
		}
		patched, err := strategicpatch.StrategicMergeMapPatch(original, changes, k.make())
		if err != nil {
			return nil, err
		}
		return print(patched), nil
	}, refused)
	g.Line("A", append([]any{k.apiVersion, k.name, cases.Text(document), cases.Text(patch)}, listFields(answers)...)...)
}

// mutated writes A for patches that were good until something happened to them.
func (g *generator) mutated(count int) {
	for i := 0; i < count; {
		k := kinds[g.Random.IntN(len(kinds))]
		before := g.document(k)
		after := g.change(before, g.document(k), 2+g.Random.IntN(6), false)
		made := ask(func() ([]byte, error) {
			return strategicpatch.CreateTwoWayMergePatch(print(before), print(after), k.make())
		}, refused)
		if made.refused != "" || made.text == "{}" {
			continue
		}
		patch := parse([]byte(made.text)).(map[string]any)
		for range 1 + g.Random.IntN(3) {
			g.spoil(patch)
		}
		g.apply(k, print(before), print(patch))
		i++
	}
}

// spoil changes one thing in a patch, preferably a directive.
func (g *generator) spoil(patch map[string]any) {
	members := names(patch)
	if len(members) == 0 {
		patch[cases.Pick(g.Writer, directives)] = g.any()
		return
	}
	name := cases.Pick(g.Writer, members)
	switch g.Random.IntN(12) {
	case 0:
		patch[cases.Pick(g.Writer, directives)] = g.any()
	case 1:
		patch["$patch"] = cases.Pick(g.Writer, []any{"delete", "replace", "merge", "x", nil, int64(1), []any{}, map[string]any{}})
	case 2:
		patch["$setElementOrder/"+name] = g.any()
	case 3:
		patch["$deleteFromPrimitiveList/"+name] = g.any()
	case 4:
		patch["$retainKeys"] = cases.Pick(g.Writer, []any{[]any{name}, []any{}, g.any(), anyNames(members)})
	case 5:
		delete(patch, name)
	case 6:
		patch[name] = g.any()
	default:
		g.spoilInside(patch, name)
	}
}

var directives = []string{"$patch", "$retainKeys", "$setElementOrder", "$setElementOrder/", "$setElementOrderx/a",
	"$deleteFromPrimitiveList", "$deleteFromPrimitiveList/", "$setElementOrder/spec", "$deleteFromPrimitiveList/metadata",
	"$setElementOrder/unknown", "$unknown"}

func anyNames(members []string) []any {
	list := []any{}
	for _, name := range members {
		list = append(list, name)
	}
	return list
}

func (g *generator) spoilInside(patch map[string]any, name string) {
	switch value := patch[name].(type) {
	case map[string]any:
		g.spoil(value)
	case []any:
		if len(value) == 0 {
			patch[name] = g.any()
			return
		}
		i := g.Random.IntN(len(value))
		switch object, isMap := value[i].(map[string]any); {
		case g.Chance(0.3):
			g.Random.Shuffle(len(value), func(i, j int) { value[i], value[j] = value[j], value[i] })
		case g.Chance(0.2):
			patch[name] = g.insert(value, value[i])
		case g.Chance(0.1):
			patch[name] = g.insert(value, g.any())
		case isMap:
			g.spoil(object)
		default:
			value[i] = g.any()
		}
	default:
		patch[name] = g.any()
	}
}

// threeWay writes T: apiVersion, kind, original, modified, current, whether to overwrite, whether
// fields must stay untouched, the answers, and whether upstream's own patch has its lists sorted,
// which is a mistake: it then differs from the one that overwrites.
func (g *generator) threeWay(count int) {
	for range count {
		k := cases.Pick(g.Writer, kinds)
		if g.Chance(0.1) {
			k = kindNamed(cases.Pick(g.Writer, []string{"PersistentVolume", "PersistentVolumeClaim", "Service"}))
		}
		donor := g.document(k)
		before := g.document(k)
		rough := g.Chance(0.08)
		modified := g.change(before, donor, 1+g.Random.IntN(4), rough)
		current := g.change(before, g.document(k), g.Random.IntN(4), rough)
		if g.Chance(0.3) {
			current = g.change(modified, donor, g.Random.IntN(2), false)
		}
		if scalars := replacedLists[k.name]; len(scalars) > 0 && g.Chance(0.7) {
			current = g.change(before, donor, 0, false)
			g.changeAlike(modified, current, scalars)
		}
		guarded := g.Chance(0.1)
		texts := [][]byte{print(before), print(modified), print(current)}
		for _, overwrite := range []bool{true, false} {
			create := func(overwrite bool) func() ([]byte, error) {
				return func() ([]byte, error) {
					schema := cases.Must(strategicpatch.NewPatchMetaFromStruct(k.make()))
					return strategicpatch.CreateThreeWayMergePatch(g.scramble(texts[0]), g.scramble(texts[1]),
						g.scramble(texts[2]), schema, overwrite, preconditions(guarded)...)
				}
			}
			answers := askOften(create(overwrite), whyNoPatch)
			sorted := false
			if !overwrite && answers[0].refused == "" && len(answers) == 1 {
				unsorted := ask(create(true), whyNoPatch)
				sorted = unsorted != answers[0]
				answers[0] = unsorted
			}
			g.Line("T", append([]any{k.apiVersion, k.name, cases.Text(texts[0]), cases.Text(texts[1]), cases.Text(texts[2]),
				overwrite, guarded, sorted}, listFields(answers)...)...)
		}
	}
}

// replacedLists are lists of scalars, in a kind's spec, that are replaced as a whole.
var replacedLists = map[string][]string{
	"PersistentVolume":      {"accessModes", "mountOptions"},
	"PersistentVolumeClaim": {"accessModes"},
	"Service":               {"clusterIPs", "externalIPs"},
}

// changeAlike gives both the same lists of scalars, but for the order.
func (g *generator) changeAlike(a, b map[string]any, scalars []string) {
	words := g.words(2 + g.Random.IntN(3))
	for _, document := range []map[string]any{a, b} {
		spec, isMap := document["spec"].(map[string]any)
		if !isMap {
			spec = map[string]any{}
			document["spec"] = spec
		}
		for _, name := range scalars {
			spec[name] = append([]any{}, words...)
		}
		g.Random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	}
}

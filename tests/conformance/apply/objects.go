package main

import (
	"fmt"
	"sort"

	"flyball.example/conformance/cases"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"strings"
)

func dotted(path string) fieldpath.Path {
	var steps []any
	for _, step := range strings.Split(path, ".") {
		steps = append(steps, step)
	}
	return fieldpath.MakePathOrDie(steps...)
}

var texts = []string{"a", "b", "c", "x<y", "grüße"}

func (g *generator) metadata() map[string]any {
	metadata := map[string]any{"name": "one", "namespace": "default"}
	if g.Chance(0.6) {
		metadata["labels"] = g.strings()
	}
	if g.Chance(0.5) {
		metadata["annotations"] = g.strings()
	}
	if g.Chance(0.3) {
		metadata["finalizers"] = g.subsetOf([]any{"a/b", "c/d", "e/f"})
	}
	if g.Chance(0.3) {
		metadata["ownerReferences"] = g.subsetOf([]any{
			map[string]any{"uid": "1", "name": "x", "kind": "Y", "apiVersion": "z"},
			map[string]any{"uid": "2", "name": "x", "kind": "Y", "apiVersion": "z", "controller": true}})
	}
	return metadata
}

func (g *generator) strings() map[string]any {
	out := map[string]any{}
	for range g.Random.IntN(4) {
		out[cases.Pick(g.Writer, []string{"app", "tier", "k8s.io/x", "z"})] = cases.Pick(g.Writer, texts)
	}
	return out
}

func (g *generator) subsetOf(all []any) []any {
	out := []any{}
	for _, one := range all {
		if g.Chance(0.6) {
			out = append(out, one)
		}
	}
	g.Random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// document is an object of a built-in kind, made up and then made more alike, so that managers meet.
func (g *generator) document(k kind) map[string]any {
	object := k.make()
	filler := &cases.Filler{Writer: g.Writer, Budget: 40 << g.Random.IntN(3)}
	filler.Density = cases.Pick(g.Writer, []float64{0.1, 0.3, 0.5})
	filler.Fill(object)
	tree := parse(print(object)).(map[string]any)
	g.tame(tree)
	tree["apiVersion"], tree["kind"], tree["metadata"] = k.apiVersion, k.name, g.metadata()
	return tree
}

var listKeys = []string{"name", "containerPort", "port", "type", "uid", "key", "ip", "mountPath", "devicePath", "topologyKey",
	"hostname", "protocol", "whenUnsatisfiable", "resourceName", "addresses"}

// tame gives the elements of lists different keys, mostly, and out of few.
func (g *generator) tame(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for _, name := range names(typed) {
			g.tame(typed[name])
		}
	case []any:
		start := g.Random.IntN(3)
		for i, element := range typed {
			g.tame(element)
			object, isMap := element.(map[string]any)
			if !isMap {
				if _, isText := element.(string); isText && g.Chance(0.9) {
					typed[i] = fmt.Sprintf("item-%d", start+i)
				}
				continue
			}
			if g.Chance(0.02) {
				continue
			}
			for _, key := range listKeys {
				switch object[key].(type) {
				case string:
					object[key] = fmt.Sprintf("%s-%d", key, start+i)
					if key == "protocol" {
						object[key] = cases.Pick(g.Writer, []string{"TCP", "UDP"})
					}
				case int64:
					object[key] = int64(8080 + start + i)
				}
			}
		}
	}
}

func names(object map[string]any) []string {
	sorted := make([]string, 0, len(object))
	for name := range object {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return sorted
}

// free is anything at all.
func (g *generator) free(depth int) any {
	switch choice := g.Random.IntN(8); {
	case choice < 4 && depth < 4:
		out := map[string]any{}
		for range g.Random.IntN(4) {
			out[cases.Pick(g.Writer, []string{"a", "b", "c", "name"})] = g.free(depth + 1)
		}
		return out
	case choice < 5 && depth < 4:
		out := []any{}
		for range g.Random.IntN(3) {
			out = append(out, g.free(depth+1))
		}
		return out
	}
	return cases.Pick(g.Writer, []any{"a", "b", "", int64(1), int64(2), 1.5, true, false, nil, "x"})
}

// ofSchema is a value that a custom kind's schema allows.
func (g *generator) ofSchema(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	if s.XIntOrString {
		return cases.Pick(g.Writer, []any{int64(1), int64(2), "25%", "1"})
	}
	if s.Nullable && g.Chance(0.3) {
		return nil
	}
	switch s.Type {
	case "string":
		return cases.Pick(g.Writer, texts)
	case "integer":
		return int64(g.Random.IntN(4))
	case "number":
		return cases.Pick(g.Writer, []any{int64(1), 1.5, int64(2), 2.5})
	case "boolean":
		return g.Chance(0.5)
	case "array":
		return g.list(s, depth)
	case "":
		return g.free(depth)
	}
	out := map[string]any{}
	properties := map[string]any{}
	for name := range s.Properties {
		properties[name] = nil
	}
	for _, name := range names(properties) {
		if property := s.Properties[name]; g.Chance(0.7) {
			out[name] = g.ofSchema(&property, depth+1)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		for range g.Random.IntN(4) {
			out[cases.Pick(g.Writer, texts)] = g.ofSchema(s.AdditionalProperties.Schema, depth+1)
		}
	}
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields || depth == 0 && len(s.Properties) == 0 {
		for range g.Random.IntN(3) {
			out[cases.Pick(g.Writer, []string{"more", "other"})] = g.free(1)
		}
	}
	return out
}

func (g *generator) list(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	out := []any{}
	seen := map[string]bool{}
	for range g.Random.IntN(5) {
		item := g.ofSchema(s.Items.Schema, depth+1)
		id := string(print(item))
		if len(s.XListMapKeys) > 0 {
			var parts []any
			for _, key := range s.XListMapKeys {
				property := s.Items.Schema.Properties[key]
				if property.Default == nil || g.Chance(0.5) {
					item.(map[string]any)[key] = g.ofSchema(&property, depth+2)
				}
				part := item.(map[string]any)[key]
				if part == nil {
					part = parse(property.Default.Raw)
				}
				parts = append(parts, part)
			}
			id = string(print(parts))
		}
		if s.XListType == nil || *s.XListType == "atomic" || !seen[id] || g.Chance(0.03) {
			out = append(out, item)
		}
		seen[id] = true
	}
	return out
}

// change is an object with some differences, which come from another of its kind.
func (g *generator) change(tree, donor map[string]any) map[string]any {
	changed := clone(tree)
	for range 1 + g.Random.IntN(4) {
		g.changeMap(changed, donor)
	}
	return changed
}

func (g *generator) changeMap(object, donor map[string]any) {
	all := map[string]any{}
	for name := range object {
		all[name] = nil
	}
	for name := range donor {
		all[name] = nil
	}
	delete(all, "apiVersion")
	delete(all, "kind")
	if len(all) == 0 {
		return
	}
	name := cases.Pick(g.Writer, names(all))
	theirs, has := donor[name]
	switch mine := object[name].(type) {
	case map[string]any:
		other, _ := theirs.(map[string]any)
		if g.Chance(0.85) {
			g.changeMap(mine, other)
			return
		}
	case []any:
		if other, _ := theirs.([]any); g.Chance(0.8) {
			object[name] = g.changeList(mine, other)
			return
		}
	}
	if has && g.Chance(0.8) {
		object[name] = parse(print(theirs))
	} else if name != "metadata" {
		delete(object, name)
	}
}

func (g *generator) changeList(mine, donor []any) []any {
	switch choice := g.Random.IntN(6); {
	case len(mine) > 0 && choice < 2:
		at := g.Random.IntN(len(mine))
		if item, isMap := mine[at].(map[string]any); isMap {
			other := map[string]any{}
			for _, one := range donor {
				if theirs, isMap := one.(map[string]any); isMap {
					other = theirs
				}
			}
			g.changeMap(item, other)
		}
	case len(mine) > 0 && choice == 2:
		at := g.Random.IntN(len(mine))
		mine = append(mine[:at:at], mine[at+1:]...)
	case choice == 3:
		g.Random.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
	case len(donor) > 0:
		item := parse(print(cases.Pick(g.Writer, donor)))
		at := g.Random.IntN(len(mine) + 1)
		mine = append(mine[:at:at], append([]any{item}, mine[at:]...)...)
	}
	return mine
}

// part is what one applier has an opinion on.
func (g *generator) part(tree map[string]any, keep float64) map[string]any {
	out := map[string]any{}
	for _, name := range names(tree) {
		isKey := false
		for _, key := range append(listKeys, "id", "on", "apiVersion", "kind", "metadata") {
			isKey = isKey || key == name
		}
		if !isKey && !g.Chance(keep) {
			continue
		}
		switch typed := tree[name].(type) {
		case map[string]any:
			out[name] = g.part(typed, keep)
		case []any:
			items := []any{}
			for _, item := range typed {
				if !g.Chance(keep) {
					continue
				}
				if object, isMap := item.(map[string]any); isMap {
					item = g.part(object, keep)
				}
				items = append(items, item)
			}
			out[name] = items
		default:
			out[name] = typed
		}
	}
	return out
}

// reset is how clients take all entries away.
func (g *generator) reset() []metav1.ManagedFieldsEntry {
	if g.Chance(0.5) {
		return []metav1.ManagedFieldsEntry{}
	}
	return []metav1.ManagedFieldsEntry{{}}
}

package main

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"flyball.example/conformance/cases"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const objectsOfAKind = 60

// generator makes objects up that a schema allows, but for its limits.
type generator struct {
	*cases.Writer
	density   float64
	budget    int
	rewritten int // quantities and times that were not in their canonical form
}

func writeObjects(g *generator, crd *apiextensions.CustomResourceDefinition) {
	for _, version := range crd.Spec.Versions {
		validation := cases.Must(apiextensions.GetSchemaForVersion(crd, version.Name))
		structural := cases.Must(schema.NewStructural(validation.OpenAPIV3Schema))
		apiVersion := crd.Spec.Group + "/" + version.Name
		for range objectsOfAKind {
			g.density = cases.Pick(g.Writer, []float64{0.02, 0.1, 0.3, 0.6, 0.95})
			g.budget = 400
			object := g.object(structural, true).(map[string]any)
			object["apiVersion"] = apiVersion
			object["kind"] = crd.Spec.Names.Kind
			object["metadata"] = map[string]any{"name": "x", "labels": map[string]any{"a": "b"}}
			input := cases.Must(json.Marshal(object))

			before := runtime.DeepCopyJSON(object)
			pruning.Prune(object, structural, true)
			if !reflect.DeepEqual(before, object) {
				cases.Fatal("made up what the schema does not have: %s", input)
			}
			defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
			defaulting.Default(object, structural)
			expected := cases.Must(json.Marshal(g.canonical(object, structural)))
			g.Line("O", cases.Text(apiVersion), cases.Text(crd.Spec.Names.Kind), cases.Text(input), cases.Text(expected))
		}
	}
}

func isQuantity(s *schema.Structural) bool {
	return s.XIntOrString && s.ValueValidation != nil && strings.Contains(s.ValueValidation.Pattern, "[KMGTPE]i")
}

func format(s *schema.Structural) string {
	if s.ValueValidation == nil {
		return ""
	}
	return s.ValueValidation.Format
}

// value is one that the schema describes, never null.
func (g *generator) value(s *schema.Structural) any {
	if s.XIntOrString {
		return g.intOrString(s)
	}
	if s.ValueValidation != nil && len(s.ValueValidation.Enum) > 0 {
		return cases.Pick(g.Writer, s.ValueValidation.Enum).Object
	}
	switch s.Type {
	case "object":
		return g.object(s, false)
	case "array":
		return g.array(s)
	case "string":
		return g.text(format(s))
	case "integer":
		if format(s) == "int32" {
			return int64(cases.Pick(g.Writer, []int32{0, 1, -1, 8080, 1<<31 - 1, -1 << 31}))
		}
		return cases.Pick(g.Writer, []int64{0, 1, -1, 1 << 40, 1<<63 - 1, -1 << 63})
	case "number":
		return cases.Pick(g.Writer, []float64{0.5, -1.25, 1e-9, 1e21, 3.0000001, 123456.75})
	case "boolean":
		return g.Chance(0.5)
	}
	return g.anything(2)
}

func (g *generator) intOrString(s *schema.Structural) any {
	if isQuantity(s) {
		return cases.Pick(g.Writer, []any{"100m", "1Gi", "0", "1", "1000m", "0.5", "1e3", "2048Ki", int64(3), int64(0)})
	}
	return cases.Pick(g.Writer, []any{int64(0), int64(8080), int64(-1), "", "25%", "80", "http"})
}

func (g *generator) text(format string) any {
	switch format {
	case "byte":
		return base64.StdEncoding.EncodeToString(cases.Pick(g.Writer, [][]byte{{}, {0}, []byte("hello"), {0xff, 0xfe, 0xfd}}))
	case "date-time":
		return cases.Pick(g.Writer, []string{"2026-01-02T03:04:05Z", "1999-12-31T23:59:59Z", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05+02:00"})
	}
	return cases.Pick(g.Writer, []string{"", "web", "true", "null", "1", "a: b", "two\nlines", "日本語", "<&>\u2028", "\"\\"})
}

// member is what stands under a name, or in a list: null where that is allowed or means something.
func (g *generator) member(s *schema.Structural, optional bool) any {
	if s.Nullable && g.Chance(0.3) {
		return nil
	}
	if optional && !s.Nullable && g.Chance(0.04) {
		return nil // dropped, or defaulted
	}
	return g.value(s)
}

func (g *generator) object(s *schema.Structural, root bool) any {
	object := map[string]any{}
	var required []string
	if s.ValueValidation != nil {
		required = s.ValueValidation.Required
	}
	if s.XEmbeddedResource && g.Chance(0.8) {
		object["apiVersion"], object["kind"] = "v1", "ConfigMap"
		object["metadata"] = map[string]any{"name": "inner"}
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, found := object[name]; found || (root || s.XEmbeddedResource) && (name == "metadata" || name == "kind" || name == "apiVersion") {
			continue
		}
		member := s.Properties[name]
		// A required member with a default may be left to it.
		isRequired := slices.Contains(required, name) && (member.Default.Object == nil || g.Chance(0.5))
		if !isRequired && (g.budget <= 0 || !g.Chance(g.density)) {
			continue
		}
		g.budget--
		object[name] = g.member(&member, !isRequired)
	}
	if s.XPreserveUnknownFields && g.Chance(0.5) {
		object["madeUp"] = g.anything(2)
	}
	if s.AdditionalProperties != nil {
		g.entries(s, object)
	}
	return object
}

func (g *generator) entries(s *schema.Structural, object map[string]any) {
	for _, key := range []string{"a", "b.example.com/c", "", "Z"} {
		element := s.AdditionalProperties.Structural
		if g.budget--; g.budget < 0 || !g.Chance(0.4) {
			continue
		}
		if element == nil && len(s.Properties) == 0 && s.AdditionalProperties.Bool {
			object[key] = cases.Pick(g.Writer, []any{int64(1), "x", true}) // nothing else would be left
		} else if element != nil {
			object[key] = g.member(element, true)
		}
	}
}

func (g *generator) array(s *schema.Structural) any {
	array := []any{}
	for range g.Random.IntN(4) {
		if g.budget--; g.budget < 0 {
			break
		}
		// Null is an element only where it is a value, or where there is a default for it.
		if s.Items.Default.Object != nil && g.Chance(0.2) {
			array = append(array, nil)
			continue
		}
		array = append(array, g.member(s.Items, false))
	}
	return array
}

func (g *generator) anything(depth int) any {
	if depth > 0 && g.Chance(0.5) {
		if g.Chance(0.5) {
			return map[string]any{"a": g.anything(depth - 1), "": nil, "b": []any{}}
		}
		return []any{g.anything(depth - 1), nil, map[string]any{}}
	}
	return cases.Pick(g.Writer, []any{int64(7), "text", true, 1.5, ""})
}

// canonical is the document with quantities and times as our types write them.
func (g *generator) canonical(x any, s *schema.Structural) any {
	if s == nil || x == nil {
		return x
	}
	switch x := x.(type) {
	case map[string]any:
		for name, value := range x {
			if member, found := s.Properties[name]; found {
				x[name] = g.canonical(value, &member)
			} else if s.AdditionalProperties != nil {
				x[name] = g.canonical(value, s.AdditionalProperties.Structural)
			}
		}
		return x
	case []any:
		for i := range x {
			x[i] = g.canonical(x[i], s.Items)
		}
		return x
	}
	var text any = x
	if isQuantity(s) {
		var quantity resource.Quantity
		if err := json.Unmarshal(cases.Must(json.Marshal(x)), &quantity); err != nil {
			cases.Fatal("%v", err)
		}
		text = quantity.String()
	} else if s.Type == "string" && format(s) == "date-time" {
		var moment metav1.Time
		if err := json.Unmarshal(cases.Must(json.Marshal(x)), &moment); err != nil {
			cases.Fatal("%v", err)
		}
		text = moment.UTC().Format(time.RFC3339)
	}
	if text != x {
		g.rewritten++
	}
	return text
}

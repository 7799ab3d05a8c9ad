package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"flyball.example/conformance/cases"
	"sigs.k8s.io/yaml"
)

// base is a small schema with one of everything; the mutations change it in one place.
const base = `
type: object
required: [spec]
properties:
  apiVersion: {type: string}
  kind: {type: string}
  metadata: {type: object}
  spec:
    type: object
    required: [text]
    properties:
      text: {type: string, maxLength: 10}
      count: {type: integer, format: int32}
      ratio: {type: number}
      flag: {type: boolean}
      list: {type: array, items: {type: string}}
      objects: {type: array, items: {type: object, required: [key], properties: {key: {type: string}, other: {type: string}}}}
      matrix: {type: array, items: {type: array, items: {type: integer}}}
      map: {type: object, additionalProperties: {type: string}}
      inner: {type: object, properties: {a: {type: string}, b: {type: integer}}}
      port: {x-kubernetes-int-or-string: true}
      any: {x-kubernetes-preserve-unknown-fields: true}
      embedded: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      template: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object}, spec: {type: object, properties: {x: {type: string}}}}}
`

// mutations are what is set where; a text that starts with "delete" takes something away.
var mutations = []string{
	`spec.text.$ref = "#/definitions/x"`,
	`spec.text.id = x`,
	`spec.text.$schema = "http://json-schema.org/schema#"`,
	`spec.definitions = {x: {type: string}}`,
	`spec.dependencies = {text: [count]}`,
	`spec.patternProperties = {"^x": {type: string}}`,
	`spec.list.additionalItems = true`,
	`spec.list.uniqueItems = true`,
	`spec.list.items = [{type: string}]`,
	`spec.list.items = []`,
	`spec.list.items = {}`,
	`delete spec.list.items`,
	`delete spec.text.type`,
	`delete spec.list.items.type`,
	`delete spec.map.additionalProperties.type`,
	`delete type`,
	`type = string`,
	`type = array`,
	`spec.text.type = text`,
	`spec.text.type = "null"`,
	`spec.text.type = file`,
	`spec.type = array`,
	`nullable = true`,
	`spec.nullable = true`,
	`additionalProperties = true`,
	`additionalProperties = {type: string}`,
	`spec.additionalProperties = true`,
	`spec.additionalProperties = false`,
	`spec.additionalProperties = {type: string}`,
	`spec.map.additionalProperties = true`,
	`spec.map.additionalProperties = false`,
	`spec.any.x-kubernetes-preserve-unknown-fields = false`,
	`spec.x-kubernetes-preserve-unknown-fields = true`,
	`x-kubernetes-preserve-unknown-fields = true`,
	`spec.port.x-kubernetes-preserve-unknown-fields = true`,
	`spec.port.x-kubernetes-embedded-resource = true`,
	`spec.port.anyOf = [{type: integer}, {type: string}]`,
	`spec.port.anyOf = [{type: string}, {type: integer}]`,
	`spec.port.anyOf = [{type: integer}, {type: string, maxLength: 3}]`,
	`spec.port.anyOf = [{type: integer}, {type: string}, {type: boolean}]`,
	`spec.port.allOf = [{anyOf: [{type: integer}, {type: string}]}, {maximum: 3}]`,
	`spec.port.allOf = [{maximum: 3}, {anyOf: [{type: integer}, {type: string}]}]`,
	`spec.port.oneOf = [{type: integer}, {type: string}]`,
	`spec.text.anyOf = [{type: integer}, {type: string}]`,
	`spec.text.anyOf = [{minLength: 1}, {pattern: "^a"}]`,
	`spec.text.anyOf = [{type: string}]`,
	`spec.text.not = {enum: [x]}`,
	`spec.text.not = {type: string}`,
	`spec.text.allOf = [{description: x}]`,
	`spec.text.allOf = [{title: x}]`,
	`spec.text.allOf = [{default: x}]`,
	`spec.text.allOf = [{nullable: true}]`,
	`spec.text.allOf = [{format: date}]`,
	`spec.inner.oneOf = [{required: [a]}, {required: [b]}]`,
	`spec.inner.oneOf = [{properties: {a: {minLength: 1}}}]`,
	`spec.inner.oneOf = [{properties: {c: {minLength: 1}}}]`,
	`spec.inner.oneOf = [{properties: {a: {type: string}}}]`,
	`spec.inner.oneOf = [{properties: {metadata: {minProperties: 1}}}]`,
	`spec.inner.oneOf = [{additionalProperties: {minLength: 1}}]`,
	`spec.inner.oneOf = [{additionalProperties: false}]`,
	`spec.inner.allOf = [{x-kubernetes-map-type: atomic}]`,
	`spec.inner.allOf = [{x-kubernetes-preserve-unknown-fields: true}]`,
	`spec.inner.allOf = [{x-kubernetes-int-or-string: true}]`,
	`spec.inner.allOf = [{not: {anyOf: [{required: [a]}, {properties: {b: {minimum: 3}}}]}}]`,
	`spec.inner.allOf = [{not: {anyOf: [{properties: {b: {items: {minimum: 3}}}}]}}]`,
	`spec.list.anyOf = [{items: {minLength: 3}}]`,
	`spec.list.anyOf = [{items: {items: {minLength: 3}}}]`,
	`spec.list.anyOf = [{x-kubernetes-list-type: set}]`,
	`spec.list.x-kubernetes-list-type = set`,
	`spec.list.x-kubernetes-list-type = bag`,
	`spec.list.x-kubernetes-list-type = map`,
	`spec.text.x-kubernetes-list-type = set`,
	`spec.list.x-kubernetes-list-map-keys = [a]`,
	`spec.objects.x-kubernetes-list-type = set`,
	`spec.objects = {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: set, items: {type: string}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string, default: x}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, k], items: {type: object, required: [k], properties: {k: {type: string}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [j], items: {type: object, required: [k], properties: {k: {type: string}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: object}}}}`,
	`spec.objects = {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string, nullable: true}}}}`,
	`spec.inner.x-kubernetes-map-type = atomic`,
	`spec.inner.x-kubernetes-map-type = solid`,
	`spec.list.x-kubernetes-map-type = atomic`,
	`metadata.properties = {name: {type: string, maxLength: 3}}`,
	`metadata.properties = {name: {type: string}, generateName: {type: string}}`,
	`metadata.properties = {labels: {type: object}}`,
	`metadata.properties = {name: {type: string, default: x}}`,
	`metadata.description = x`,
	`metadata.type = string`,
	`metadata.required = [name]`,
	`kind.type = integer`,
	`apiVersion.type = object`,
	`kind.default = X`,
	`spec.embedded.type = array`,
	`delete spec.embedded.x-kubernetes-preserve-unknown-fields`,
	`spec.embedded.additionalProperties = true`,
	`spec.template.metadata.type = string`,
	`spec.template.metadata.properties = {labels: {type: object, additionalProperties: {type: string}}}`,
	`spec.template.metadata.x-kubernetes-embedded-resource = true`,
	`spec.text.default = x`,
	`spec.text.default = 3`,
	`spec.text.default = null`,
	`spec.count.default = 3`,
	`spec.count.default = 3.5`,
	`spec.count.default = "3"`,
	`spec.ratio.default = 3`,
	`spec.ratio.default = x`,
	`spec.flag.default = "true"`,
	`spec.port.default = 80`,
	`spec.port.default = http`,
	`spec.port.default = true`,
	`spec.inner.default = {a: x}`,
	`spec.inner.default = {a: 1}`,
	`spec.inner.default = {c: x}`,
	`spec.inner.default = []`,
	`spec.list.default = [a, b]`,
	`spec.list.default = [1]`,
	`spec.list.default = {}`,
	`spec.matrix.default = [[1], []]`,
	`spec.map.default = {a: b}`,
	`spec.map.default = {a: 1}`,
	`spec.any.default = [1, {a: b}]`,
	`spec.objects.default = [{key: a}]`,
	`spec.objects.default = [{other: a}]`,
	`spec.text = {type: string, enum: [a, b], default: c}`,
	`spec.text = {type: string, enum: [a, b], default: b}`,
	`spec.text = {type: string, nullable: true, enum: [a, null], default: a}`,
	`spec.list.items.default = x`,
	`spec.map.additionalProperties.default = x`,
	`spec.text.type = object`,
	`spec.text = {type: string, properties: {a: {type: string}}}`,
	`spec.inner.items = {type: string}`,
	`spec.inner.items = {}`,
	`spec.port.type = string`,
	`anyOf = [{required: [spec]}]`,
	`anyOf = [{properties: {spec: {properties: {text: {minLength: 1}}}}}]`,
	`anyOf = [{properties: {spec: {properties: {other: {minLength: 1}}}}}]`,
	`anyOf = [{properties: {spec: {properties: {list: {items: {minLength: 1}}}}}}]`,
	`anyOf = [{properties: {spec: {properties: {text: {items: {minLength: 1}}}}}}]`,
	`anyOf = [{properties: {spec: {properties: {map: {properties: {a: {minLength: 1}}}}}}}]`,
	`minProperties = 1`,
	`title = x`,
	`default = {}`,
	`x-kubernetes-map-type = atomic`,
	`x-kubernetes-embedded-resource = true`,
}

// writeMutations writes the base, changed in each of these ways, with and without a status.
func writeMutations(out *cases.Writer) {
	for _, status := range []bool{false, true} {
		writeCrd(out, fmt.Sprintf("base, status %v", status), mutate(""), status)
		for _, mutation := range mutations {
			writeCrd(out, fmt.Sprintf("%s, status %v", mutation, status), mutate(mutation), status)
		}
	}
}

func writeCrd(out *cases.Writer, name string, schema any, status bool) {
	version := map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": schema}}
	if status {
		version["subresources"] = map[string]any{"status": map[string]any{}}
	}
	writeVerdict(out, name, cases.Must(json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group":    "example.com",
			"scope":    "Namespaced",
			"names":    map[string]any{"plural": "things", "kind": "Thing"},
			"versions": []any{version},
		},
	})))
}

func writeVerdict(out *cases.Writer, name string, document []byte) {
	out.Line("S", cases.Text(name), cases.Text(document), len(validate(document)) == 0)
}

// writeWithoutParts writes a CRD with one of its top members missing or wrong.
func writeWithoutParts(out *cases.Writer, document []byte) {
	edit := func(name string, change func(spec, version map[string]any)) {
		var crd map[string]any
		if err := json.Unmarshal(document, &crd); err != nil {
			cases.Fatal("%v", err)
		}
		spec := crd["spec"].(map[string]any)
		change(spec, spec["versions"].([]any)[0].(map[string]any))
		writeVerdict(out, name, cases.Must(json.Marshal(crd)))
	}
	edit("as it is", func(_, _ map[string]any) {})
	edit("no group", func(spec, _ map[string]any) { delete(spec, "group") })
	edit("group without a dot", func(spec, _ map[string]any) { spec["group"] = "example" })
	edit("no scope", func(spec, _ map[string]any) { delete(spec, "scope") })
	edit("no schema", func(_, version map[string]any) { delete(version, "schema") })
	edit("no storage version", func(_, version map[string]any) { version["storage"] = false })
	edit("a bad version name", func(_, version map[string]any) { version["name"] = "V1" })
	edit("a bad plural", func(spec, _ map[string]any) { spec["names"].(map[string]any)["plural"] = "Things" })
	edit("a bad kind", func(spec, _ map[string]any) { spec["names"].(map[string]any)["kind"] = "9Lives" })
	edit("a list kind that is the kind", func(spec, _ map[string]any) {
		names := spec["names"].(map[string]any)
		names["listKind"] = names["kind"]
	})
	edit("a column without a path", func(_, version map[string]any) {
		version["additionalPrinterColumns"] = []any{map[string]any{"name": "A", "type": "string"}}
	})
	edit("a column of an unknown type", func(_, version map[string]any) {
		version["additionalPrinterColumns"] = []any{map[string]any{"name": "A", "type": "text", "jsonPath": ".a"}}
	})
	edit("a scale path outside of spec", func(_, version map[string]any) {
		version["subresources"] = map[string]any{"scale": map[string]any{"specReplicasPath": ".replicas", "statusReplicasPath": ".status.replicas"}}
	})
}

// mutate is the base with one change: "path = value" or "delete path". A path goes through
// properties where a schema has none of its own words for a name.
func mutate(mutation string) any {
	var schema map[string]any
	if err := yaml.Unmarshal([]byte(base), &schema); err != nil {
		cases.Fatal("%v", err)
	}
	if mutation == "" {
		return schema
	}
	path, text, set := strings.Cut(mutation, " = ")
	if !set {
		path = strings.TrimPrefix(mutation, "delete ")
	}
	names := strings.Split(path, ".")
	at := schema
	for i, name := range names[:len(names)-1] {
		next, found := at[name].(map[string]any)
		if !found {
			next, found = at["properties"].(map[string]any)[name].(map[string]any)
		}
		if !found {
			cases.Fatal("%s: nothing at %s", mutation, strconv.Itoa(i))
		}
		at = next
	}
	last := names[len(names)-1]
	if properties, found := at["properties"].(map[string]any); found && properties[last] != nil {
		at = properties
	}
	if !set {
		delete(at, last)
		return schema
	}
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		cases.Fatal("%s: %v", mutation, err)
	}
	at[last] = value
	return schema
}

package main

import (
	"encoding/json"
	"reflect"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// How many objects are made of each kind.
const objectsPerKind = 16

// objects writes, for each made-up object, G: group, version, kind, protobuf, JSON, then protobuf
// and JSON again as they are after a trip through JSON, which cannot say all that protobuf can (a
// pointer to the zero time, microseconds of a time). Protobuf is empty where there is no form. Last
// comes the first JSON with sorted keys: as Go writes it when it has kept integers, and when it has
// read every number as a float64.
func (g *generator) objects() {
	for _, kind := range g.known.Kinds() {
		for i := range objectsPerKind {
			gvk := cases.Pick(g.Writer, kind.Names)
			// Of each kind one is empty, and some are so full that nearly everything occurs.
			f := &cases.Filler{Writer: g.Writer, Budget: 30 << g.Random.IntN(4)}
			f.Density = []float64{0, 0.03, 0.08, 0.15, 0.25, 0.4, 0.6, 0.9}[i%8]
			made := reflect.New(kind.GoType)
			object := made.Interface().(runtime.Object)
			f.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(gvk)

			// Our types do not tell nil from empty; neither does protobuf, so this is what both know.
			proto := g.known.EncodeProto(object)
			if proto != nil {
				object = cases.Must(g.known.Decode("protobuf", proto, gvk))
				object.GetObjectKind().SetGroupVersionKind(gvk)
			}
			cases.DropEmpty(object)
			proto = g.known.EncodeProto(object)
			text1 := cases.Must(json.Marshal(object))

			again := reflect.New(kind.GoType).Interface().(runtime.Object)
			if err := kjson.UnmarshalCaseSensitivePreserveInts(text1, again); err != nil {
				cases.Fatal("%s: %v: %s", gvk, err, text1)
			}
			cases.DropEmpty(again)
			text2 := cases.Must(json.Marshal(again))
			var integers, floats map[string]any
			if err := kjson.UnmarshalCaseSensitivePreserveInts(text1, &integers); err != nil {
				cases.Fatal("%s: %v: %s", gvk, err, text1)
			}
			if err := json.Unmarshal(text1, &floats); err != nil {
				cases.Fatal("%s: %v: %s", gvk, err, text1)
			}
			g.Line("G", cases.Text(gvk.Group), gvk.Version, gvk.Kind, cases.Text(proto), cases.Text(text1),
				cases.Text(g.known.EncodeProto(again)), cases.Text(text2),
				cases.Text(cases.Must(json.Marshal(integers))), cases.Text(cases.Must(json.Marshal(floats))))
		}
	}
}

// Command apply writes cases for apply_conformance_test.cc: writes to objects that several managers
// share, and what upstream's field manager makes of them. The fields of each kind of case stand where
// it is written.
package main

import (
	"encoding/json"

	"flyball.example/conformance/cases"
	kjson "sigs.k8s.io/json"
)

type generator struct {
	*cases.Writer
	step int // of a sequence: the time of what is written, in seconds
}

func main() {
	g := &generator{Writer: cases.NewWriter()}
	defer g.Close()
	builtIn := builtInTypes()
	g.schemas(builtIn)
	g.fieldSets(3000)
	g.userAgents()
	for _, k := range kinds {
		for _, status := range []bool{false, true} {
			s := g.builtIn(builtIn, k, status)
			for range 40 {
				g.sequence(s, 14)
			}
		}
	}
	for i := range definitions {
		s := g.custom(i)
		for range 60 {
			g.sequence(s, 14)
		}
	}
	s := g.deduced()
	for range 60 {
		g.sequence(s, 14)
	}
}

// parse reads a document as the API server reads a patch: whole numbers that fit are int64.
func parse(text []byte) any {
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &value); err != nil {
		cases.Fatal("%s: %v", text, err)
	}
	return value
}

func print(value any) []byte { return cases.Must(json.Marshal(value)) }

func clone(tree map[string]any) map[string]any { return parse(print(tree)).(map[string]any) }

// Command patches writes cases for patches_conformance_test.cc: patches of the three kinds, and what
// upstream makes of them. The fields of each kind of case stand where it is written.
package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"flyball.example/conformance/cases"
	kjson "sigs.k8s.io/json"
)

// runs is how often upstream is asked about a strategic merge patch. It walks Go's maps, whose order
// for some patches decides what comes out; so the members are in another order each time.
const runs = 16

type generator struct {
	*cases.Writer
}

func main() {
	g := &generator{Writer: cases.NewWriter()}
	defer g.Close()
	g.twoWay(kinds, 2500)
	every := everyKind()
	g.twoWay(every, 10*len(every))
	g.odd()
	g.mutated(1800)
	g.threeWay(900)
	g.jsonPatches(2500)
	g.mergePatches(1500)
	g.mergeDifferences(1500)
}

// parse reads a document as the API server reads a patch: whole numbers that fit are int64. Slices
// have no room to spare, as those have that the server makes of an object.
func parse(text []byte) any {
	var value any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(text, &value); err != nil {
		cases.Fatal("%s: %v", text, err)
	}
	return clip(value)
}

func clip(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		for name, member := range typed {
			typed[name] = clip(member)
		}
	case []any:
		for i, element := range typed {
			typed[i] = clip(element)
		}
		return slices.Clip(typed)
	}
	return value
}

// print is the document's one text: sorted names, numbers as Go writes them.
func print(value any) []byte {
	return cases.Must(json.Marshal(value))
}

func canonical(text []byte) []byte { return print(parse(text)) }

func sameDocument(a, b []byte) bool { return bytes.Equal(canonical(a), canonical(b)) }

// scramble is the document with its members in another order.
func (g *generator) scramble(text []byte) []byte {
	var out bytes.Buffer
	g.scrambleInto(&out, parse(text))
	return out.Bytes()
}

func (g *generator) scrambleInto(out *bytes.Buffer, value any) {
	separator := ""
	switch typed := value.(type) {
	case map[string]any:
		members := names(typed)
		g.Random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		out.WriteByte('{')
		for _, name := range members {
			out.WriteString(separator)
			out.Write(print(name))
			out.WriteByte(':')
			g.scrambleInto(out, typed[name])
			separator = ","
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for _, element := range typed {
			out.WriteString(separator)
			g.scrambleInto(out, element)
			separator = ","
		}
		out.WriteByte(']')
	case float64:
		text := print(typed)
		out.Write(text)
		if !bytes.ContainsAny(text, ".e") {
			out.WriteString(".0") // or it would be read as a whole number
		}
	default:
		out.Write(print(value))
	}
}

// answer is what upstream said: what came out, or nothing and why not. A panic is a refusal.
type answer struct {
	refused string
	text    string
}

// ask calls upstream once.
func ask(call func() ([]byte, error), why func(error) string) (said answer) {
	defer func() {
		if recover() != nil {
			said = answer{refused: "panic"}
		}
	}()
	text, err := call()
	if err != nil {
		return answer{refused: why(err)}
	}
	return answer{text: string(text)}
}

// askOften calls upstream as often as it may change its mind.
func askOften(call func() ([]byte, error), why func(error) string) []answer {
	var answers []answer
	for range runs {
		if said := ask(call, why); !slices.Contains(answers, said) {
			answers = append(answers, said)
		}
	}
	slices.SortFunc(answers, func(a, b answer) int {
		return strings.Compare(a.refused+a.text, b.refused+b.text)
	})
	return answers
}

// fields are an answer's in a line: the reason of a refusal, and the text.
func (a answer) fields() []any {
	return []any{cases.Text(a.refused), cases.Text(a.text)}
}

// listFields are the number of answers, then each.
func listFields(answers []answer) []any {
	fields := []any{len(answers)}
	for _, said := range answers {
		fields = append(fields, said.fields()...)
	}
	return fields
}

func refused(error) string { return "refused" }

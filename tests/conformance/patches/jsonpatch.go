package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"flyball.example/conformance/cases"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// As the API server sets them.
const (
	maxOperations = 10000
	maxCopyBytes  = 3 * 1024 * 1024
)

var errTooMany = errors.New("too many operations")

// applyJSON does what the API server does with a patch.
func applyJSON(document, patch []byte) ([]byte, error) {
	jsonpatch.AccumulatedCopySizeLimit = maxCopyBytes
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", jsonpatch.ErrInvalid, err)
	}
	if len(operations) > maxOperations {
		return nil, errTooMany
	}
	patched, err := operations.Apply(document)
	if err != nil {
		return nil, err
	}
	return canonical(patched), nil
}

func whyNotApplied(err error) string {
	switch {
	case errors.Is(err, jsonpatch.ErrInvalid):
		return "malformed"
	case errors.Is(err, errTooMany):
		return "many"
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return "test"
	}
	return "refused"
}

// jsonPatches writes J: document, patch, answer, and whether upstream itself says something else. It
// does where it compares how a number or a string is written, tells one null from another, or panics
// at a null in a list; the answer is then the one for a patch that says the same without these.
func (g *generator) jsonPatches(count int) {
	write := func(document, patch []byte) {
		own := ask(func() ([]byte, error) { return applyJSON(document, patch) }, whyNotApplied)
		said := own
		if own.refused != "malformed" && own.refused != "many" {
			plain, plainPatch := canonical(document), print(withoutExplicitNulls(parse(patch)))
			said = ask(func() ([]byte, error) { return applyJSON(plain, plainPatch) }, whyNotApplied)
			if said.refused == "panic" {
				plain, plainPatch = print(markNulls(parse(plain), false)), print(markNulls(parse(plainPatch), false))
				again := ask(func() ([]byte, error) { return applyJSON(plain, plainPatch) }, whyNotApplied)
				if again.refused != "panic" {
					said = again
					said.text = string(unmarkNulls([]byte(again.text)))
				}
			}
		}
		g.Line("J", append([]any{cases.Text(document), cases.Text(patch), said != own}, said.fields()...)...)
	}
	for _, patch := range handwrittenJSON {
		write([]byte(jsonDocument), []byte(patch))
	}
	write([]byte(jsonDocument), []byte("["+strings.Repeat(`{"op":"test","path":"/none"},`, maxOperations-1)+`{"op":"test","path":"/none"}]`))
	write([]byte(jsonDocument), []byte("["+strings.Repeat(`{"op":"test","path":"/none"},`, maxOperations)+`{"op":"bad"}]`))
	for size := 1 << 19; size <= 1<<20; size += 1 << 18 {
		document := fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", size))
		write([]byte(document), []byte(`[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"},`+
			`{"op":"copy","from":"/a","path":"/d"},{"op":"replace","path":"","value":{}}]`))
	}
	for range count {
		document := g.jsonDocument()
		var operations []any
		for range cases.Pick(g.Writer, []int{1, 1, 1, 2, 3}) {
			operations = append(operations, g.operation(document))
		}
		patch := print(operations)
		if g.Chance(0.05) {
			patch = print(g.any())
		}
		if g.Chance(0.1) {
			patch = bytes.ReplaceAll(patch, []byte(`80`), []byte(`80.0`))
		}
		write(print(document), patch)
	}
}

// withoutExplicitNulls leaves out a value that is null, which means the same and is handled better.
func withoutExplicitNulls(patch any) any {
	operations, _ := patch.([]any)
	for _, each := range operations {
		operation, _ := each.(map[string]any)
		kind := operation["op"]
		if value, has := operation["value"]; has && value == nil && (kind == "add" || kind == "replace") {
			delete(operation, "value")
		}
	}
	return patch
}

const nullMark = "\x00null in a list"

// markNulls puts a text in the place of nulls inside lists, at any depth.
func markNulls(value any, inList bool) any {
	switch typed := value.(type) {
	case map[string]any:
		for name, member := range typed {
			typed[name] = markNulls(member, inList)
		}
	case []any:
		for i, element := range typed {
			// A patch is a list itself; its operations are not what is meant.
			operation, isMap := element.(map[string]any)
			if _, has := operation["op"]; isMap && has {
				typed[i] = markNulls(element, false)
				continue
			}
			typed[i] = markNulls(element, true)
		}
	case nil:
		if inList {
			return nullMark
		}
	}
	return value
}

func unmarkNulls(text []byte) []byte {
	return bytes.ReplaceAll(text, print(nullMark), []byte("null"))
}

func (g *generator) jsonDocument() any {
	if g.Chance(0.5) {
		return parse([]byte(jsonDocument))
	}
	return g.document(cases.Pick(g.Writer, kinds))
}

func (g *generator) operation(document any) any {
	operation := map[string]any{"op": cases.Pick(g.Writer, []string{"add", "remove", "replace", "move", "copy", "test"})}
	pointer, value := g.pointer(document)
	operation["path"] = pointer
	operation["from"], _ = g.pointer(document)
	operation["value"] = value
	if operation["op"] != "test" || g.Chance(0.3) {
		operation["value"] = g.any()
	}
	if g.Chance(0.2) {
		operation["value"] = cases.Pick(g.Writer, []any{[]any{nil}, map[string]any{"a": nil}, map[string]any{"b": []any{nil}}})
	}
	if g.Chance(0.07) {
		name := cases.Pick(g.Writer, []string{"op", "path", "from", "value"})
		if g.Chance(0.5) {
			delete(operation, name)
		} else {
			operation[name] = g.any()
		}
	}
	if g.Chance(0.02) {
		return g.any()
	}
	return operation
}

// pointer leads somewhere in the document, or just past it; with what is there.
func (g *generator) pointer(value any) (string, any) {
	var pointer strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for !g.Chance(0.12) {
		token := cases.Pick(g.Writer, []string{"new", "-", "0", "-1", "", "99", "+0", "00", "-0", "1e0", "~", "~2x", "-99", "a~1b"})
		var next any
		switch typed := value.(type) {
		case map[string]any:
			if len(typed) > 0 && g.Chance(0.9) {
				token = cases.Pick(g.Writer, names(typed))
				next = typed[token]
				token = escape.Replace(token)
			}
		case []any:
			if len(typed) > 0 && g.Chance(0.8) {
				i := g.Random.IntN(len(typed))
				next = typed[i]
				token = fmt.Sprint(i - len(typed)*g.Random.IntN(2))
			}
		default:
			if g.Chance(0.8) {
				return pointer.String(), value
			}
		}
		pointer.WriteString("/" + token)
		value = next
	}
	if g.Chance(0.02) {
		return "x" + pointer.String(), value
	}
	return pointer.String(), value
}

const jsonDocument = `{"a":{"b":{"c":1,"d":[1,2.5,"x",null,{"e":null}]},"empty":{},"none":[]},` +
	`"list":[{"name":"x","port":80},{"name":"y","port":8080},[1,[2]]],"null":null,"":{"":"deep"},` +
	`"a/b":{"~":1,"m~n":"t"},"text":"<&> grüße","big":9007199254740993,"huge":12345678901234567890,"flag":true,"0":"zero"}`

var handwrittenJSON = []string{
	`null`, `[]`, `{}`, `3`, `"x"`, `[null]`, `[3]`, `[[]]`, `[{}]`, `[{"op":null,"path":"/a"}]`, `[{"op":3,"path":"/a"}]`,
	`[{"op":"ADD","path":"/a","value":1}]`, `[{"Op":"add","path":"/n","value":1}]`, `[{"op":"add","value":1}]`,
	`[{"op":"add","path":null,"value":1}]`, `[{"op":"add","path":3,"value":1}]`, `[{"op":"add","path":"/n"}]`,
	`[{"op":"add","path":"","value":{}}]`, `[{"op":"add","path":"/","value":1}]`, `[{"op":"add","path":"n","value":1}]`,
	`[{"op":"add","path":"x/n","value":1}]`, `[{"op":"add","path":"/n/m","value":1}]`, `[{"op":"add","path":"/null/m","value":1}]`,
	`[{"op":"add","path":"/flag/m","value":1}]`, `[{"op":"add","path":"/a/b/d/-","value":1}]`, `[{"op":"add","path":"/a/b/d/0","value":1}]`,
	`[{"op":"add","path":"/a/b/d/5","value":1}]`, `[{"op":"add","path":"/a/b/d/6","value":1}]`, `[{"op":"add","path":"/a/b/d/-1","value":1}]`,
	`[{"op":"add","path":"/a/b/d/-6","value":1}]`, `[{"op":"add","path":"/a/b/d/-7","value":1}]`, `[{"op":"add","path":"/a/b/d/x","value":1}]`,
	`[{"op":"add","path":"/a/b/d/01","value":1}]`, `[{"op":"add","path":"/a/b/d/+1","value":1}]`, `[{"op":"add","path":"/a/b/d/+-1","value":1}]`,
	`[{"op":"add","path":"/a/b/d/","value":1}]`, `[{"op":"add","path":"/a/b/d/1_0","value":1}]`, `[{"op":"add","path":"/a/b/d/9223372036854775808","value":1}]`,
	`[{"op":"add","path":"/a~1b/x","value":1}]`, `[{"op":"add","path":"/a~1b/~0","value":2}]`, `[{"op":"test","path":"/a~1b/m~0n","value":"t"}]`,
	`[{"op":"add","path":"/~01","value":1}]`, `[{"op":"add","path":"/~10","value":1}]`, `[{"op":"add","path":"/~2","value":1}]`,
	`[{"op":"add","path":"/~","value":1}]`, `[{"op":"remove","path":""}]`, `[{"op":"remove","path":"/null"}]`, `[{"op":"remove","path":"/none"}]`,
	`[{"op":"remove","path":"/list/0"}]`, `[{"op":"remove","path":"/list/-1"}]`, `[{"op":"remove","path":"/list/-3"}]`,
	`[{"op":"remove","path":"/list/-4"}]`, `[{"op":"remove","path":"/list/3"}]`, `[{"op":"remove","path":"/list/-"}]`,
	`[{"op":"remove","path":"/"}]`, `[{"op":"remove","path":"//"}]`, `[{"op":"replace","path":"","value":{"x":1}}]`,
	`[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/0","value":0}]`, `[{"op":"replace","path":"","value":3}]`,
	`[{"op":"replace","path":"","value":null}]`, `[{"op":"replace","path":""}]`, `[{"op":"replace","path":"/none","value":1}]`,
	`[{"op":"replace","path":"/list/3","value":1}]`, `[{"op":"replace","path":"/list/-","value":1}]`, `[{"op":"replace","path":"/list/-1","value":1}]`,
	`[{"op":"replace","path":"/null"}]`, `[{"op":"replace","path":"/a"}]`, `[{"op":"move","from":"/a","path":"/z"}]`, `[{"op":"move","from":"/a","path":"/a"}]`,
	`[{"op":"move","from":"/a","path":"/a/b"}]`, `[{"op":"move","from":"/list/0","path":"/list/2"}]`, `[{"op":"move","from":"/list/0","path":"/list/3"}]`,
	`[{"op":"move","from":"/list/2","path":"/list/-"}]`, `[{"op":"move","from":"/none","path":"/z"}]`, `[{"op":"move","path":"/z"}]`, `[{"op":"move","from":"/a"}]`,
	`[{"op":"move","from":"","path":"/z"}]`, `[{"op":"move","from":"/a","path":""}]`, `[{"op":"move","from":"/null","path":"/z"}]`, `[{"op":"move","from":null,"path":"/z"}]`,
	`[{"op":"copy","from":"/a","path":"/a/b/c"}]`, `[{"op":"copy","from":"/none","path":"/z"}]`, `[{"op":"copy","from":"/null","path":"/z"}]`,
	`[{"op":"copy","from":"/list/5","path":"/z"}]`, `[{"op":"copy","from":"/list/-1","path":"/list/-"}]`, `[{"op":"copy","from":"","path":"/z"}]`,
	`[{"op":"copy","from":"/a","path":""}]`, `[{"op":"copy","path":"/z"}]`, `[{"op":"copy","from":"/a","path":"/n/m"}]`,
	`[{"op":"test","path":"","value":{}}]`, `[{"op":"test","path":""}]`, `[{"op":"test","path":"","value":null}]`, `[{"op":"test","path":"/none"}]`,
	`[{"op":"test","path":"/none","value":null}]`, `[{"op":"test","path":"/none","value":1}]`, `[{"op":"test","path":"/null"}]`,
	`[{"op":"test","path":"/null","value":null}]`, `[{"op":"test","path":"/null","value":0}]`, `[{"op":"test","path":"/a"}]`,
	`[{"op":"test","path":"/a/b/d","value":[1,2.5,"x",null,{"e":null}]}]`, `[{"op":"test","path":"/a/b/d","value":[1,2.5,"x",0,{"e":null}]}]`,
	`[{"op":"test","path":"/a/b/d/4","value":{"e":null}}]`, `[{"op":"test","path":"/a/b/d/4","value":{}}]`, `[{"op":"test","path":"/a/b/c","value":1.0}]`,
	`[{"op":"test","path":"/a/b/c","value":1e0}]`, `[{"op":"test","path":"/a/b/c","value":"1"}]`, `[{"op":"test","path":"/a/b/d/1","value":2.50}]`,
	`[{"op":"test","path":"/big","value":9007199254740993}]`, `[{"op":"test","path":"/big","value":9007199254740992}]`,
	`[{"op":"test","path":"/big","value":9007199254740993.0}]`, `[{"op":"test","path":"/huge","value":12345678901234567890}]`,
	`[{"op":"test","path":"/text","value":"<&> grüße"}]`, `[{"op":"test","path":"/text","value":"\u003c&> gr\u00fc\u00dfe"}]`,
	`[{"op":"test","path":"/text","value":"<&> grusse"}]`, `[{"op":"test","path":"/list/2","value":[1,[2]]}]`, `[{"op":"test","path":"/list/2/1","value":[2]}]`,
	`[{"op":"test","path":"/list/2/1/0","value":2}]`, `[{"op":"test","path":"/list/2/1/1","value":2}]`, `[{"op":"test","path":"/a/empty","value":{}}]`,
	`[{"op":"test","path":"/a/empty","value":[]}]`, `[{"op":"test","path":"/a/none","value":[]}]`, `[{"op":"test","path":"/a/none","value":{}}]`,
	`[{"op":"test","path":"/0","value":"zero"}]`, `[{"op":"test","path":"//","value":"deep"}]`, `[{"op":"test","path":"/n/m","value":null}]`,
	`[{"op":"add","path":"/n","value":null},{"op":"test","path":"/n"}]`, `[{"op":"add","path":"/n"},{"op":"test","path":"/n","value":null}]`,
	`[{"op":"add","path":"/a/empty/n","value":null},{"op":"test","path":"/a/empty","value":{"n":null}}]`,
	`[{"op":"add","path":"/n","value":null},{"op":"copy","from":"/n","path":"/m"},{"op":"test","path":"/m","value":null}]`,
	`[{"op":"add","path":"/n","value":1.0},{"op":"test","path":"/n","value":1}]`, `[{"op":"test","path":"/flag","value":true},{"op":"remove","path":"/flag"}]`,
	`[{"op":"test","path":"/flag","value":false},{"op":"bad","path":"/flag"}]`, `[{"op":"add","path":"/n","value":1,"extra":2}]`,
	`[{"op":"add","op":"remove","path":"/flag"}]`, `[{"op":"add","path":"/list/0/ports","value":[1]},{"op":"add","path":"/list/0/ports/-","value":2}]`,
}

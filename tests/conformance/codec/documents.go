package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"flyball.example/conformance/cases"
	"sigs.k8s.io/yaml"
)

const documentCount = 1500

// documents writes, for each YAML document, Y: the text, whether upstream reads it, the JSON that
// it makes of it.
func (g *generator) documents() {
	w := &yamlAuthor{generator: g}
	emit := func(document string) {
		out, err := yaml.YAMLToJSON([]byte(document))
		// Where two keys become one text (yes and "true"), it is chance that says which one stays.
		for range 20 {
			if again, _ := yaml.YAMLToJSON([]byte(document)); !bytes.Equal(out, again) {
				return
			}
		}
		valid := 0
		if err == nil {
			valid = 1
		}
		g.Line("Y", cases.Text(document), valid, cases.Text(out))
	}
	// Every scalar once where values stand and once where keys do, then whatever chance makes.
	for _, scalar := range plainScalars {
		emit("value: " + scalar + "\n")
		emit(scalar + ": value\n")
	}
	for range documentCount {
		emit(w.document())
	}
}

var plainScalars = []string{
	"~", "null", "Null", "NULL", "nUll", "y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO", "on", "On", "ON",
	"off", "Off", "OFF", "true", "True", "TRUE", "tRUE", "false", "False", "FALSE",
	"0", "-0", "+0", "1", "-1", "+1", "007", "08", "-010", "010", "0o17", "0O17", "0x1F", "0X1f", "-0x1F", "+0x1F", "0b101",
	"0B101", "-0b101", "0b", "0x", "0o", "0b2", "0xg", "0o8", "1_000", "1__0", "_1", "1_", "0x_f", "0b_1", "1_000.5",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
	"18446744073709551616", "+18446744073709551615", "123456789012345678901234567890", "0xffffffffffffffff",
	"0x10000000000000000", "-0x8000000000000000", "0777777777777777777777",
	"1.", "1.0", ".5", ".5_1", "._5", ".5_", ".5__1", ".5e1_0", "-.5", "+.5", "1.5e3", "1e3", "1E3", "1e+3", "1e-3", "1.e3", ".5e3", "1e", "1e+", "e3", ".", "..",
	"1.2.3", "1e400", "-1e400", "1e-400", "0.1", "100000000000000000000.0", "1e20", "1e21", "123456789012345678901.5",
	"0x1p4", "0x.8p1", "1p3", "infinity", "inf", "nan", ".Inf2", "1e3.5", "--1", "+-1", "-+1", "1-1",
	"1:20", "1:20:30", "190:20:30.15", "2001-01-01", "2001-1-1", "2001-01-01T00:00:00Z", "2001-12-14 21:59:43.10 -5", "2001-13-45",
	"2001-", "12e03", "12e-04", "1,000", "=", "a", "a b", "a:b", "a#b", "-a", "?a", ":a", "a-", "http://x/y",
	"\"\"", "''", "\"1\"", "'yes'", "\"a\\nb\"", "'it''s'", "\"\\x41\\u00e9\\U0001F600\"", "\"\\t\\e\\0\"", "\"a\\\n  b\"",
	"!!str 1", "!!str true", "!!int \"1\"", "!!float 1", "!!float \"1.5\"", "!!bool \"yes\"", "!!null ''", "grüße", "日本", "\U0001f600",
}

// yamlAuthor writes documents with the freedom that people take.
type yamlAuthor struct {
	*generator
	anchors []string
	maps    []string // anchors of mappings, which can be merged
}

func (w *yamlAuthor) document() string {
	w.anchors, w.maps = nil, nil
	var out strings.Builder
	if w.Chance(0.2) {
		out.WriteString("# a comment\n")
	}
	if w.Chance(0.2) {
		out.WriteString("---\n")
	}
	if w.Chance(0.2) {
		out.WriteString(w.sequence(0, 0))
	} else {
		out.WriteString(w.mapping(0, 0))
	}
	if w.Chance(0.1) {
		out.WriteString("...\n")
	}
	if w.Chance(0.05) {
		return strings.ReplaceAll(out.String(), "\n", "\r\n")
	}
	return out.String()
}

func indent(n int) string { return strings.Repeat(" ", n) }

func (w *yamlAuthor) mapping(column, depth int) string {
	var out strings.Builder
	for i := range 1 + w.Random.IntN(4) {
		key := fmt.Sprintf("k%d", i)
		if w.Chance(0.2) {
			key = cases.Pick(w.Writer, plainScalars)
		}
		if len(w.maps) > 0 && w.Chance(0.15) {
			out.WriteString(indent(column) + "<<: " + w.merge() + "\n")
			continue
		}
		out.WriteString(indent(column) + key + ":" + w.value(column, depth, false))
		if w.Chance(0.1) {
			out.WriteString(cases.Pick(w.Writer, []string{"\n", indent(column) + "# note\n", "#far left\n"}))
		}
	}
	return out.String()
}

func (w *yamlAuthor) merge() string {
	if w.Chance(0.3) {
		return "[*" + cases.Pick(w.Writer, w.maps) + ", *" + cases.Pick(w.Writer, w.maps) + "]"
	}
	return "*" + cases.Pick(w.Writer, w.maps)
}

func (w *yamlAuthor) sequence(column, depth int) string {
	var out strings.Builder
	for range 1 + w.Random.IntN(4) {
		if depth < 4 && w.Chance(0.2) {
			// A mapping that starts on the dash's line.
			out.WriteString(indent(column) + "- " + strings.TrimLeft(w.mapping(column+2, depth+1), " "))
			continue
		}
		out.WriteString(indent(column) + "-" + w.value(column, depth, true))
	}
	return out.String()
}

// value is what stands behind "key:" or "-", up to and with the end of its line.
//
// Two things that our reader's parser cannot do are left out, and yaml_reader_test has them: an
// anchor in a list before a scalar of several lines, and blank lines kept behind folded text.
func (w *yamlAuthor) value(column, depth int, element bool) string {
	anchor := ""
	name := fmt.Sprintf("a%d", w.Random.IntN(6))
	choice := w.Random.IntN(12)
	if depth >= 4 && choice < 3 {
		choice = 5
	}
	severalLines := choice == 4 || choice == 6 || choice == 7
	if w.Chance(0.1) && !(element && severalLines) {
		anchor = " &" + name
		// Usable from here on: inside its own value an alias would be a loop.
		defer func() { w.anchors = append(w.anchors, name) }()
	}
	switch choice {
	case 0, 1:
		if anchor != "" {
			defer func() { w.maps = append(w.maps, name) }()
		}
		return anchor + "\n" + w.mapping(column+cases.Pick(w.Writer, []int{1, 2, 2, 2, 4}), depth+1)
	case 2:
		return anchor + "\n" + w.sequence(column+cases.Pick(w.Writer, []int{1, 2, 2, 4}), depth+1)
	case 3:
		return anchor + " " + w.flow(depth) + w.lineEnd()
	case 4:
		return anchor + " " + w.block(column) + "\n"
	case 5:
		if len(w.anchors) > 0 && anchor == "" {
			return " *" + cases.Pick(w.Writer, w.anchors) + w.lineEnd()
		}
		return anchor + w.lineEnd()
	case 6:
		return anchor + " plain\n" + indent(column+2) + "folded over\n\n" + indent(column+3) + "lines\n"
	case 7:
		quote := cases.Pick(w.Writer, []string{"'", "\""})
		return anchor + " " + quote + "quoted\n" + indent(column+2) + "and  folded\n\n" + indent(column+2) + "twice" + quote + "\n"
	default:
		return anchor + " " + cases.Pick(w.Writer, plainScalars) + w.lineEnd()
	}
}

func (w *yamlAuthor) lineEnd() string {
	return cases.Pick(w.Writer, []string{"\n", "\n", "\n", " \n", "  # comment\n"})
}

func (w *yamlAuthor) flow(depth int) string {
	scalars := []string{"1", "yes", "a b", "\"q, r\"", "'s: t'", "~", "0x1F", ".5", "a:b", "x"}
	element := func() string {
		if depth < 4 && w.Chance(0.2) {
			return w.flow(depth + 1)
		}
		return cases.Pick(w.Writer, scalars)
	}
	var parts []string
	mapping := w.Chance(0.5)
	for i := range w.Random.IntN(4) {
		part := element()
		if mapping {
			part = fmt.Sprintf("f%d: %s", i, part)
		}
		parts = append(parts, part)
	}
	between := cases.Pick(w.Writer, []string{",", ", ", " , "})
	inner := strings.Join(parts, between)
	if len(parts) > 0 && w.Chance(0.1) {
		inner += ","
	}
	if mapping {
		return "{" + inner + "}"
	}
	return "[" + inner + "]"
}

func (w *yamlAuthor) block(column int) string {
	head := cases.Pick(w.Writer, []string{"|", "|-", "|+", ">", ">-"})
	inner := column + 2
	lines := []string{cases.Pick(w.Writer, []string{"first", "#no comment", "- a", "k: v", "\"q\"", "---x"})}
	for range w.Random.IntN(4) {
		lines = append(lines, cases.Pick(w.Writer, []string{"", "  more", "plain", "\ttab", "trailing ", "# text", "a: b", "end"}))
	}
	for range w.Random.IntN(3) {
		lines = append(lines, "")
	}
	var out strings.Builder
	out.WriteString(head + cases.Pick(w.Writer, []string{"", "", " # note"}))
	for _, line := range lines {
		out.WriteString("\n")
		if line != "" {
			out.WriteString(indent(inner) + line)
		}
	}
	return out.String()
}

// numbers writes, for each float64, F: its bits, and the JSON for it.
func (g *generator) numbers() {
	emit := func(number float64) {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return
		}
		g.Line("F", math.Float64bits(number), cases.Text(cases.Must(json.Marshal(number))))
	}
	for _, number := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.99999e-7, 1e-7, 1e-10, 1e20, 1e21, 1e22,
		9.99999999999999e20, 123456789012345678901, 1 << 53, 1<<53 + 2, 1 << 63, 1 << 64, 5e-324, math.MaxFloat64, 1e100, 1.5e-100} {
		emit(number)
		emit(-number)
	}
	for range 500 {
		emit(math.Float64frombits(g.Random.Uint64()))
		emit(g.Random.NormFloat64() * math.Pow(10, float64(g.Random.IntN(50)-25)))
		emit(float64(g.Random.Uint64()) * float64(g.Random.IntN(1000)))
	}
}

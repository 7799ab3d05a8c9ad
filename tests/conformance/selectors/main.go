// Command selectors writes cases for selector_conformance_test.cc: selectors, and what upstream's
// own code makes of them. Fields are separated by tabs and each is hex-encoded, so that any byte
// can stand in a case; the first field names the kind of case.
//
//	set      (key value)*                                     a label or field set to match against
//	label    text verdict printed matches exact               labels.Parse
//	field    text verdict printed matches exact               fields.ParseSelector
//	message  nil|set nlabels (key value)* (key op n value*)* "end" verdict printed matches
//	rule     name text verdict                                naming rules
//
// verdict is "ok" or "error"; matches has a 0 or 1 for each set, in the order of the set lines;
// exact is, for each probe key, "-" or "=" and the value RequiresExactMatch gives, joined by NUL.
// The seed is fixed: the same cases come out of every run.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	labelCases   = 3000
	fieldCases   = 1500
	messageCases = 1500
	ruleCases    = 1000 // texts, each held to every rule
)

// probes are the keys that RequiresExactMatch is asked for; the test has the same list.
var probes = []string{"a", "app", "in", "metadata.name", "n", ""}

var sets = []map[string]string{
	{},
	{"a": ""},
	{"a": "b"},
	{"a": "x", "app": "web", "n": "6"},
	{"app": "web", "tier": "front", "n": "-3"},
	{"app": "db", "example.com/name": "Y_1.z", "n": "+12"},
	{"in": "notin", "notin": "in", "n": "0"},
	{"n": "9223372036854775807", "b": "5"},
	{"n": "9223372036854775808", "b": "007"},
	{"n": "six", "b": "", "x": "y"},
	{"metadata.name": "web-0", "status.phase": "Running", "a": "c,d=e\\f"},
	{"metadata.name": "", "spec.nodeName": "n1", "a": "\xff"},
	{"x": "1", "y": "2", "z": "3", "a": "\uFFFD", "é": "ü"},
}

type generator struct {
	*rand.Rand
	out *bufio.Writer
	// clean leaves out keys, values and blanks that no selector may have. One bad piece spoils the
	// whole text, so that without it there would be few selectors to print and match.
	clean bool
	// seen has the lines written so far; none is written twice.
	seen map[string]bool
}

func (g *generator) pick(options ...string) string { return options[g.Intn(len(options))] }

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

// line writes a case and says whether it was a new one.
func (g *generator) line(parts ...string) bool {
	encoded := make([]string, len(parts))
	for i, part := range parts {
		encoded[i] = hex.EncodeToString([]byte(part))
	}
	line := strings.Join(encoded, "\t")
	if g.seen[line] {
		return false
	}
	g.seen[line] = true
	g.out.WriteString(line + "\n")
	return true
}

// fill writes the fixed cases, then made ones until there are count.
func (g *generator) fill(count int, fixed []string, write func(string) bool, make func() string) {
	written := 0
	for _, text := range fixed {
		if write(text) {
			written++
		}
	}
	for written < count {
		g.clean = g.chance(55)
		if write(make()) {
			written++
		}
	}
}

func (g *generator) key() string {
	switch {
	case g.chance(70):
		return g.pick("a", "b", "n", "x", "y", "z", "app", "tier", "example.com/name", "in", "notin")
	case g.clean || g.chance(60):
		return g.pick("A", "0", "a.b", "a_b-c", "k8s.io/a", "metadata.name", "exists", "x.y-z/Q",
			strings.Repeat("k", 63), strings.Repeat("p", 253)+"/k", "Gt", "notIN", "iN")
	}
	return g.pick("", "-a", "a-", "a/", "/a", "a/b/c", "a//b", "Up.case/k", "a..b/k", "é", "名前",
		"a\u00a0b", "\u200ba", "a'b", "\"a\"", "a\\b", strings.Repeat("k", 64),
		strings.Repeat("p", 254)+"/k", "a:b", "a|b", "*", "\xff\xfe", "a@b", ".", "_", "-/-")
}

func (g *generator) value() string {
	switch {
	case g.chance(70):
		return g.pick("", "b", "x", "web", "db", "front", "5", "0", "6", "007", "Y_1.z", "in",
			"notin", "9223372036854775807", "v.1-2_3")
	case g.clean || g.chance(50):
		return strconv.Itoa(g.Intn(20))
	}
	return g.pick("-", "-3", "+5", "1e3", "0x10", "1_000", "9223372036854775808", "-9223372036854775808",
		"a/b", "é", "値", "\"x\"", "'x'", "a\u00a0", strings.Repeat("v", 63), strings.Repeat("v", 64),
		"\xff", "a:b", "{}", "a..b", "_a", "a_", "\u2003", "~", "x\x00y", "\x00")
}

func (g *generator) blank() string {
	if g.chance(75) {
		return ""
	}
	if g.clean {
		return g.pick(" ", "  ", "\t", "\n", "\r\n", " \t ")
	}
	return g.pick(" ", "\t", "\n", "\u00a0", "\v", "\x00", "\f")
}

func (g *generator) labelRequirement() string {
	b := g.blank
	set := func() string {
		values := make([]string, g.Intn(5))
		for i := range values {
			values[i] = b() + g.value() + b()
		}
		return b() + "(" + strings.Join(values, ",") + ")" + b()
	}
	switch g.Intn(9) {
	case 0:
		return b() + g.key() + b()
	case 1:
		return b() + "!" + b() + g.key() + b()
	case 2:
		return b() + g.key() + g.pick(" ", "\t", "\n ") + "in" + set()
	case 3:
		return b() + g.key() + g.pick(" ", "  ", "\r") + "notin" + set()
	case 4, 5:
		bound := g.value()
		if g.clean {
			bound = g.pick("0", "5", "007", "9223372036854775806", strconv.Itoa(g.Intn(20)))
		}
		return b() + g.pick("n", "b", g.key()) + b() + g.pick(">", "<") + b() + bound + b()
	}
	return b() + g.key() + b() + g.pick("=", "==", "!=") + b() + g.value() + b()
}

// labelText has at most twelve requirements: beyond that upstream's order of requirements with the
// same key depends on the insides of Go's sort.
func (g *generator) labelText() string {
	requirements := make([]string, 1+g.Intn(4))
	if g.chance(3) {
		requirements = make([]string, 5+g.Intn(8))
	}
	for i := range requirements {
		requirements[i] = g.labelRequirement()
	}
	text := strings.Join(requirements, ",")
	if !g.clean && g.chance(30) {
		text = g.damage(text, "=", "!", "(", ")", ",", ">", "<", " ", "in", "\x00", "a", "é", "\"")
	}
	return text
}

// damage deletes, doubles or inserts a few pieces anywhere, in the middle of characters too.
func (g *generator) damage(text string, pieces ...string) string {
	for n := 1 + g.Intn(3); n > 0; n-- {
		at := g.Intn(len(text) + 1)
		switch g.Intn(3) {
		case 0:
			text = text[:at] + g.pick(pieces...) + text[at:]
		case 1:
			if at < len(text) {
				text = text[:at] + text[at+1:]
			}
		case 2:
			if at < len(text) {
				text = text[:at] + text[at:at+1] + text[at:]
			}
		}
	}
	return text
}

func (g *generator) tokenSoup(pieces ...string) string {
	var text strings.Builder
	for n := g.Intn(8); n > 0; n-- {
		text.WriteString(g.pick(pieces...))
	}
	return text.String()
}

func matches(match func(map[string]string) bool) string {
	var bits strings.Builder
	for _, set := range sets {
		if match(set) {
			bits.WriteByte('1')
		} else {
			bits.WriteByte('0')
		}
	}
	return bits.String()
}

func exact(probe func(string) (string, bool)) string {
	answers := make([]string, len(probes))
	for i, key := range probes {
		answers[i] = "-"
		if value, found := probe(key); found {
			answers[i] = "=" + value
		}
	}
	return strings.Join(answers, "\x00")
}

func (g *generator) labelLine(text string) bool {
	selector, err := labels.Parse(text)
	if err != nil {
		return g.line("label", text, "error", "", "", "")
	}
	return g.line("label", text, "ok", selector.String(),
		matches(func(set map[string]string) bool { return selector.Matches(labels.Set(set)) }),
		exact(selector.RequiresExactMatch))
}

func (g *generator) labels() {
	fixed := []string{
		"", " ", ",", "a", "!a", "!", "!!a", "a,", ",a", "a,,b", "a=b", "a==b", "a===b", "a!=b",
		"a!==b", "a=!b", "a = b", "a= =b", "a=", "a==", "a!=", "a>", "a<", "a>5", "a<-5", "a>=5",
		"a in", "a in (", "a in ()", "a in (,)", "a in (,,)", "a in (b", "a in (b,", "a in (b,)",
		"a in (,b)", "a in (b,,c)", "a in (b c)", "a in b", "a in ((b))", "a in (b))", "a in (b)c",
		"a notin ()", "a notin(b)", "a in(b)", "ain(b)", "in", "notin", "in in (in)", "!in",
		"in=notin", "notin notin (notin,in)", "in notin", "!a=b", "!a in (b)", "!a,b", "a b", "a!",
		"a!b", "a(b)", "(a)", "()", ")", "a=(b)", "a=b)", "a=b c=d", "a=b;c=d", "a=b&c=d",
		"a\x00", "a\x00=b", "\x00a", "a=\x00b", "a=b\x00,", "a=b \x00,", "a\x00b", "a\x00,b", "a=b\x00,c",
		"a in (\x00b)", "a in (b\x00,c\x00)", "=\x00=", "a=\x00=b", "a!\x00=b", "!\x00a", "a,\x00b",
		"'a'=b", "\"a\"=\"b\"", "a=\"b\"", "é=ü", "a=é", "a\u00a0=b", "\ufeffa=b", "a\u3000in\u3000(b)",
		"a=1,a=2,a!=3,a,!a,a in (4),a notin (5),a>6,a<7", "n>05", "n<9223372036854775807",
		"n>9223372036854775808", "n>-1", "n>+1", "n>1.0", "a>b", "a=b,", "a=b, ", "a=b,\n",
	}
	g.fill(labelCases, fixed, g.labelLine, func() string {
		if !g.clean && g.chance(30) {
			return g.tokenSoup("a", "b", "in", "notin", "=", "==", "!=", "!", ",", "(", ")", " ",
				">", "<", "5", "\t", "\x00", "é", "x.y/z", "-", "app")
		}
		return g.labelText()
	})
}

func (g *generator) fieldLine(text string) bool {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return g.line("field", text, "error", "", "", "")
	}
	return g.line("field", text, "ok", selector.String(),
		matches(func(set map[string]string) bool { return selector.Matches(fields.Set(set)) }),
		exact(selector.RequiresExactMatch))
}

func (g *generator) fields() {
	soup := []string{"a", "metadata.name", "status.phase", "=", "=", "==", "!=", "!", ",", ",", "\\",
		"\\,", "\\=", "\\\\", " ", "b", "Running", "é", "\xff", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\xe2\x82", "\xc0\x80", "😀", "\x00", "\\n", "web-0", "", "'"}
	fixed := []string{
		"", ",", "=", "==", "!=", "a", "a=", "a==", "a!=", "=b", "!=b", "a=b", "a==b", "a!=b", "a!b=c",
		"a===b", "a!==b", "a=b=c", "a=b\\=c", "a=b\\,c", "a=b\\\\", "a=b\\", "a=\\n", "a\\,b=c",
		"a\\=b", ",a=b,,c=d,", "c=d,a=b", "a=3,a==2,a!=1", "a=c\\,d\\=e\\\\f", "a=\xff", "a=\\,\xff",
		"a=\\\xff", "a = b", " a=b", "a=b ", "metadata.name=", "metadata.name!=", "=,=,a=b", "a=\x00",
		"a=\\é", "a=é", "a=\\,é", "é=ü", "a=\\,\xed\xa0\x80", "a=\\,\xf0\x9f\x98", "!=,!=", "!a=b",
	}
	g.fill(fieldCases, fixed, g.fieldLine, func() string {
		if g.chance(50) {
			return g.tokenSoup(soup...)
		}
		terms := make([]string, 1+g.Intn(4))
		for j := range terms {
			terms[j] = g.pick("a", "metadata.name", "status.phase", "spec.nodeName", "x", "é", "") +
				g.pick("=", "==", "!=") + fields.EscapeValue(g.pick(soup...)+g.pick(soup...))
		}
		text := strings.Join(terms, ",")
		if g.chance(25) {
			text = g.damage(text, soup...)
		}
		return text
	})
}

func (g *generator) messages() {
	written := 0
	count := func(isNew bool) {
		if isNew {
			written++
		}
	}
	for written < messageCases {
		g.clean = g.chance(55)
		var message *metav1.LabelSelector
		if written > 0 {
			message = &metav1.LabelSelector{}
		}
		parts := []string{"message", "nil", "0"}
		if written > 1 {
			message.MatchLabels = map[string]string{}
			for n := g.Intn(4); n > 0; n-- {
				message.MatchLabels[g.key()] = g.value()
			}
			for n := g.Intn(4); n > 0; n-- {
				expression := metav1.LabelSelectorRequirement{
					Key:      g.key(),
					Operator: metav1.LabelSelectorOperator(g.pick("In", "NotIn", "Exists", "DoesNotExist")),
				}
				takesValues := expression.Operator == "In" || expression.Operator == "NotIn"
				if takesValues != (!g.clean && g.chance(15)) {
					for m := 1 + g.Intn(12); m > 0; m-- {
						expression.Values = append(expression.Values, g.pick("x", "b", "web", "", g.value()))
					}
				}
				if !g.clean && g.chance(20) {
					expression.Operator = metav1.LabelSelectorOperator(
						g.pick("", "in", "Gt", "Lt", "=", "!", "Equals", "notin", "IN", "In "))
				}
				message.MatchExpressions = append(message.MatchExpressions, expression)
			}
		}
		if message != nil {
			parts = []string{"message", "set", strconv.Itoa(len(message.MatchLabels))}
			parts = append(parts, flatten(message.MatchLabels)...)
			for _, expression := range message.MatchExpressions {
				parts = append(parts, expression.Key, string(expression.Operator), strconv.Itoa(len(expression.Values)))
				parts = append(parts, expression.Values...)
			}
		}
		parts = append(parts, "end")
		selector, err := metav1.LabelSelectorAsSelector(message)
		if err != nil {
			count(g.line(append(parts, "error", "", "")...))
			continue
		}
		count(g.line(append(parts, "ok", selector.String(),
			matches(func(set map[string]string) bool { return selector.Matches(labels.Set(set)) }))...))
	}
}

func (g *generator) rules() {
	rules := []struct {
		name  string
		check func(string) []string
	}{
		{"qualified name", validation.IsQualifiedName},
		{"label value", validation.IsValidLabelValue},
		{"dns label", validation.IsDNS1123Label},
		{"dns subdomain", validation.IsDNS1123Subdomain},
	}
	check := func(text string) bool {
		isNew := false
		for _, rule := range rules {
			verdict := "ok"
			if len(rule.check(text)) > 0 {
				verdict = "error"
			}
			isNew = g.line("rule", rule.name, text, verdict) || isNew
		}
		return isNew
	}
	g.fill(ruleCases, []string{"", ".", "/"}, check, func() string {
		switch g.Intn(4) {
		case 0:
			return g.key()
		case 1:
			return strings.Repeat(g.pick("q", "s."), g.Intn(256)) + g.pick("", "t")
		}
		return g.tokenSoup("a", "b9", "Z", "0", "-", "_", ".", "/", "é", " ", "a.b", "x-y", "\n", "\x00",
			strings.Repeat("q", g.Intn(64)), strings.Repeat("s.", g.Intn(127)), "a", "b", "c")
	})
}

func flatten(set map[string]string) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	var flat []string
	for _, key := range keys {
		flat = append(flat, key, set[key])
	}
	return flat
}

func main() {
	g := &generator{
		Rand: rand.New(rand.NewSource(1)),
		out:  bufio.NewWriter(os.Stdout),
		seen: map[string]bool{},
	}
	for _, set := range sets {
		g.line(append([]string{"set"}, flatten(set)...)...)
	}
	g.labels()
	g.fields()
	g.messages()
	g.rules()
	if err := g.out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "selectors:", err)
		os.Exit(1)
	}
}

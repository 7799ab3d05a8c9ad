// Command codec holds our codecs against Kubernetes' own.
//
// Without arguments it writes cases, one per line, for codec_conformance_test: the examples that
// the published modules carry, sparse objects made up by reflection, YAML documents and numbers,
// each with what upstream makes of it. With `verify <cases> <outputs>...` it reads what that test
// wrote in turn, with upstream's decoders, and fails where an object is not the one it was.
//
// A line is tab-separated: a letter for the kind of case, then its fields. Texts are in
// hexadecimal, so that no quoting is needed; "-" is the empty text. The cases are the same in
// every run.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

type generator struct {
	out    *bufio.Writer
	random *rand.Rand
	known  *known
}

// text is a field of arbitrary bytes.
type text string

func (t text) String() string {
	if t == "" {
		return "-"
	}
	return hex.EncodeToString([]byte(t))
}

func (g *generator) line(kind string, fields ...any) {
	var line strings.Builder
	line.WriteString(kind)
	for _, field := range fields {
		line.WriteByte('\t')
		fmt.Fprint(&line, field)
	}
	fmt.Fprintln(g.out, line.String())
}

func pick[T any](g *generator, choices []T) T {
	return choices[g.random.IntN(len(choices))]
}

func (g *generator) chance(probability float64) bool {
	return g.random.Float64() < probability
}

func main() {
	known := newKnown()
	if len(os.Args) > 1 {
		if os.Args[1] != "verify" || len(os.Args) < 4 {
			fatal("usage: codec [verify <cases> <outputs>...]")
		}
		verify(known, os.Args[2], os.Args[3:])
		return
	}
	g := &generator{
		out:    bufio.NewWriter(os.Stdout),
		random: rand.New(rand.NewPCG(1, 37)),
		known:  known,
	}
	g.examples()
	g.objects()
	g.documents()
	g.numbers()
	if err := g.out.Flush(); err != nil {
		fatal("%v", err)
	}
}

func fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "codec: "+format+"\n", args...)
	os.Exit(1)
}

// Command leaf writes, one per line, what Kubernetes itself makes of awkward quantities, times and
// the like, for leaf_conformance_test to hold our own types against.
//
// A line is tab-separated: a letter for the kind of case, what goes in, what comes out. Texts are
// in hexadecimal, so that no quoting is needed; "-" is the empty text. The cases are the same in
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
}

func (g *generator) line(kind string, fields ...any) {
	var line strings.Builder
	line.WriteString(kind)
	for _, field := range fields {
		line.WriteByte('\t')
		switch value := field.(type) {
		case text:
			line.WriteString(value.String())
		case bool:
			if value {
				line.WriteByte('1')
			} else {
				line.WriteByte('0')
			}
		default:
			fmt.Fprint(&line, value)
		}
	}
	fmt.Fprintln(g.out, line.String())
}

// text is a field of arbitrary bytes.
type text string

func (t text) String() string {
	if t == "" {
		return "-"
	}
	return hex.EncodeToString([]byte(t))
}

func pick[T any](g *generator, choices []T) T {
	return choices[g.random.IntN(len(choices))]
}

// mutate puts, drops or changes a byte or two.
func (g *generator) mutate(s string, alphabet string) string {
	for range 1 + g.random.IntN(2) {
		at := g.random.IntN(len(s) + 1)
		c := string(alphabet[g.random.IntN(len(alphabet))])
		switch g.random.IntN(3) {
		case 0:
			s = s[:at] + c + s[at:]
		case 1:
			if at < len(s) {
				s = s[:at] + s[at+1:]
			}
		default:
			if at < len(s) {
				s = s[:at] + c + s[at+1:]
			}
		}
	}
	return s
}

// number is an int64 with a taste for the limits and for round values.
func (g *generator) number() int64 {
	switch g.random.IntN(5) {
	case 0:
		return pick(g, []int64{0, 1, -1, 7, 8, 10, 999, 1000, 1023, 1024, -1024, 1 << 20, 1 << 60,
			999999999999999999, 1000000000000000000, 9223372036854775, 9223372036854776,
			1<<63 - 1, -1 << 63, -1<<63 + 1, 922337203685477580, 922337203685477581})
	case 1:
		return int64(g.random.Uint64())
	case 2:
		return int64(g.random.Uint64()) >> g.random.IntN(63)
	case 3:
		return (int64(g.random.IntN(2000)) - 1000) << g.random.IntN(50)
	default:
		n := int64(g.random.IntN(2000)) - 1000
		for range g.random.IntN(16) {
			n *= 10
		}
		return n
	}
}

func main() {
	g := &generator{out: bufio.NewWriter(os.Stdout), random: rand.New(rand.NewPCG(1, 37))}
	g.quantities()
	g.intOrStrings()
	g.times()
	g.durations()
	g.bytes()
	if err := g.out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

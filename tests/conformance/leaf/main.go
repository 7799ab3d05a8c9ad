// Command leaf writes, one per line, what Kubernetes itself makes of awkward quantities, times and
// the like, for leaf_conformance_test to hold our own types against.
package main

import "flyball.example/conformance/cases"

type generator struct {
	*cases.Writer
}

// mutate puts, drops or changes a byte or two.
func (g *generator) mutate(s string, alphabet string) string {
	for range 1 + g.Random.IntN(2) {
		at := g.Random.IntN(len(s) + 1)
		c := string(alphabet[g.Random.IntN(len(alphabet))])
		switch g.Random.IntN(3) {
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
	switch g.Random.IntN(5) {
	case 0:
		return cases.Pick(g.Writer, []int64{0, 1, -1, 7, 8, 10, 999, 1000, 1023, 1024, -1024, 1 << 20, 1 << 60,
			999999999999999999, 1000000000000000000, 9223372036854775, 9223372036854776,
			1<<63 - 1, -1 << 63, -1<<63 + 1, 922337203685477580, 922337203685477581})
	case 1:
		return int64(g.Random.Uint64())
	case 2:
		return int64(g.Random.Uint64()) >> g.Random.IntN(63)
	case 3:
		return (int64(g.Random.IntN(2000)) - 1000) << g.Random.IntN(50)
	default:
		n := int64(g.Random.IntN(2000)) - 1000
		for range g.Random.IntN(16) {
			n *= 10
		}
		return n
	}
}

func main() {
	g := &generator{cases.NewWriter()}
	g.quantities()
	g.intOrStrings()
	g.times()
	g.durations()
	g.bytes()
	g.Close()
}

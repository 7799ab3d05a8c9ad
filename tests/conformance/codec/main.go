// Command codec holds our codecs against Kubernetes' own.
//
// Without arguments it writes cases, one per line, for codec_conformance_test: the examples that
// the published modules carry, sparse objects made up by reflection, YAML documents and numbers,
// each with what upstream makes of it. With `verify <cases> <outputs>...` it reads what that test
// wrote in turn, with upstream's decoders, and fails where an object is not the one it was.
package main

import (
	"os"

	"flyball.example/conformance/cases"
)

type generator struct {
	*cases.Writer
	known *cases.Known
}

func main() {
	known := cases.NewKnown()
	if len(os.Args) > 1 {
		if os.Args[1] != "verify" || len(os.Args) < 4 {
			cases.Fatal("usage: codec [verify <cases> <outputs>...]")
		}
		verify(known, os.Args[2], os.Args[3:])
		return
	}
	g := &generator{Writer: cases.NewWriter(), known: known}
	g.examples()
	g.objects()
	g.documents()
	g.numbers()
	g.Close()
}

// Command identity writes what upstream's controllers tell objects apart by: the hashes of pod
// templates, the revisions of DaemonSets and StatefulSets, semantic equality, and the names made of
// them.
package main

import (
	"os"
	"time"

	"flyball.example/conformance/cases"
)

type generator struct {
	*cases.Writer
}

func main() {
	// The hash of a template with a moment in it prints the time zone, once something asked for it.
	if err := os.Setenv("TZ", "UTC"); err != nil {
		cases.Fatal("%v", err)
	}
	_ = time.Now().String()

	g := &generator{cases.NewWriter()}
	g.templates()
	g.revisions()
	g.equalities()
	g.names()
	g.restored()
	g.Close()
}

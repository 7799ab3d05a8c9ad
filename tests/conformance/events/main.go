// Command events writes what client-go makes of events: what its correlator decides for sequences of
// them, and how its recorder fills them in. The letters of the lines:
//
//	S  a sequence begins: the correlator's memory, number, interval in seconds, burst, seconds a token
//	E  an event: the time, the event; whether its reason was known, whether it is dropped, what the
//	   event becomes, the patch (not known of what is dropped)
//	U  what the server made of one
//	R  an object and what is recorded about it: kind, object, type, reason, message, annotations,
//	   component, host, time; the event. The name is left out where upstream draws it by lot.
//	N  an object's name and a time; the event's name, empty where it is drawn by lot
//	P  an event with a series; the patch
package main

import (
	"flyball.example/conformance/cases"
)

type generator struct {
	*cases.Writer
}

func main() {
	g := &generator{cases.NewWriter()}
	g.sequences()
	g.records()
	g.names()
	g.series()
	g.Close()
}

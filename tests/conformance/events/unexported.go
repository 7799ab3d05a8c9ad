package main

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	_ "k8s.io/client-go/tools/events"
)

// What upstream does not export and yet is the only authority on.

//go:linkname spamKey k8s.io/client-go/tools/record.getSpamKey
func spamKey(*v1.Event) string

//go:linkname seriesPatch k8s.io/client-go/tools/events.createPatchBytesForSeries
func seriesPatch(*eventsv1.Event) ([]byte, error)

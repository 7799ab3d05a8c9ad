package main

import (
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/dump"
)

// identity measures what controllers do to tell one template from another.
func identity(file string) {
	data := read(file)
	var one, other corev1.PodTemplateSpec
	check(one.Unmarshal(data))
	check(other.Unmarshal(data))

	fmt.Printf("hash %s\n", templateHash(&one))
	fmt.Printf("text_bytes %d\n", len(dump.ForHash(one)))
	measure("hash_ns", 2000, func() bool { return templateHash(&one) != "" })
	measure("equality_ns", 20000, func() bool { return equality.Semantic.DeepEqual(&one, &other) })
}

// templateHash is what the Deployment controller calls, without importing all controllers.
func templateHash(template *corev1.PodTemplateSpec) string {
	hasher := fnv.New32a()
	fmt.Fprintf(hasher, "%v", dump.ForHash(*template))
	return rand.SafeEncodeString(fmt.Sprint(hasher.Sum32()))
}

// measure prints the CPU time of one call, in the best of some rounds.
func measure(name string, calls int, call func() bool) {
	best := int64(1 << 62)
	for range 5 {
		start := cpuTime()
		for range calls {
			if !call() {
				panic(name)
			}
		}
		best = min(best, int64(cpuTime()-start))
	}
	fmt.Printf("%s %.1f\n", name, float64(best)/float64(calls))
}

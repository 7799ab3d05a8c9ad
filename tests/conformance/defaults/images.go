package main

import (
	"flyball.example/conformance/cases"
	"k8s.io/kubernetes/pkg/util/parsers"
)

const imageCount = 5000

// images writes names as image() makes them, half of them with a character changed, each with its
// tag, which is empty where there is an error too.
func (g *generator) images() {
	const characters = "aZ0.-_:/@[]% \n\x00\xff"
	for range imageCount {
		name := []byte(g.image())
		if len(name) > 0 && g.Chance(0.5) {
			name[g.Random.IntN(len(name))] = characters[g.Random.IntN(len(characters))]
		}
		_, tag, _, _ := parsers.ParseImageName(string(name))
		g.Line("I", cases.Text(name), cases.Text(tag))
	}
}

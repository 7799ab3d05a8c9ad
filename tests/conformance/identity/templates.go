package main

import (
	"flyball.example/conformance/cases"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/history"
	"k8s.io/utils/lru"
)

const (
	templateCount = 5000
	revisionCount = 2000
	restoredCount = 600
)

// template makes one up, from empty to nearly full, and returns it with its wire form. It is as a
// controller has it, freshly read: encoding one changes what its quantities print.
func (g *generator) template() (*corev1.PodTemplateSpec, cases.Text) {
	f := &cases.Filler{Writer: g.Writer, Budget: 10 << g.Random.IntN(6)}
	f.Density = cases.Pick(g.Writer, []float64{0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1})
	made := &corev1.PodTemplateSpec{}
	f.Fill(made)
	if g.Chance(0.5) {
		made.Spec.Containers = make([]corev1.Container, 1+g.Random.IntN(3))
		for i := range made.Spec.Containers {
			f.Budget += 20
			f.Fill(&made.Spec.Containers[i])
		}
	}
	wire := cases.Wire(cases.Canonical(made))
	read := &corev1.PodTemplateSpec{}
	if err := read.Unmarshal([]byte(wire)); err != nil {
		cases.Fatal("%v", err)
	}
	cases.DropEmpty(read)
	return read, wire
}

// collisions is a count, or none.
func (g *generator) collisions() (*int32, any) {
	if g.Chance(0.4) {
		return nil, "none"
	}
	count := cases.Pick(g.Writer, []int32{0, 1, 2, 255, 256, 65536, 1<<31 - 1, -1, -1 << 31, g.Random.Int32()})
	return &count, count
}

// templates writes T: wire form, count of collisions, hash.
func (g *generator) templates() {
	for range templateCount {
		template, wire := g.template()
		count, field := g.collisions()
		g.Line("T", wire, field, controller.ComputeHash(template, count))
	}
}

// revisions writes R: wire form, count of collisions, a DaemonSet's patch, a StatefulSet's patch
// and its hash.
func (g *generator) revisions() {
	for range revisionCount {
		template, wire := g.template()
		count, field := g.collisions()
		daemons := cases.Must(daemonSetPatch(&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: *template}}))
		replicas := cases.Must(statefulSetPatch(&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: *template}}))
		revision := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: replicas}}
		g.Line("R", wire, field, cases.Text(daemons), cases.Text(replicas), history.HashControllerRevision(revision, count))
	}
}

// restored writes V: the wire form of a StatefulSet's template, the data of an older revision, and
// whether the two are the same once that is put back and given its defaults.
func (g *generator) restored() {
	for range restoredCount {
		template, _ := g.template()
		older := template.DeepCopy()
		set := &appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: *template}}
		if g.Chance(0.8) {
			legacyscheme.Scheme.Default(set)
		}
		if g.Chance(0.2) {
			set.Spec.Template.Spec.Hostname = "another"
		}
		if g.Chance(0.1) {
			older, _ = g.template()
		}
		wire := cases.Wire(cases.Canonical(set.Spec.Template.DeepCopy()))
		read := &appsv1.StatefulSet{}
		if err := read.Spec.Template.Unmarshal([]byte(wire)); err != nil {
			cases.Fatal("%v", err)
		}
		cases.DropEmpty(read)
		data := cases.Must(statefulSetPatch(&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: *older}}))
		latest := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: data}}
		proposed := &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: cases.Must(statefulSetPatch(read))}}
		g.Line("V", wire, cases.Text(data), matchesRevision(read, proposed, latest, lru.New(1)))
	}
}

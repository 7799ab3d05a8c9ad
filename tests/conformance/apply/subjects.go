package main

import (
	"encoding/json"
	"reflect"

	"flyball.example/conformance/cases"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// subject is what a sequence of writes goes to.
type subject struct {
	apiVersion, kind string
	subresource      string
	definition       string // a custom kind's schema; empty: built in; "deduced"
	preserve         bool   // a custom kind's preserveUnknownFields
	reset            []string
	manager          *managedfields.FieldManager
	make             func() map[string]any // a made-up object
	object           func(map[string]any) runtime.Object
}

type kind struct {
	apiVersion, name string
	make             func() any
}

var kinds = []kind{
	{"v1", "Pod", func() any { return &corev1.Pod{} }},
	{"apps/v1", "Deployment", func() any { return &appsv1.Deployment{} }},
	{"v1", "Service", func() any { return &corev1.Service{} }},
	{"v1", "ConfigMap", func() any { return &corev1.ConfigMap{} }},
	{"v1", "Node", func() any { return &corev1.Node{} }},
	{"v1", "PersistentVolumeClaim", func() any { return &corev1.PersistentVolumeClaim{} }},
	{"batch/v1", "Job", func() any { return &batchv1.Job{} }},
	{"discovery.k8s.io/v1", "EndpointSlice", func() any { return &discoveryv1.EndpointSlice{} }},
	{"v1", "ServiceAccount", func() any { return &corev1.ServiceAccount{} }},
}

// resetSet excludes dotted paths of fields.
func resetSet(paths []string) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, path := range paths {
		set.Insert(dotted(path))
	}
	return set
}

func resetFilters(apiVersion string, paths []string) map[fieldpath.APIVersion]fieldpath.Filter {
	if len(paths) == 0 {
		return nil
	}
	return fieldpath.NewExcludeFilterSetMap(map[fieldpath.APIVersion]*fieldpath.Set{
		fieldpath.APIVersion(apiVersion): resetSet(paths)})
}

func (g *generator) builtIn(types managedfields.TypeConverter, k kind, status bool) *subject {
	s := &subject{apiVersion: k.apiVersion, kind: k.name, reset: []string{"status"}}
	if status {
		s.subresource, s.reset = "status", []string{"spec", "metadata.labels"}
	}
	gvk := schema.FromAPIVersionAndKind(k.apiVersion, k.name)
	converter := runtime.UnsafeObjectConvertor(scheme.Scheme)
	s.manager = cases.Must(managedfields.NewDefaultFieldManager(types, converter, scheme.Scheme, scheme.Scheme, gvk,
		gvk.GroupVersion(), s.subresource, resetFilters(k.apiVersion, s.reset)))
	s.make = func() map[string]any { return g.document(k) }
	s.object = func(tree map[string]any) runtime.Object {
		object := reflect.New(reflect.TypeOf(k.make()).Elem()).Interface()
		if err := json.Unmarshal(print(tree), object); err != nil {
			cases.Fatal("%s: %v", print(tree), err)
		}
		typed := object.(runtime.Object)
		typed.GetObjectKind().SetGroupVersionKind(gvk)
		return typed
	}
	return s
}

// plain leaves objects of custom kinds as they are: there is one version of them, and no other.
type plain struct{ gvk schema.GroupVersionKind }

func (plain) Convert(in, out, context any) error { return nil }
func (p plain) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	if target != p.gvk.GroupVersion() {
		return nil, runtime.NewNotRegisteredGVKErrForTarget("custom", p.gvk, target)
	}
	return in, nil
}
func (plain) ConvertFieldLabel(_ schema.GroupVersionKind, l, v string) (string, string, error) {
	return l, v, nil
}
func (plain) Default(runtime.Object) {}
func (plain) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	return object, nil
}

func (g *generator) unstructured(s *subject, types managedfields.TypeConverter) *subject {
	gvk := schema.FromAPIVersionAndKind(s.apiVersion, s.kind)
	p := plain{gvk}
	s.manager = cases.Must(managedfields.NewDefaultCRDFieldManager(types, p, p, p, gvk, gvk.GroupVersion(), s.subresource,
		resetFilters(s.apiVersion, s.reset)))
	s.object = func(tree map[string]any) runtime.Object { return &unstructured.Unstructured{Object: clone(tree)} }
	return s
}

func (g *generator) deduced() *subject {
	s := &subject{apiVersion: "example.com/v1", kind: "Free", definition: "deduced", reset: []string{"status"}}
	s.make = func() map[string]any {
		tree := map[string]any{"apiVersion": s.apiVersion, "kind": s.kind, "metadata": g.metadata()}
		for _, name := range []string{"spec", "status", "data"} {
			if g.Chance(0.7) {
				tree[name] = g.free(0)
			}
		}
		return tree
	}
	return g.unstructured(s, managedfields.NewDeducedTypeConverter())
}

func (g *generator) custom(i int) *subject {
	d := definitions[i]
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(d.schema), &props); err != nil {
		cases.Fatal("%v", err)
	}
	s := &subject{apiVersion: "example.com/v1", kind: "Widget", definition: d.schema, reset: d.reset}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.com"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"}
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &props}}}
	own := cases.Must(builder.BuildOpenAPIV3(crd, "v1", builder.Options{}))
	static := &spec3.OpenAPI{Version: "3.0.0", Info: &spec.Info{}, Components: &spec3.Components{Schemas: builtInSpec()}}
	merged := cases.Must(builder.MergeSpecsV3(static, own))
	types := cases.Must(managedfields.NewTypeConverter(merged.Components.Schemas, s.preserve))
	s.make = func() map[string]any {
		tree := g.ofSchema(&props, 0).(map[string]any)
		tree["apiVersion"], tree["kind"], tree["metadata"] = s.apiVersion, s.kind, g.metadata()
		return tree
	}
	return g.unstructured(s, types)
}

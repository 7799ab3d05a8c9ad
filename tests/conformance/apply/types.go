package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	generated "k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// builtInSpec is what kube-apiserver makes its type converter of.
func builtInSpec() map[string]*spec.Schema {
	namer := openapi.NewDefinitionNamer(scheme.Scheme)
	config := &common.OpenAPIV3Config{
		Info:              &spec.Info{},
		GetDefinitions:    generated.GetOpenAPIDefinitions,
		GetDefinitionName: namer.GetDefinitionName,
	}
	var names []string
	for name := range generated.GetOpenAPIDefinitions(func(string) spec.Ref { return spec.Ref{} }) {
		// Not the configuration files of components, which refer to what is not here.
		if _, extensions := namer.GetDefinitionName(name); extensions != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return cases.Must(builder3.BuildOpenAPIDefinitionsForResources(config, names...))
}

func builtInTypes() managedfields.TypeConverter {
	return cases.Must(managedfields.NewTypeConverter(builtInSpec(), false))
}

// schemas writes, for every kind that client-go knows and that has metadata:
//
//	T apiVersion kind schema
func (g *generator) schemas(converter managedfields.TypeConverter) {
	var kinds []runtimeschema.GroupVersionKind
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if _, isObject := goType.FieldByName("ObjectMeta"); isObject && gvk.Version != runtime.APIVersionInternal {
			kinds = append(kinds, gvk)
		}
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })
	for _, gvk := range kinds {
		object := cases.Must(scheme.Scheme.New(gvk))
		object.GetObjectKind().SetGroupVersionKind(gvk)
		typed, err := converter.ObjectToTyped(object)
		if err != nil {
			continue // no longer served
		}
		p := printer{schema: typed.Schema()}
		p.ref(typed.TypeRef())
		g.Line("T", gvk.GroupVersion().String(), gvk.Kind, cases.Text(p.out.String()))
	}
}

// printer writes a type down in full: `s` and the letter of a scalar, `[]` a list, `{}` a map. A type
// inside of itself is `^`.
type printer struct {
	schema *schema.Schema
	out    strings.Builder
	inside []string
}

func (p *printer) ref(ref schema.TypeRef) {
	if ref == (schema.TypeRef{}) {
		p.out.WriteByte('-')
		return
	}
	if ref.NamedType != nil {
		name := *ref.NamedType
		switch name {
		case "__untyped_atomic_":
			p.out.WriteByte('A')
			return
		case "__untyped_deduced_":
			p.out.WriteByte('D')
			return
		}
		if slices.Contains(p.inside, name) {
			p.out.WriteByte('^')
			return
		}
		p.inside = append(p.inside, name)
		defer func() { p.inside = p.inside[:len(p.inside)-1] }()
	}
	atom, ok := p.schema.Resolve(ref)
	if !ok {
		cases.Fatal("no type for %v", ref)
	}
	p.atom(atom)
}

func (p *printer) atom(atom schema.Atom) {
	if atom.Scalar != nil && atom.List != nil && atom.Map != nil && len(atom.Map.Fields) == 0 {
		// Without a type: the same as what is deduced, or, for raw extensions, what is not.
		p.out.WriteByte("DA"[strings.Count(string(atom.Map.ElementRelationship), "atomic")])
		return
	}
	if atom.Scalar != nil {
		p.out.WriteString("s" + string(*atom.Scalar)[:1])
	}
	if atom.List != nil {
		p.list(atom.List)
	}
	if atom.Map != nil {
		p.mapping(atom.Map)
	}
}

func (p *printer) list(list *schema.List) {
	p.out.WriteByte('[')
	if list.ElementRelationship == schema.Associative {
		p.out.WriteByte('!')
		element, _ := p.schema.Resolve(list.ElementType)
		for _, key := range list.Keys {
			field, _ := element.Map.FindField(key)
			fmt.Fprintf(&p.out, "%s=%v,", key, field.Default)
		}
	}
	p.ref(list.ElementType)
	p.out.WriteByte(']')
}

func (p *printer) mapping(mapping *schema.Map) {
	p.out.WriteByte('{')
	if mapping.ElementRelationship == schema.Atomic {
		p.out.WriteByte('!')
	}
	fields := slices.Clone(mapping.Fields)
	slices.SortFunc(fields, func(a, b schema.StructField) int { return strings.Compare(a.Name, b.Name) })
	for _, field := range fields {
		p.out.WriteString(field.Name + ":")
		p.ref(field.Type)
		p.out.WriteByte(',')
	}
	p.out.WriteByte('*')
	p.ref(mapping.ElementType)
	p.out.WriteByte('}')
}

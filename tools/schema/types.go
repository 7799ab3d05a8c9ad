package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// A goPackage becomes one schema file.
type goPackage struct {
	name      string // "core/v1"
	group     string // "" for the core group
	version   string
	kinds     map[string]bool
	structs   map[string]*goStruct
	named     map[string]string // PullPolicy -> string, ResourceList -> map[ResourceName]resource.Quantity
	resources []string
}

type goStruct struct {
	fields  []string
	atomic  bool // x-kubernetes-map-type: atomic
	noProto bool
}

// Types whose codecs are written by hand in flyball/api; the schema only names them.
var leaves = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "Quantity",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "IntOrString",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "Time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "MicroTime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 "Duration",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "RawExtension",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "FieldsV1",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
}

// Structs that choose one of their fields by the form of the JSON value. The words after `union`
// say which form each field takes, in declaration order.
var unions = map[string][]string{
	"JSONSchemaPropsOrArray":       {"object", "array"},
	"JSONSchemaPropsOrBool":        {"bool", "object"},
	"JSONSchemaPropsOrStringArray": {"object", "array"},
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	protoMarshaler  = reflect.TypeFor[interface{ Marshal() ([]byte, error) }]()
	packagePrefixes = regexp.MustCompile(`^k8s\.io/(api|apimachinery/pkg/apis|apimachinery/pkg|apiextensions-apiserver/pkg/apis|kube-aggregator/pkg/apis|metrics/pkg/apis)/`)
	protoNumber     = regexp.MustCompile(`^(?:bytes|varint|fixed64),(\d+)`)
	protoName       = regexp.MustCompile(`name=(\w+)`)
)

func packageName(path string) string {
	short := packagePrefixes.ReplaceAllString(path, "")
	if short == path {
		fatal("package %s has no short name", path)
	}
	return short
}

type collector struct {
	packages map[string]*goPackage
	openAPI  map[string]openAPIType
	seen     map[reflect.Type]bool
}

func collect(scheme *runtime.Scheme, openAPI map[string]openAPIType) map[string]*goPackage {
	c := &collector{map[string]*goPackage{}, openAPI, map[reflect.Type]bool{}}
	for gvk, t := range scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			continue
		}
		name := packageName(t.PkgPath())
		p := c.pkg(name)
		// meta/v1 is registered with every group; its own group is meta.k8s.io.
		if name == "meta/v1" {
			p.group, p.version = "meta.k8s.io", "v1"
		} else {
			p.group, p.version = gvk.Group, gvk.Version
		}
		if gvk.Kind != t.Name() && gvk.Kind != "WatchEvent" {
			fatal("kind %s has Go name %s", gvk, t.Name())
		}
		p.kinds[t.Name()] = true
		c.visit(t)
	}
	return c.packages
}

func (c *collector) pkg(name string) *goPackage {
	p := c.packages[name]
	if p == nil {
		p = &goPackage{name: name, kinds: map[string]bool{}, structs: map[string]*goStruct{}, named: map[string]string{}}
		c.packages[name] = p
	}
	return p
}

// visit records a named type and everything it refers to.
func (c *collector) visit(t reflect.Type) {
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	if t.Name() == "" || t.PkgPath() == "" {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			c.visit(t.Elem())
		case reflect.Map:
			c.visit(t.Key())
			c.visit(t.Elem())
		}
		return
	}
	if leaves[t.PkgPath()+"."+t.Name()] != "" {
		return
	}
	p := c.pkg(packageName(t.PkgPath()))
	if t.Kind() != reflect.Struct {
		switch t.Kind() {
		case reflect.Slice:
			c.visit(t.Elem())
			p.named[t.Name()] = "[]" + c.typeName(t.Elem(), p.name)
			// A list with a codec of its own is a message with one repeated field.
			if t.Implements(protoMarshaler) {
				p.named[t.Name()] += " wrapped"
			}
		case reflect.Map:
			c.visit(t.Key())
			c.visit(t.Elem())
			p.named[t.Name()] = "map[" + c.typeName(t.Key(), p.name) + "]" + c.typeName(t.Elem(), p.name)
		default:
			p.named[t.Name()] = t.Kind().String()
		}
		return
	}
	if t.Implements(jsonMarshaler) && unions[t.Name()] == nil {
		fatal("%s writes its own JSON and is not known as a leaf", t)
	}
	p.structs[t.Name()] = c.describe(t, p)
}

func (c *collector) describe(t reflect.Type, p *goPackage) *goStruct {
	facts := c.openAPI[openAPIName(t)]
	s := &goStruct{atomic: facts.MapType == "atomic", noProto: !reflect.PointerTo(t).Implements(protoMarshaler)}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("json") == "-" && f.Tag.Get("protobuf") == "" {
			continue // not part of either wire form
		}
		// What is always inlined has no definition: it is told in those that hold it.
		if _, defined := c.openAPI[openAPIName(f.Type)]; f.Anonymous && !defined {
			c.openAPI[openAPIName(f.Type)] = openAPIType{Required: facts.Required, Properties: facts.Properties}
		}
		c.visit(f.Type)
		s.fields = append(s.fields, c.field(t, f, i, p, facts))
	}
	return s
}

// field is one line: number, JSON name, type, then what is out of the ordinary.
func (c *collector) field(t reflect.Type, f reflect.StructField, i int, p *goPackage, facts openAPIType) string {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	number := "-"
	if m := protoNumber.FindStringSubmatch(f.Tag.Get("protobuf")); m != nil {
		number = m[1]
	}
	var extra []string
	goName := strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
	switch {
	case unions[t.Name()] != nil:
		name = protoName.FindStringSubmatch(f.Tag.Get("protobuf"))[1]
		goName = ""
		extra = append(extra, "form="+unions[t.Name()][i])
	case f.Anonymous && name == "":
		name = "."
	case name == "" || name == "-":
		fatal("%s.%s has no JSON name", t, f.Name)
	case strings.ContainsAny(name, "$-"):
		extra = append(extra, "cpp="+protoName.FindStringSubmatch(f.Tag.Get("protobuf"))[1])
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty", "omitzero":
			extra = append(extra, option)
		case "", "inline":
		default:
			fatal("%s.%s: JSON option %s", t, f.Name, option)
		}
	}
	if f.Name != goName {
		extra = append(extra, "go="+f.Name)
	}
	extra = append(extra, patchFacts(f, facts.Properties[name])...)
	if facts.isRequired(name) {
		extra = append(extra, "required")
	}
	return strings.TrimRight(fmt.Sprintf("  %s %s %s %s", number, name, c.typeName(f.Type, p.name), strings.Join(extra, " ")), " ")
}

func patchFacts(f reflect.StructField, property openAPIProperty) []string {
	var extra []string
	if strategy := f.Tag.Get("patchStrategy"); strategy != "" {
		extra = append(extra, "patch="+strategy)
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		extra = append(extra, "key="+key)
	}
	switch property.ListType {
	case "map":
		extra = append(extra, "list=map:"+strings.Join(property.ListMapKeys, ":"))
	case "set":
		extra = append(extra, "list=set")
	}
	if property.MapType == "atomic" {
		extra = append(extra, "map=atomic")
	}
	return extra
}

// typeName is Go's spelling, with packages by short name and none for the file's own.
func (c *collector) typeName(t reflect.Type, in string) string {
	if t.Name() != "" && t.PkgPath() != "" {
		if leaf := leaves[t.PkgPath()+"."+t.Name()]; leaf != "" {
			return "@" + leaf
		}
		if name := packageName(t.PkgPath()); name != in {
			return name + "." + t.Name()
		}
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + c.typeName(t.Elem(), in)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + c.typeName(t.Elem(), in)
	case reflect.Map:
		return "map[" + c.typeName(t.Key(), in) + "]" + c.typeName(t.Elem(), in)
	case reflect.Interface:
		return "@Any"
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return t.Kind().String()
	}
	fatal("type %s", t)
	return ""
}

func (p *goPackage) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s", p.name)
	if p.version != "" {
		fmt.Fprintf(&b, " group=%s version=%s", p.group, p.version)
	}
	b.WriteString("\n")
	if len(p.resources) > 0 {
		b.WriteString("\n" + strings.Join(p.resources, "\n") + "\n")
	}
	if len(p.named) > 0 {
		b.WriteString("\n")
		for _, name := range sortedKeys(p.named) {
			fmt.Fprintf(&b, "type %s %s\n", name, p.named[name])
		}
	}
	for _, name := range sortedKeys(p.structs) {
		s := p.structs[name]
		word := "struct"
		if p.kinds[name] {
			word = "kind"
		} else if unions[name] != nil {
			word = "union"
		}
		fmt.Fprintf(&b, "\n%s %s", word, name)
		if s.atomic {
			b.WriteString(" atomic")
		}
		if s.noProto {
			b.WriteString(" jsononly")
		}
		b.WriteString("\n")
		for _, f := range s.fields {
			b.WriteString(f + "\n")
		}
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

type openAPIProperty struct {
	ListType    string   `json:"x-kubernetes-list-type"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`
	MapType     string   `json:"x-kubernetes-map-type"`
}

type openAPIType struct {
	MapType    string                     `json:"x-kubernetes-map-type"`
	Required   []string                   `json:"required"`
	Properties map[string]openAPIProperty `json:"properties"`
}

func (t openAPIType) isRequired(name string) bool {
	for _, r := range t.Required {
		if r == name {
			return true
		}
	}
	return false
}

func readOpenAPI(file string) map[string]openAPIType {
	data, err := os.ReadFile(file)
	if err != nil {
		fatal("%v", err)
	}
	var document struct {
		Definitions map[string]openAPIType `json:"definitions"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		fatal("%s: %v", file, err)
	}
	return document.Definitions
}

// openAPIName is how OpenAPI calls a Go type: io.k8s.api.core.v1.Pod.
func openAPIName(t reflect.Type) string {
	return "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), "k8s.io/"), "/", ".") + "." + t.Name()
}

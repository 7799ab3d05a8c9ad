package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
)

// How many objects are made of each kind.
const objectsPerKind = 8

// objects writes, for each made-up object, G: group, version, kind, protobuf, JSON, then protobuf
// and JSON again as they are after a trip through JSON, which cannot say all that protobuf can (a
// pointer to the zero time, microseconds of a time). Protobuf is empty where there is no form.
func (g *generator) objects() {
	for _, kind := range g.known.kinds() {
		for i := range objectsPerKind {
			gvk := pick(g, kind.names)
			// Of each kind one is empty, and some are so full that nearly everything occurs.
			f := &filler{generator: g, budget: 30 << g.random.IntN(4)}
			f.density = []float64{0, 0.03, 0.08, 0.15, 0.25, 0.4, 0.6, 0.9}[i%8]
			made := reflect.New(kind.goType)
			f.fill(made.Elem(), 0)
			object := made.Interface().(runtime.Object)
			object.GetObjectKind().SetGroupVersionKind(gvk)

			// Our types do not tell nil from empty; neither does protobuf, so this is what both know.
			proto := g.known.encodeProto(object)
			if proto != nil {
				object = must(g.known.decode("protobuf", proto, gvk))
				object.GetObjectKind().SetGroupVersionKind(gvk)
			}
			dropEmpty(reflect.ValueOf(object))
			proto = g.known.encodeProto(object)
			text1 := must(json.Marshal(object))

			again := reflect.New(kind.goType).Interface().(runtime.Object)
			if err := kjson.UnmarshalCaseSensitivePreserveInts(text1, again); err != nil {
				fatal("%s: %v: %s", gvk, err, text1)
			}
			dropEmpty(reflect.ValueOf(again))
			text2 := must(json.Marshal(again))
			g.line("G", text(gvk.Group), gvk.Version, gvk.Kind, text(proto), text(text1),
				text(g.known.encodeProto(again)), text(text2))
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		fatal("%v", err)
	}
	return value
}

// dropEmpty makes empty slices and maps nil, which a trip through protobuf does too, but for bytes.
func dropEmpty(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			dropEmpty(value.Elem())
		}
	case reflect.Struct:
		if value.Type().PkgPath() == "time" {
			return
		}
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				dropEmpty(value.Field(i))
			}
		}
	case reflect.Slice, reflect.Map:
		if value.Len() == 0 && value.CanSet() {
			value.SetZero()
			return
		}
		if value.Kind() == reflect.Slice {
			for i := range value.Len() {
				dropEmpty(value.Index(i))
			}
			return
		}
		for _, key := range value.MapKeys() {
			// Not bytes as such: a key with no value is not what protobuf can say.
			if value.Type().Elem().Kind() != reflect.Struct {
				continue
			}
			element := reflect.New(value.Type().Elem()).Elem()
			element.Set(value.MapIndex(key))
			dropEmpty(element)
			value.SetMapIndex(key, element)
		}
	}
}

// filler sets fields at random.
type filler struct {
	*generator
	density float64 // the chance of each field
	budget  int     // how many more structs, list elements and map entries
}

func (f *filler) spend() bool {
	f.budget--
	return f.budget >= 0
}

func (f *filler) fill(value reflect.Value, depth int) {
	if f.fillLeaf(value) {
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		f.fillStruct(value, depth)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		if f.chance(0.7) {
			f.fill(value.Elem(), depth)
		}
	case reflect.Slice:
		f.fillSlice(value, depth)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range f.random.IntN(4) {
			if !f.spend() {
				return
			}
			key := reflect.New(value.Type().Key()).Elem()
			key.SetString(f.string())
			element := reflect.New(value.Type().Elem()).Elem()
			f.fill(element, depth+1)
			value.SetMapIndex(key, element)
		}
	case reflect.String:
		value.SetString(f.string())
	case reflect.Bool:
		value.SetBool(f.chance(0.7))
	case reflect.Int32:
		value.SetInt(int64(pick(f.generator, []int32{0, 1, -1, 127, 128, 16384, 1<<31 - 1, -1 << 31, int32(f.random.Uint32())})))
	case reflect.Int, reflect.Int64:
		value.SetInt(pick(f.generator, []int64{0, 1, -1, 1 << 31, 1<<53 + 1, 1<<63 - 1, -1 << 63, int64(f.random.Uint64())}))
	case reflect.Float64:
		value.SetFloat(f.float())
	default:
		fatal("%s is of no known form", value.Type())
	}
}

func (f *filler) fillStruct(value reflect.Value, depth int) {
	if !f.spend() || depth > 12 {
		return
	}
	for i := range value.NumField() {
		field := value.Type().Field(i)
		// The type is the object's own and not a matter of chance; inside, protobuf loses it.
		if !field.IsExported() || field.Type.Name() == "TypeMeta" {
			continue
		}
		inline := strings.Contains(field.Tag.Get("json"), ",inline")
		if inline || f.chance(f.density) {
			f.fill(value.Field(i), depth+1)
		}
	}
}

func (f *filler) fillSlice(value reflect.Value, depth int) {
	size := f.random.IntN(4)
	value.Set(reflect.MakeSlice(value.Type(), 0, size))
	for range size {
		if !f.spend() {
			return
		}
		element := reflect.New(value.Type().Elem()).Elem()
		f.fill(element, depth+1)
		value.Set(reflect.Append(value, element))
	}
}

// fillLeaf sets what upstream encodes by hand.
func (f *filler) fillLeaf(value reflect.Value) bool {
	switch leaf := value.Addr().Interface().(type) {
	case *resource.Quantity:
		*leaf = resource.MustParse(pick(f.generator, []string{"0", "1", "100m", "1.5", "0.5Gi", "1e3", "12E6", "-7",
			"1024Mi", "1025Ki", "0.001", "1n", "3u", "-0.5", "9223372036854775807", "99999999999999999999", "1e-3",
			"0.1Ki", "+5", "00.50", "2E"}))
	case *intstr.IntOrString:
		*leaf = pick(f.generator, []intstr.IntOrString{{}, intstr.FromInt32(8080), intstr.FromInt32(-1 << 31),
			intstr.FromString(""), intstr.FromString("25%"), intstr.FromString("80"), intstr.FromString(f.string())})
	case *metav1.Time:
		*leaf = metav1.Time{Time: f.time()}
	case *metav1.MicroTime:
		*leaf = metav1.MicroTime{Time: f.time()}
	case *metav1.Duration:
		leaf.Duration = pick(f.generator, []time.Duration{0, 1, -1, time.Second, 90 * time.Minute, 1500 * time.Microsecond,
			1<<63 - 1, -1 << 63, time.Duration(f.random.Int64N(int64(time.Hour)))})
	case *runtime.RawExtension:
		leaf.Raw = f.json()
	case *metav1.FieldsV1:
		leaf.SetRawBytes(f.json())
	case *apiextensionsv1.JSON:
		leaf.Raw = f.json()
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		leaf.Allows = f.chance(0.5)
		if f.chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if f.chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		} else {
			f.fillUnion(reflect.ValueOf(&leaf.JSONSchemas))
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if f.chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		} else {
			f.fillUnion(reflect.ValueOf(&leaf.Property))
		}
	case *[]byte:
		*leaf = pick(f.generator, [][]byte{{}, {0}, {0xff, 0xfe}, []byte("plain"), []byte(f.string())})
	case *any:
		if kjson.UnmarshalCaseSensitivePreserveInts(f.json(), leaf) != nil {
			*leaf = nil // a number that Go has no value for
		}
	default:
		return false
	}
	return true
}

func (f *filler) fillUnion(field reflect.Value) {
	if f.spend() {
		f.fill(field.Elem(), 5)
	}
}

func (f *filler) string() string {
	words := []string{"", "", "a", "web-0", "true", "yes", "null", "~", "0", "08", "0x1F", "1e3", "1_000", ".5", "-", "- a",
		"? b", ": c", "a: b", "a #b", "#c", "*x", "&y", "!z", "|", ">", "%", "@", "`", "'", "\"", "\\", "[]", "{}", "{a: b}",
		"<<", "=", "---", "...", "--- x", "2001-01-01", "12:30:45", "2001-01-01T00:00:00Z", " lead", "trail ", "tab\there",
		"\t", "\ttab", "two\nlines", "ends\n", "ends\n\n", "\nstarts", " \n ", "a\n  b\n c", "a\n\n\nb", "cr\rlf\r\n", "a\n ",
		"a\n\t", "a \nb", "<html>&amp;", "\u2028\u2029", "\x00", "\x01\x1f", "\x7f", "\u0080", "\u0085", "a\u0085b", "\u00a0",
		"\ufeff", "x\ufeffy", "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "grüße", "日本語", "e\u0301",
		"a,b", "a]b", "a}b", "key:", ":", "a:b", "http://x/y?z#f", "1.", "+1", "-1", "-.inf", ".nan", "on", "No", "y",
		"0b11", "0o17", "1:20", "!!str x", "\b\f\v\x1b", "back\\slash \\u0041", "\"quoted\"", "'single'", "it's"}
	word := pick(f.generator, words)
	if f.chance(0.2) {
		word += pick(f.generator, words)
	}
	if f.chance(0.02) {
		word = strings.Repeat(word+"x", 200)
	}
	return word
}

func (f *filler) float() float64 {
	return pick(f.generator, []float64{0, 1, -1, 0.1, 1.5, 1e-6, 9.99e-7, 1e20, 1e21, 1e22, 123456789012345678901, -2.5e-9,
		5e-324, 1.7976931348623157e308, 1 << 53, f.random.NormFloat64()})
}

func (f *filler) time() time.Time {
	seconds := pick(f.generator, []int64{0, 1, -1, 1700000000, 253402300799, -62135596800 + 1, f.random.Int64N(1 << 32)})
	nanos := pick(f.generator, []int64{0, 0, 1, 1000, 999999999, 123456789})
	if f.chance(0.15) {
		return time.Time{}
	}
	return time.Unix(seconds, nanos).UTC()
}

// json is a document as a client might have sent it.
func (f *filler) json() []byte {
	if f.chance(0.5) {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(f.chance(0.5))
		if err := encoder.Encode(map[string]any{f.string(): f.string(), "n": f.float(), "l": []any{nil, true, f.string()}}); err != nil {
			fatal("%v", err)
		}
		return bytes.TrimSpace(out.Bytes())
	}
	return []byte(pick(f.generator, []string{"{}", "[]", "null", "true", `""`, "0", "-0", "1.0", "1E5", "1e300",
		"12345678901234567890", `{"b":1,"a":2,"b":3}`, `{"apiVersion":"v1","kind":"Pod"}`, "{ \"a\" : [ 1 , 2 ] }\n",
		`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`, `[[[{"x":{"y":[{}]}}]]]`, `"\"\\\b\f\n\r\t"`}))
}

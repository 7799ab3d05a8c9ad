package cases

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

// DropEmpty makes empty slices and maps nil, which a trip through protobuf does too, but for bytes.
func DropEmpty(object any) {
	dropEmpty(reflect.ValueOf(object))
}

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

// Filler makes objects up: it sets fields at random, with a taste for the awkward.
type Filler struct {
	*Writer
	Density float64 // the chance of each field
	Budget  int     // how many more structs, list elements and map entries
}

// Fill sets what the pointer points to.
func (f *Filler) Fill(pointer any) {
	f.fill(reflect.ValueOf(pointer).Elem(), 0)
}

func (f *Filler) spend() bool {
	f.Budget--
	return f.Budget >= 0
}

func (f *Filler) fill(value reflect.Value, depth int) {
	if f.fillLeaf(value) {
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		f.fillStruct(value, depth)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		if f.Chance(0.7) {
			f.fill(value.Elem(), depth)
		}
	case reflect.Slice:
		f.fillSlice(value, depth)
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		for range f.Random.IntN(4) {
			if !f.spend() {
				return
			}
			key := reflect.New(value.Type().Key()).Elem()
			key.SetString(f.String())
			element := reflect.New(value.Type().Elem()).Elem()
			f.fill(element, depth+1)
			value.SetMapIndex(key, element)
		}
	case reflect.String:
		value.SetString(f.String())
	case reflect.Bool:
		value.SetBool(f.Chance(0.7))
	case reflect.Int32:
		value.SetInt(int64(Pick(f.Writer, []int32{0, 1, -1, 127, 128, 16384, 1<<31 - 1, -1 << 31, int32(f.Random.Uint32())})))
	case reflect.Int, reflect.Int64:
		value.SetInt(Pick(f.Writer, []int64{0, 1, -1, 1 << 31, 1<<53 + 1, 1<<63 - 1, -1 << 63, int64(f.Random.Uint64())}))
	case reflect.Float64:
		value.SetFloat(f.Float())
	default:
		Fatal("%s is of no known form", value.Type())
	}
}

func (f *Filler) fillStruct(value reflect.Value, depth int) {
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
		if inline || f.Chance(f.Density) {
			f.fill(value.Field(i), depth+1)
		}
	}
}

func (f *Filler) fillSlice(value reflect.Value, depth int) {
	size := f.Random.IntN(4)
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
func (f *Filler) fillLeaf(value reflect.Value) bool {
	switch leaf := value.Addr().Interface().(type) {
	case *resource.Quantity:
		*leaf = resource.MustParse(Pick(f.Writer, []string{"0", "1", "100m", "1.5", "0.5Gi", "1e3", "12E6", "-7",
			"1024Mi", "1025Ki", "0.001", "1n", "3u", "-0.5", "9223372036854775807", "99999999999999999999", "1e-3",
			"0.1Ki", "+5", "00.50", "2E"}))
	case *intstr.IntOrString:
		*leaf = Pick(f.Writer, []intstr.IntOrString{{}, intstr.FromInt32(8080), intstr.FromInt32(-1 << 31),
			intstr.FromString(""), intstr.FromString("25%"), intstr.FromString("80"), intstr.FromString(f.String())})
	case *metav1.Time:
		*leaf = metav1.Time{Time: f.Time()}
	case *metav1.MicroTime:
		*leaf = metav1.MicroTime{Time: f.Time()}
	case *metav1.Duration:
		leaf.Duration = Pick(f.Writer, []time.Duration{0, 1, -1, time.Second, 90 * time.Minute, 1500 * time.Microsecond,
			1<<63 - 1, -1 << 63, time.Duration(f.Random.Int64N(int64(time.Hour)))})
	case *runtime.RawExtension:
		leaf.Raw = f.JSON()
	case *metav1.FieldsV1:
		leaf.SetRawBytes(f.JSON())
	case *apiextensionsv1.JSON:
		leaf.Raw = f.JSON()
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		leaf.Allows = f.Chance(0.5)
		if f.Chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if f.Chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		} else {
			f.fillUnion(reflect.ValueOf(&leaf.JSONSchemas))
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if f.Chance(0.5) {
			f.fillUnion(reflect.ValueOf(&leaf.Schema))
		} else {
			f.fillUnion(reflect.ValueOf(&leaf.Property))
		}
	case *[]byte:
		*leaf = Pick(f.Writer, [][]byte{{}, {0}, {0xff, 0xfe}, []byte("plain"), []byte(f.String())})
	case *any:
		if kjson.UnmarshalCaseSensitivePreserveInts(f.JSON(), leaf) != nil {
			*leaf = nil // a number that Go has no value for
		}
	default:
		return false
	}
	return true
}

func (f *Filler) fillUnion(field reflect.Value) {
	if f.spend() {
		f.fill(field.Elem(), 5)
	}
}

// String is a text that some format has trouble with.
func (f *Filler) String() string {
	words := []string{"", "", "a", "web-0", "true", "yes", "null", "~", "0", "08", "0x1F", "1e3", "1_000", ".5", "-", "- a",
		"? b", ": c", "a: b", "a #b", "#c", "*x", "&y", "!z", "|", ">", "%", "@", "`", "'", "\"", "\\", "[]", "{}", "{a: b}",
		"<<", "=", "---", "...", "--- x", "2001-01-01", "12:30:45", "2001-01-01T00:00:00Z", " lead", "trail ", "tab\there",
		"\t", "\ttab", "two\nlines", "ends\n", "ends\n\n", "\nstarts", " \n ", "a\n  b\n c", "a\n\n\nb", "cr\rlf\r\n", "a\n ",
		"a\n\t", "a \nb", "<html>&amp;", "\u2028\u2029", "\x00", "\x01\x1f", "\x7f", "\u0080", "\u0085", "a\u0085b", "\u00a0",
		"\ufeff", "x\ufeffy", "\ufffd", "\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "grüße", "日本語", "e\u0301",
		"a,b", "a]b", "a}b", "key:", ":", "a:b", "http://x/y?z#f", "1.", "+1", "-1", "-.inf", ".nan", "on", "No", "y",
		"0b11", "0o17", "1:20", "!!str x", "\b\f\v\x1b", "back\\slash \\u0041", "\"quoted\"", "'single'", "it's"}
	word := Pick(f.Writer, words)
	if f.Chance(0.2) {
		word += Pick(f.Writer, words)
	}
	if f.Chance(0.02) {
		word = strings.Repeat(word+"x", 200)
	}
	return word
}

// Float is a number that has a JSON form.
func (f *Filler) Float() float64 {
	return Pick(f.Writer, []float64{0, 1, -1, 0.1, 1.5, 1e-6, 9.99e-7, 1e20, 1e21, 1e22, 123456789012345678901, -2.5e-9,
		5e-324, 1.7976931348623157e308, 1 << 53, f.Random.NormFloat64()})
}

// Time is a moment, or the zero time.
func (f *Filler) Time() time.Time {
	seconds := Pick(f.Writer, []int64{0, 1, -1, 1700000000, 253402300799, -62135596800 + 1, f.Random.Int64N(1 << 32)})
	nanos := Pick(f.Writer, []int64{0, 0, 1, 1000, 999999999, 123456789})
	if f.Chance(0.15) {
		return time.Time{}
	}
	return time.Unix(seconds, nanos).UTC()
}

// JSON is a document as a client might have sent it.
func (f *Filler) JSON() []byte {
	if f.Chance(0.5) {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(f.Chance(0.5))
		if err := encoder.Encode(map[string]any{f.String(): f.String(), "n": f.Float(), "l": []any{nil, true, f.String()}}); err != nil {
			Fatal("%v", err)
		}
		return bytes.TrimSpace(out.Bytes())
	}
	return []byte(Pick(f.Writer, []string{"{}", "[]", "null", "true", `""`, "0", "-0", "1.0", "1E5", "1e300",
		"12345678901234567890", `{"b":1,"a":2,"b":3}`, `{"apiVersion":"v1","kind":"Pod"}`, "{ \"a\" : [ 1 , 2 ] }\n",
		`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`, `[[[{"x":{"y":[{}]}}]]]`, `"\"\\\b\f\n\r\t"`}))
}

package main

import (
	"reflect"
	"time"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const pairCount = 6000

// equalities writes E: an object and a near copy of it, both in protobuf, and whether upstream
// finds them semantically equal. What makes them differ, or not, is one small change in one place.
func (g *generator) equalities() {
	known := cases.NewKnown()
	kinds := known.Kinds()
	for written := 0; written < pairCount; {
		kind := cases.Pick(g.Writer, kinds)
		f := &cases.Filler{Writer: g.Writer, Budget: 10 << g.Random.IntN(5)}
		f.Density = cases.Pick(g.Writer, []float64{0.05, 0.1, 0.3, 0.6})
		object := reflect.New(kind.GoType).Interface().(runtime.Object)
		f.Fill(object)
		gvk := cases.Pick(g.Writer, kind.Names)
		object.GetObjectKind().SetGroupVersionKind(gvk)
		first := known.EncodeProto(object)
		if first == nil {
			continue
		}
		other := object.DeepCopyObject()
		m := &mutator{Filler: f}
		m.collect(reflect.ValueOf(other).Elem())
		if len(m.changes) > 0 && g.Chance(0.95) {
			cases.Pick(g.Writer, m.changes)()
		}
		second := known.EncodeProto(other)
		// What protobuf does not carry (nil or empty, zones, nanoseconds) must not be what decides.
		a := cases.Must(known.Decode("protobuf", first, gvk))
		b := cases.Must(known.Decode("protobuf", second, gvk))
		g.Line("E", cases.Text(first), cases.Text(second), equality.Semantic.DeepEqual(a, b))
		written++
	}
}

// mutator finds the places where an object can be changed a little.
type mutator struct {
	*cases.Filler
	changes []func()
}

func (m *mutator) add(change func()) {
	m.changes = append(m.changes, change)
}

func (m *mutator) collect(value reflect.Value) {
	if m.collectLeaf(value) {
		return
	}
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() && field.Type.Name() != "TypeMeta" {
				m.collect(value.Field(i))
			}
		}
	case reflect.Pointer:
		if value.IsNil() {
			m.add(func() { value.Set(reflect.New(value.Type().Elem())) })
			return
		}
		m.add(func() { value.SetZero() })
		m.collect(value.Elem())
	case reflect.Slice:
		m.collectSlice(value)
	case reflect.Map:
		m.collectMap(value)
	case reflect.String:
		m.add(func() { value.SetString(value.String() + cases.Pick(m.Writer, []string{"", "x", "\u00e9"})) })
	case reflect.Bool:
		m.add(func() { value.SetBool(!value.Bool()) })
	case reflect.Int32, reflect.Int64, reflect.Int:
		m.add(func() { value.SetInt(value.Int() ^ 1) })
	case reflect.Float64:
		m.add(func() { value.SetFloat(value.Float() + cases.Pick(m.Writer, []float64{0, 1})) })
	}
}

func (m *mutator) collectSlice(value reflect.Value) {
	if value.Type().Elem().Kind() == reflect.Uint8 {
		m.add(func() { value.SetBytes(append(value.Bytes(), 'x')) })
		return
	}
	m.add(func() {
		if value.Len() == 0 {
			value.Set(reflect.MakeSlice(value.Type(), 0, 0))
		}
	})
	m.add(func() { value.Set(reflect.Append(value, reflect.Zero(value.Type().Elem()))) })
	if value.Len() > 0 {
		m.add(func() { value.SetLen(value.Len() - 1) })
	}
	if value.Len() > 1 {
		m.add(func() { reflect.Swapper(value.Interface())(0, 1) })
	}
	for i := range value.Len() {
		m.collect(value.Index(i))
	}
}

func (m *mutator) collectMap(value reflect.Value) {
	m.add(func() {
		if value.Len() == 0 {
			value.Set(reflect.MakeMap(value.Type()))
		}
	})
	for _, key := range value.MapKeys() {
		m.add(func() { value.SetMapIndex(key, reflect.Value{}) })
		m.add(func() {
			element := reflect.New(value.Type().Elem()).Elem()
			element.Set(value.MapIndex(key))
			inner := &mutator{Filler: m.Filler}
			inner.collect(element)
			if len(inner.changes) > 0 {
				cases.Pick(m.Writer, inner.changes)()
			}
			value.SetMapIndex(key, element)
		})
	}
}

func (m *mutator) collectLeaf(value reflect.Value) bool {
	switch leaf := value.Addr().Interface().(type) {
	case *resource.Quantity:
		m.add(func() { *leaf = m.respelled(*leaf) })
		m.add(func() { leaf.Add(resource.MustParse(cases.Pick(m.Writer, []string{"0", "1n", "1Ki"}))) })
	case *metav1.Time:
		m.add(func() { leaf.Time = m.moved(leaf.Time) })
	case *metav1.MicroTime:
		m.add(func() { leaf.Time = m.moved(leaf.Time) })
	default:
		return false
	}
	return true
}

// respelled is the same amount as plain digits, or in another format.
func (m *mutator) respelled(amount resource.Quantity) resource.Quantity {
	if m.Chance(0.5) {
		return resource.MustParse(amount.AsDec().String())
	}
	amount.Format = cases.Pick(m.Writer, []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent})
	return amount
}

// moved is the same moment in another zone, or a moment close by.
func (m *mutator) moved(moment time.Time) time.Time {
	switch m.Random.IntN(4) {
	case 0:
		return moment.In(time.FixedZone("elsewhere", 3600))
	case 1:
		return moment.Add(time.Nanosecond)
	case 2:
		return moment.Add(time.Microsecond)
	default:
		return moment.Add(time.Second)
	}
}

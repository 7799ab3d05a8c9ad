package main

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"flyball.example/conformance/cases"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

type kind struct {
	apiVersion, name string
	make             func() any // a pointer to a fresh object
}

// kinds have between them every patch strategy there is, inlined structs, maps of structs, unions and
// the leaves.
var kinds = []kind{
	{"v1", "Pod", func() any { return &corev1.Pod{} }},
	{"apps/v1", "Deployment", func() any { return &appsv1.Deployment{} }},
	{"v1", "Service", func() any { return &corev1.Service{} }},
	{"v1", "Node", func() any { return &corev1.Node{} }},
	{"batch/v1", "Job", func() any { return &batchv1.Job{} }},
	{"batch/v1", "CronJob", func() any { return &batchv1.CronJob{} }},
	{"v1", "PersistentVolume", func() any { return &corev1.PersistentVolume{} }},
	{"v1", "PersistentVolumeClaim", func() any { return &corev1.PersistentVolumeClaim{} }},
	{"v1", "ServiceAccount", func() any { return &corev1.ServiceAccount{} }},
	{"v1", "Secret", func() any { return &corev1.Secret{} }},
	{"v1", "ConfigMap", func() any { return &corev1.ConfigMap{} }},
	{"v1", "Namespace", func() any { return &corev1.Namespace{} }},
	{"v1", "Endpoints", func() any { return &corev1.Endpoints{} }},
	{"v1", "ReplicationController", func() any { return &corev1.ReplicationController{} }},
	{"v1", "ResourceQuota", func() any { return &corev1.ResourceQuota{} }},
	{"apps/v1", "StatefulSet", func() any { return &appsv1.StatefulSet{} }},
	{"apps/v1", "DaemonSet", func() any { return &appsv1.DaemonSet{} }},
	{"apps/v1", "ControllerRevision", func() any { return &appsv1.ControllerRevision{} }},
	{"discovery.k8s.io/v1", "EndpointSlice", func() any { return &discoveryv1.EndpointSlice{} }},
	{"networking.k8s.io/v1", "Ingress", func() any { return &networkingv1.Ingress{} }},
	{"rbac.authorization.k8s.io/v1", "ClusterRole", func() any { return &rbacv1.ClusterRole{} }},
	{"storage.k8s.io/v1", "StorageClass", func() any { return &storagev1.StorageClass{} }},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition",
		func() any { return &apiextensionsv1.CustomResourceDefinition{} }},
}

// everyKind are the kinds that client-go knows and that have metadata.
func everyKind() []kind {
	var every []kind
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if _, isObject := goType.FieldByName("ObjectMeta"); isObject && gvk.Version != runtime.APIVersionInternal {
			every = append(every, kind{gvk.GroupVersion().String(), gvk.Kind, func() any { return reflect.New(goType).Interface() }})
		}
	}
	slices.SortFunc(every, func(a, b kind) int {
		return strings.Compare(a.apiVersion+"/"+a.name, b.apiVersion+"/"+b.name)
	})
	return every
}

// mergeKeys are members that some list of some kind is merged by.
var mergeKeys = []string{"name", "containerPort", "port", "type", "uid", "key", "ip", "mountPath", "devicePath",
	"topologyKey", "hostname"}

var awkward = []any{"", "a", "b", "80", "grüße", "日本語", "\U0001f600", "<&>\u2028", int64(0), int64(80),
	int64(9007199254740993), int64(9223372036854775807), int64(-9223372036854775808), 1e30, 12345678901234567890.0, 0.5,
	1e6, 100000.5, true, false}

// document is an object of the kind, made up and then made more alike: the names and ports that
// lists are merged by come from a few.
func (g *generator) document(k kind) map[string]any {
	object := k.make()
	filler := &cases.Filler{Writer: g.Writer, Budget: 20 << g.Random.IntN(3)}
	filler.Density = cases.Pick(g.Writer, []float64{0.1, 0.3, 0.5, 0.8})
	filler.Fill(object)
	tree, isMap := parse(print(object)).(map[string]any)
	if !isMap {
		cases.Fatal("%s is no object", k.name)
	}
	tree["apiVersion"], tree["kind"] = k.apiVersion, k.name
	if metadata, isMap := tree["metadata"].(map[string]any); isMap && g.Chance(0.5) {
		metadata["finalizers"] = g.words(g.Random.IntN(5))
		if g.Chance(0.5) {
			metadata["ownerReferences"] = []any{map[string]any{"uid": "1", "name": "x", "kind": "Y", "apiVersion": "z"},
				map[string]any{"uid": "2", "name": "x", "kind": "Y", "apiVersion": "z"}}
		}
	}
	g.tame(tree)
	return tree
}

func (g *generator) words(count int) []any {
	words := make([]any, count)
	for i := range words {
		words[i] = cases.Pick(g.Writer, []string{"a", "b", "c", "d", "kubernetes.io/pv-protection", "foregroundDeletion", "ü"})
	}
	return words
}

// tame gives the elements of lists different keys, mostly.
func (g *generator) tame(value any) {
	switch typed := value.(type) {
	case map[string]any:
		for _, name := range names(typed) {
			g.tame(typed[name])
		}
	case []any:
		for i, element := range typed {
			g.tame(element)
			object, isMap := element.(map[string]any)
			if !isMap || g.Chance(0.03) {
				continue
			}
			for _, key := range mergeKeys {
				switch object[key].(type) {
				case string:
					object[key] = fmt.Sprintf("%s-%d", key, (i*7+3)%10)
				case int64:
					object[key] = int64(8080 - i)
				}
			}
		}
	}
}

func names(object map[string]any) []string {
	sorted := make([]string, 0, len(object))
	for name := range object {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	return sorted
}

// change is the document with some differences; what is added comes from `donor`, another object of
// the kind. A rough change may break what the schema says.
func (g *generator) change(document, donor map[string]any, times int, rough bool) map[string]any {
	changed := parse(print(document)).(map[string]any)
	for range times {
		g.changeObject(changed, donor, rough)
	}
	return changed
}

func (g *generator) changeObject(object map[string]any, donor any, rough bool) {
	other, _ := donor.(map[string]any)
	if len(object) > 0 && g.Chance(0.75) {
		name := cases.Pick(g.Writer, names(object))
		g.changeMember(object, name, other[name], rough)
		return
	}
	switch choice := g.Random.IntN(10); {
	case choice < 3 && len(object) > 0:
		delete(object, cases.Pick(g.Writer, names(object)))
	case choice < 7 && len(other) > 0:
		name := cases.Pick(g.Writer, names(other))
		object[name] = parse(print(other[name]))
	case rough:
		name := cases.Pick(g.Writer, append(names(object), "unknown", "Spec", "Containers", "$patch", "$retainKeys"))
		object[name] = g.any()
	case choice < 9:
		object[fmt.Sprintf("x%d", g.Random.IntN(3))] = cases.Pick(g.Writer, awkward)
	}
}

func (g *generator) changeMember(object map[string]any, name string, donor any, rough bool) {
	switch value := object[name].(type) {
	case map[string]any:
		if g.Chance(0.05) {
			object[name] = map[string]any{}
			return
		}
		g.changeObject(value, donor, rough)
	case []any:
		object[name] = g.changeList(value, donor, rough)
	case nil:
		object[name] = cases.Pick(g.Writer, awkward)
	default:
		object[name] = g.changeScalar(value, rough)
	}
	if rough && g.Chance(0.1) {
		object[name] = g.any()
	}
	if g.Chance(0.03) {
		object[name] = nil
	}
}

func (g *generator) changeScalar(value any, rough bool) any {
	if rough && g.Chance(0.3) {
		return g.any()
	}
	switch typed := value.(type) {
	case string:
		return cases.Pick(g.Writer, []string{typed + "x", "", "a", "b", "grüße", "25%", "<&>"})
	case int64:
		return cases.Pick(g.Writer, []int64{typed ^ 1, 0, 80, 9007199254740993, 9223372036854775807})
	case float64:
		return cases.Pick(g.Writer, []float64{typed / 2, 0.5, 1e30})
	case bool:
		return !typed
	}
	return value
}

func (g *generator) changeList(list []any, donor any, rough bool) []any {
	other, _ := donor.([]any)
	switch choice := g.Random.IntN(20); {
	case choice < 6 && len(list) > 0:
		i := g.Random.IntN(len(list))
		var like any
		if len(other) > 0 {
			like = cases.Pick(g.Writer, other)
		}
		if object, isMap := list[i].(map[string]any); isMap {
			g.changeObject(object, like, rough)
		} else {
			list[i] = g.changeScalar(list[i], rough)
		}
	case choice < 9:
		g.Random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	case choice < 12 && len(list) > 0:
		i := g.Random.IntN(len(list))
		list = slices.Delete(list, i, i+1)
	case choice < 16 && len(other) > 0:
		list = g.insert(list, cases.Pick(g.Writer, other))
	case choice == 16 && len(list) > 0:
		list = g.insert(list, cases.Pick(g.Writer, list))
	case choice == 17:
		return g.stretch(list)
	case choice == 18:
		return []any{}
	case rough && g.Chance(0.5):
		list = g.insert(list, g.any())
	case rough && len(list) > 0:
		if object, isMap := list[0].(map[string]any); isMap {
			delete(object, cases.Pick(g.Writer, mergeKeys))
		}
	}
	return list
}

func (g *generator) insert(list []any, element any) []any {
	return slices.Insert(list, g.Random.IntN(len(list)+1), parse(print(element)))
}

// stretch makes a list long, past the lengths up to which Go's sorts are insertion sorts. Its keys
// are different ones: the order of equal ones cannot be told then.
func (g *generator) stretch(list []any) []any {
	if len(list) == 0 {
		return list
	}
	long := []any{}
	for i := range 10 + g.Random.IntN(25) {
		element := parse(print(list[0]))
		if object, isMap := element.(map[string]any); isMap {
			for _, key := range mergeKeys {
				switch object[key].(type) {
				case string:
					object[key] = fmt.Sprintf("%s%d", strings.Repeat("x", i%3), i)
				case int64:
					object[key] = int64(i)
				}
			}
		} else if _, isText := element.(string); isText {
			element = fmt.Sprint(i * i % 17)
		}
		long = append(long, element)
	}
	g.Random.Shuffle(len(long), func(i, j int) { long[i], long[j] = long[j], long[i] })
	return long
}

// any is a value of any form.
func (g *generator) any() any {
	switch g.Random.IntN(8) {
	case 0:
		return nil
	case 1:
		return map[string]any{}
	case 2:
		return []any{}
	case 3:
		return map[string]any{"name": cases.Pick(g.Writer, awkward), "a": map[string]any{"b": nil}}
	case 4:
		return []any{cases.Pick(g.Writer, awkward), cases.Pick(g.Writer, awkward)}
	case 5:
		return []any{map[string]any{"name": "a"}, map[string]any{"name": "b", "x": nil}}
	}
	return cases.Pick(g.Writer, awkward)
}

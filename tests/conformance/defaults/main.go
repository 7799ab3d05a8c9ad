// Command defaults holds our defaulting against the API server's own.
//
// It writes, for objects of every kind in the groups that the server serves, D: apiVersion, kind,
// the object as protobuf, and the same with its defaults. And for names of images, I: the name, and
// the tag that a kubelet would pull.
package main

import (
	"bytes"
	"reflect"
	"sort"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	admissionregistrationv1 "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	authenticationv1 "k8s.io/kubernetes/pkg/apis/authentication/v1"
	authorizationv1 "k8s.io/kubernetes/pkg/apis/authorization/v1"
	autoscalingv1 "k8s.io/kubernetes/pkg/apis/autoscaling/v1"
	autoscalingv2 "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	batchv1 "k8s.io/kubernetes/pkg/apis/batch/v1"
	certificatesv1 "k8s.io/kubernetes/pkg/apis/certificates/v1"
	coordinationv1 "k8s.io/kubernetes/pkg/apis/coordination/v1"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	discoveryv1 "k8s.io/kubernetes/pkg/apis/discovery/v1"
	eventsv1 "k8s.io/kubernetes/pkg/apis/events/v1"
	flowcontrolv1 "k8s.io/kubernetes/pkg/apis/flowcontrol/v1"
	networkingv1 "k8s.io/kubernetes/pkg/apis/networking/v1"
	nodev1 "k8s.io/kubernetes/pkg/apis/node/v1"
	policyv1 "k8s.io/kubernetes/pkg/apis/policy/v1"
	rbacv1 "k8s.io/kubernetes/pkg/apis/rbac/v1"
	resourcev1 "k8s.io/kubernetes/pkg/apis/resource/v1"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	storagev1 "k8s.io/kubernetes/pkg/apis/storage/v1"
)

// How many objects are made of each kind: of a list, of others, and of what holds pods.
const (
	objectsPerList = 5
	objectsPerKind = 60
	objectsOfPods  = 300
)

var holdsPods = map[string]bool{"Pod": true, "PodTemplate": true, "Deployment": true, "ReplicaSet": true,
	"ReplicationController": true, "StatefulSet": true, "DaemonSet": true, "Job": true, "CronJob": true}

// These get the time of the call, which no two runs share.
var timed = map[string]bool{"ResourceSlice": true, "DeviceTaintRule": true}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme,
		authorizationv1.AddToScheme, autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme,
		certificatesv1.AddToScheme, coordinationv1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme,
		eventsv1.AddToScheme, flowcontrolv1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme,
		policyv1.AddToScheme, rbacv1.AddToScheme, resourcev1.AddToScheme, schedulingv1.AddToScheme,
		storagev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			cases.Fatal("%v", err)
		}
	}
	return scheme
}

type generator struct {
	*cases.Writer
	scheme *runtime.Scheme
	codec  runtime.Serializer
}

// kinds lists those of the groups themselves, in a stable order: options and watch events, which
// every group has too, are not objects.
func (g *generator) kinds() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for gvk, goType := range g.scheme.AllKnownTypes() {
		item := strings.TrimSuffix(gvk.Kind, "List")
		if strings.HasPrefix(goType.PkgPath(), "k8s.io/api/") && !timed[item] {
			all = append(all, gvk)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].String() < all[j].String() })
	return all
}

func (g *generator) encode(object runtime.Object) []byte {
	var out bytes.Buffer
	if err := g.codec.Encode(object, &out); err != nil {
		cases.Fatal("%T: %v", object, err)
	}
	return out.Bytes()
}

// decode reads what a server would: nil and empty are one then, as they are in our types.
func (g *generator) decode(data []byte, gvk schema.GroupVersionKind) runtime.Object {
	object, _, err := g.codec.Decode(data, &gvk, nil)
	if err != nil {
		cases.Fatal("%s: %v", gvk, err)
	}
	cases.DropEmpty(object)
	object.GetObjectKind().SetGroupVersionKind(gvk)
	return object
}

func (g *generator) objects() {
	for _, gvk := range g.kinds() {
		count := objectsPerKind
		if strings.HasSuffix(gvk.Kind, "List") {
			count = objectsPerList
		} else if holdsPods[gvk.Kind] {
			count = objectsOfPods
		}
		for i := range count {
			made := cases.Must(g.scheme.New(gvk))
			if i > 0 { // the first is empty
				g.fill(reflect.ValueOf(made).Elem())
			}
			made.GetObjectKind().SetGroupVersionKind(gvk)
			object := g.decode(g.encode(made), gvk)
			before := g.encode(object)
			g.scheme.Default(object)
			g.Line("D", gvk.GroupVersion().String(), gvk.Kind, cases.Text(before), cases.Text(g.encode(object)))
		}
	}
}

func main() {
	scheme := newScheme()
	g := &generator{Writer: cases.NewWriter(), scheme: scheme, codec: protobuf.NewSerializer(scheme, scheme)}
	g.objects()
	g.images()
	g.Close()
}

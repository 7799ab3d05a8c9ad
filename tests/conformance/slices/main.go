// Has upstream's reconciler of EndpointSlices follow the changes of a service's pods, and writes what
// each of them cost.
//
//	P  name, number, app protocol, ... -> names in the order of a slice
//	M  most endpoints in a slice, most changes at once      a service without pods begins
//	C  changes -> created, updated, deleted, slices
//
// Changes are texts with spaces between them: "+pod:port" is there and ready, "!pod:port" there and not,
// "~pod:port" on its way out, "-pod" gone. An app protocol that is not said is "none".
package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"flyball.example/conformance/cases"
	v1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	"k8s.io/endpointslice/topologycache"
	"k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
)

const (
	portSets = 2000
	manyPods = 3000
	changes  = 300
)

func main() {
	klog.SetOutput(discard{})
	klog.LogToStderr(false)
	w := cases.NewWriter()
	for range portSets {
		ports(w)
	}
	follow(w, 100, manyPods, changes, 1)
	follow(w, 100, manyPods, changes, 40)
	follow(w, 5, 60, 2*changes, 6)
	w.Close()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func ports(w *cases.Writer) {
	var list []discovery.EndpointPort
	fields := []any{}
	for i := range 2 + w.Random.IntN(5) {
		name := fmt.Sprintf("%s-%d", cases.Pick(w, []string{"http", "https", "metrics", "p"}), i)
		number := int32(1 + w.Random.IntN(65535))
		protocol := cases.Pick(w, []v1.Protocol{v1.ProtocolTCP, v1.ProtocolUDP, v1.ProtocolSCTP})
		port := discovery.EndpointPort{Name: &name, Port: &number, Protocol: &protocol}
		said := "none"
		if w.Chance(0.3) {
			said = cases.Pick(w, []string{"kubernetes.io/h2c", "http", ""})
			port.AppProtocol = &said
		}
		list = append(list, port)
		fields = append(fields, cases.Text(name), number, string(protocol), cases.Text(said))
	}
	util.NewPortMapKey(list)
	var order []string
	for _, port := range list {
		order = append(order, *port.Name)
	}
	w.Line("P", append([]any{len(list)}, append(fields, cases.Text(strings.Join(order, " ")))...)...)
}

// world is a service with its pods and slices.
type world struct {
	*cases.Writer
	client  *fake.Clientset
	service *v1.Service
	pods    map[string]*v1.Pod
	made    int
}

// follow lets pods come, go and change, as many at a time as it is told at most.
func follow(w *cases.Writer, most int32, pods, steps, atOnce int) {
	w.Line("M", most, atOnce)
	it := &world{Writer: w, client: fake.NewSimpleClientset(), pods: map[string]*v1.Pod{}}
	names := 0
	it.client.PrependReactor("create", "endpointslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		slice := action.(clienttesting.CreateAction).GetObject().(*discovery.EndpointSlice)
		names++
		slice.Name = fmt.Sprintf("%s%05d", slice.GenerateName, names)
		slice.UID = types.UID(slice.Name)
		return false, nil, nil
	})
	it.service = &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "uid-of-web"},
		Spec: v1.ServiceSpec{ClusterIP: "10.96.0.1", IPFamilies: []v1.IPFamily{v1.IPv4Protocol},
			Ports: []v1.ServicePort{{Port: 80, Protocol: v1.ProtocolTCP, TargetPort: intstr.FromString("http")}}},
	}
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	_ = nodes.Add(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}})
	reconciler := endpointslice.NewReconciler(it.client, corelisters.NewNodeLister(nodes), most,
		util.NewEndpointSliceTracker(), topologycache.NewTopologyCache(), record.NewFakeRecorder(10),
		"endpointslice-controller.k8s.io", endpointslice.WithPreferSameTrafficDistributionEnabled(true))

	var first []string
	for range pods {
		first = append(first, it.put("+", it.newName()))
	}
	it.step(reconciler, first)
	for range steps {
		var some []string
		for range 1 + w.Random.IntN(atOnce) {
			some = append(some, it.change())
		}
		it.step(reconciler, some)
	}
}

func (it *world) newName() string {
	it.made++
	return fmt.Sprintf("pod-%05d", it.made)
}

func (it *world) change() string {
	if len(it.pods) == 0 || it.Chance(0.3) {
		return it.put("+", it.newName())
	}
	name := cases.Pick(it.Writer, slices.Sorted(maps.Keys(it.pods)))
	switch it.Random.IntN(4) {
	case 0, 1:
		delete(it.pods, name)
		return "-" + name
	case 2:
		return it.put("!", name)
	default:
		return it.put(cases.Pick(it.Writer, []string{"+", "~"}), name)
	}
}

func (it *world) put(how, name string) string {
	port := int32(8080)
	if it.Chance(0.02) {
		port = 9090
	}
	if old := it.pods[name]; old != nil {
		port = old.Spec.Containers[0].Ports[0].ContainerPort
	}
	var number int
	fmt.Sscanf(name, "pod-%d", &number)
	address := fmt.Sprintf("10.1.%d.%d", number/256, number%256)
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-of-" + name)},
		Spec: v1.PodSpec{NodeName: "node", Containers: []v1.Container{{
			Ports: []v1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: v1.ProtocolTCP}}}}},
		Status: v1.PodStatus{Phase: v1.PodRunning, PodIP: address, PodIPs: []v1.PodIP{{IP: address}},
			Conditions: []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}},
	}
	if how == "!" {
		pod.Status.Conditions[0].Status = v1.ConditionFalse
	}
	if how == "~" {
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	it.pods[name] = pod
	return fmt.Sprintf("%s%s:%d", how, name, port)
}

func (it *world) existing() []*discovery.EndpointSlice {
	list, err := it.client.DiscoveryV1().EndpointSlices("shop").List(context.Background(), metav1.ListOptions{})
	if err != nil {
		panic(err)
	}
	var slices []*discovery.EndpointSlice
	for i := range list.Items {
		slices = append(slices, &list.Items[i])
	}
	return slices
}

func (it *world) step(reconciler *endpointslice.Reconciler, changes []string) {
	it.client.ClearActions()
	existing := it.existing()
	it.client.ClearActions()
	pods := slices.Collect(maps.Values(it.pods))
	if err := reconciler.Reconcile(klog.Background(), it.service, pods, existing, time.Time{}); err != nil {
		panic(err)
	}
	counts := map[string]int{}
	for _, action := range it.client.Actions() {
		counts[action.GetVerb()]++
	}
	it.Line("C", cases.Text(strings.Join(changes, " ")), counts["create"], counts["update"], counts["delete"],
		len(it.existing()))
}

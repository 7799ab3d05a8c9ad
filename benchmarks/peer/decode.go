package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A cache holds its pods one by one, without managed fields, as the controller manager's does.
func decodePods(data []byte) []*corev1.Pod {
	var list corev1.PodList
	check(list.Unmarshal(data))
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pod := list.Items[i]
		pod.ManagedFields = nil
		pods[i] = &pod
	}
	return pods
}

func decode(file string) {
	data := read(file)
	pods := decodePods(data) // warm
	n := len(pods)
	pods = nil

	const rounds = 5
	best := time.Duration(1 << 62)
	for range rounds {
		start := cpuTime()
		pods = decodePods(data)
		best = min(best, cpuTime()-start)
	}
	fmt.Printf("cpu_ns_per_object %d\n", int(best)/n)

	pods = nil
	heapBefore := liveHeap()
	debug.FreeOSMemory()
	rssBefore := resident()
	pods = decodePods(data)
	heap := liveHeap() - heapBefore
	debug.FreeOSMemory()
	fmt.Printf("heap_bytes_per_object %d\n", int(heap)/n)
	fmt.Printf("resident_bytes_per_object %d\n", (resident()-rssBefore)/n)
	runtime.KeepAlive(pods)
	runtime.KeepAlive(data)
}

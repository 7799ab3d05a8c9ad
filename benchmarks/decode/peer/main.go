// Command peer is upstream's side of the decode benchmark. `peer make FILE N` writes a list of N
// typical pods as the API server sends it; `peer measure FILE` decodes that with upstream's types
// and prints what it took, one `name value` a line.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "make":
		n, err := strconv.Atoi(os.Args[3])
		check(err)
		list := typicalPods(n)
		data, err := list.Marshal()
		check(err)
		check(os.WriteFile(os.Args[2], data, 0o644))
	case len(os.Args) == 3 && os.Args[1] == "measure":
		measure(os.Args[2])
	default:
		fmt.Fprintln(os.Stderr, "usage: peer make FILE N | peer measure FILE")
		os.Exit(2)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A cache holds its pods one by one, without managed fields, as the controller manager's does.
func decode(data []byte) []*corev1.Pod {
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

func measure(file string) {
	data, err := os.ReadFile(file)
	check(err)
	pods := decode(data) // warm
	n := len(pods)
	pods = nil

	const rounds = 5
	best := time.Duration(1 << 62)
	for range rounds {
		start := cpuTime()
		pods = decode(data)
		best = min(best, cpuTime()-start)
	}
	fmt.Printf("cpu_ns_per_object %d\n", int(best)/n)

	pods = nil
	heapBefore := liveHeap()
	debug.FreeOSMemory()
	rssBefore := resident()
	pods = decode(data)
	heap := liveHeap() - heapBefore
	debug.FreeOSMemory()
	fmt.Printf("heap_bytes_per_object %d\n", int(heap)/n)
	fmt.Printf("resident_bytes_per_object %d\n", (resident()-rssBefore)/n)
	runtime.KeepAlive(pods)
	runtime.KeepAlive(data)
}

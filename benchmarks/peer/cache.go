package main

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	handlers      = 10
	replicas      = 20 // of what an index finds at once
	updatesSecond = 1000
	steadySeconds = 10
)

// cache does one thing of the cache benchmark with n pods: sync, trimmed (the same without managed
// fields), steady, or write, which makes the changes that both sides follow.
func cache(what string, n int) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	set, err := kubernetes.NewForConfig(config)
	check(err)
	switch what {
	case "sync", "trimmed":
		syncPods(set, n, what == "trimmed")
	case "steady":
		followPods(set)
	case "write":
		writePods(set, n)
	}
}

func podInformer(set kubernetes.Interface, trimmed bool) (informers.SharedInformerFactory, toolscache.SharedIndexInformer) {
	factory := informers.NewSharedInformerFactory(set, 0)
	informer := factory.Core().V1().Pods().Informer()
	check(informer.AddIndexers(toolscache.Indexers{"app": func(object any) ([]string, error) {
		return []string{appOf(object.(*corev1.Pod).Name)}, nil
	}}))
	if trimmed {
		check(informer.SetTransform(func(object any) (any, error) {
			if pod, ok := object.(*corev1.Pod); ok {
				pod.ManagedFields = nil
			}
			return object, nil
		}))
	}
	return factory, informer
}

// appOf has so many pods each as a Deployment has replicas.
func appOf(pod string) string {
	n, _ := strconv.Atoi(pod[strings.IndexByte(pod, '-')+1:])
	return "app-" + strconv.Itoa(n/replicas)
}

func syncPods(set kubernetes.Interface, n int, trimmed bool) {
	_, err := set.CoreV1().Namespaces().Get(context.Background(), "bench", metav1.GetOptions{}) // the connection
	check(err)
	factory, informer := podInformer(set, trimmed)
	start, cpu := time.Now(), cpuTime()
	stop := make(chan struct{})
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	took, used := time.Since(start), cpuTime()-cpu
	if len(informer.GetStore().ListKeys()) < n {
		check(fmt.Errorf("%d pods", len(informer.GetStore().ListKeys())))
	}
	time.Sleep(3 * time.Second)
	fmt.Printf("sync_ms %d\nsync_cpu_ms %d\nsync_resident_kb %d\n", took.Milliseconds(), used.Milliseconds(), resident()/1024)
	runtime.GC()
	debug.FreeOSMemory()
	fmt.Printf("sync_least_kb %d\nsync_peak_kb %d\n", resident()/1024, peak())
	key := 0
	measure("index_ns", 20000, func() bool {
		key = (key + 7919) % (n / replicas)
		found, err := informer.GetIndexer().ByIndex("app", "app-"+strconv.Itoa(key))
		return err == nil && len(found) > 0
	})
	measure("get_ns", 20000, func() bool {
		key = (key + 7919) % (n - 1)
		_, exists, err := informer.GetIndexer().GetByKey("bench/go-" + strconv.Itoa(key+1))
		return err == nil && exists
	})
	close(stop)
}

// followPods goes on until the writer says that it is done.
func followPods(set kubernetes.Interface) {
	factory, informer := podInformer(set, false)
	var seen atomic.Int64
	var mutex sync.Mutex
	var latencies []time.Duration
	done := make(chan struct{})
	for i := range handlers {
		_, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, now any) {
			seen.Add(1)
			if i != handlers-1 {
				return
			}
			sent := now.(*corev1.Pod).Labels["sent"]
			if sent == "end" {
				close(done)
				return
			}
			nanos, _ := strconv.ParseInt(sent, 10, 64)
			mutex.Lock()
			latencies = append(latencies, time.Since(time.Unix(0, nanos)))
			mutex.Unlock()
		}})
		check(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	fmt.Println("# synced")
	cpu := cpuTime()
	<-done
	used := cpuTime() - cpu
	close(stop)
	mutex.Lock()
	defer mutex.Unlock()
	slices.Sort(latencies)
	fmt.Printf("steady_updates %d\n", len(latencies))
	fmt.Printf("steady_cpu_us %.1f\n", float64(used.Microseconds())/float64(len(latencies)))
	fmt.Printf("steady_p50_us %d\n", latencies[len(latencies)/2].Microseconds())
	fmt.Printf("steady_p99_us %d\n", latencies[len(latencies)*99/100].Microseconds())
}

// writePods changes one of n pods a thousand times a second, each time with the time of day.
func writePods(set kubernetes.Interface, n int) {
	pods := set.CoreV1().Pods("bench")
	patch := func(name, sent string) {
		text := fmt.Sprintf(`{"metadata":{"labels":{"sent":"%s"}}}`, sent)
		_, err := pods.Patch(context.Background(), name, types.MergePatchType, []byte(text), metav1.PatchOptions{})
		check(err)
	}
	begin := time.Now()
	var next atomic.Int64
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for {
				i := next.Add(1)
				at := begin.Add(time.Duration(i) * time.Second / updatesSecond)
				if at.Sub(begin) > steadySeconds*time.Second {
					return
				}
				time.Sleep(time.Until(at))
				patch(fmt.Sprintf("go-%d", 1+rand.Intn(n-1)), strconv.FormatInt(time.Now().UnixNano(), 10))
			}
		})
	}
	wait.Wait()
	fmt.Printf("written_per_second %.0f\n", float64(next.Load())/time.Since(begin).Seconds())
	patch("go-1", "end")
	patch("go-1", "over")
}

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const inFlight = 64

// client does one verb n times on the cluster of KUBECONFIG, many at once, and prints what it took.
func client(verb string, n int) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	check(err)
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	set, err := kubernetes.NewForConfig(config)
	check(err)
	ctx := context.Background()
	pods := set.CoreV1().Pods("bench")

	// "create:10000" goes on from there.
	verb, from, _ := strings.Cut(verb, ":")
	first, _ := strconv.Atoi(from)
	var call func(i int) error
	switch verb {
	case "prepare":
		_, err := set.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "bench"}}, metav1.CreateOptions{})
		check(err)
		_, err = set.CoreV1().ServiceAccounts("bench").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
		check(err)
		return
	case "create":
		call = func(i int) error {
			_, err := pods.Create(ctx, benchPod(fmt.Sprintf("go-%d", first+i)), metav1.CreateOptions{})
			return err
		}
	case "get":
		call = func(i int) error {
			_, err := pods.Get(ctx, fmt.Sprintf("go-%d", i%1000), metav1.GetOptions{})
			return err
		}
	case "patch":
		call = func(i int) error {
			patch := fmt.Sprintf(`{"metadata":{"annotations":{"round":"%d"}}}`, i)
			_, err := pods.Patch(ctx, fmt.Sprintf("go-%d", i%1000), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		}
	case "list":
		call = func(int) error {
			list, err := pods.List(ctx, metav1.ListOptions{})
			if err == nil && len(list.Items) < 10000 {
				err = fmt.Errorf("%d pods", len(list.Items))
			}
			return err
		}
	}
	if first == 0 {
		check(call(0)) // the connection
	}
	start, cpu := time.Now(), cpuTime()
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(inFlight, n) {
		wait.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				check(call(int(i)))
			}
		})
	}
	wait.Wait()
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	fmt.Printf("%s_cpu_us %.1f\n", verb, float64((cpuTime()-cpu).Microseconds())/float64(n))
	fmt.Printf("%s_per_second %.0f\n", verb, float64(n)/time.Since(start).Seconds())
	fmt.Printf("%s_peak_kb %d\n", verb, usage.Maxrss)
}

// benchPod is a typical pod as a controller creates it.
func benchPod(name string) *corev1.Pod {
	template := typicalTemplate()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = name
	pod.Labels["app.kubernetes.io/instance"] = name
	return pod
}

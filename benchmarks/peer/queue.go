package main

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	_ "k8s.io/component-base/metrics/prometheus/workqueue" // what the manager's queues record to
)

const (
	queueKeys    = 10_000
	queueRounds  = 50
	queueWorkers = 4
)

// queue measures what a key costs from its being added to its being done with.
func queue() {
	keys := make([]string, queueKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/deployment-%d", i%100, i)
	}

	bare := newQueue("")
	measureKeys("bare_cycle_ns", cpuTime, func() { addGetDone(bare, keys) })
	q := newQueue("bench")
	measureKeys("cycle_ns", cpuTime, func() { addGetDone(q, keys) })
	for _, key := range keys {
		q.Add(key)
	}
	measureKeys("again_ns", cpuTime, func() {
		for _, key := range keys {
			q.Add(key)
		}
	})
	addGetDone(q, keys)

	start := time.Now()
	measureKeys("threads_ns", func() time.Duration { return time.Since(start) }, func() { pass(keys) })
	measureKeys("delay_ns", cpuTime, func() {
		q := newQueue("delays")
		for i, key := range keys {
			q.AddAfter(key, time.Duration(3600+i*7919%queueKeys)*time.Second)
		}
		q.ShutDown()
	})
}

// newQueue makes one as controllers do; without a name it keeps no metrics.
func newQueue(name string) workqueue.TypedRateLimitingInterface[string] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: name})
}

func addGetDone(q workqueue.TypedRateLimitingInterface[string], keys []string) {
	for _, key := range keys {
		q.Add(key)
	}
	for q.Len() > 0 {
		key, _ := q.Get()
		q.Done(key)
	}
}

// pass has one add and four process.
func pass(keys []string) {
	q := newQueue("threads")
	var workers sync.WaitGroup
	for range queueWorkers {
		workers.Go(func() {
			for {
				key, end := q.Get()
				if end {
					return
				}
				q.Done(key)
			}
		})
	}
	for _, key := range keys {
		q.Add(key)
	}
	q.ShutDown()
	workers.Wait()
}

// measureKeys prints the time of one of the keys of a call, in the best of some.
func measureKeys(name string, now func() time.Duration, call func()) {
	best := time.Duration(1 << 62)
	for range queueRounds {
		start := now()
		call()
		best = min(best, now()-start)
	}
	fmt.Printf("%s %.1f\n", name, float64(best)/queueKeys)
}

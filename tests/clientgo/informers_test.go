package clientgo

import (
	"fmt"
	"net/http"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// journal is what happened, a line each, from several threads.
type journal struct {
	mutex sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) text() string {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return strings.Join(j.lines, "\n")
}

// sorted is for what comes in no order.
func (j *journal) sorted() string {
	lines := strings.Split(j.text(), "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func (j *journal) clear() {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.lines = nil
}

// handler writes down what an informer tells.
func (j *journal) handler() cache.ResourceEventHandler {
	name := func(object any) string { return must(meta.Accessor(object)).GetName() }
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			if initial {
				j.add("found " + name(object))
			} else {
				j.add("added " + name(object))
			}
		},
		UpdateFunc: func(before, after any) {
			if must(meta.Accessor(before)).GetResourceVersion() == must(meta.Accessor(after)).GetResourceVersion() {
				j.add("synced " + name(after))
			} else {
				j.add("changed " + name(after))
			}
		},
		DeleteFunc: func(object any) {
			if unseen, is := object.(cache.DeletedFinalStateUnknown); is {
				j.add("missed " + unseen.Key)
			} else {
				j.add("deleted " + name(object))
			}
		},
	}
}

// requests writes down what a client asks for: verb, and how it asks.
func (j *journal) requests(config *rest.Config) {
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			query := request.URL.Query()
			query.Del("timeoutSeconds")
			query.Del("timeout")
			if version := query.Get("resourceVersion"); version != "" && version != "0" {
				query.Set("resourceVersion", "VERSION")
			}
			line := request.Method + " " + query.Encode()
			j.add(strings.TrimSpace(line))
			return inner.RoundTrip(request)
		})
	})
}

// informed are the ways to make an informer of config maps in the world's namespace.
var informed = map[string]func(w *world) cache.SharedIndexInformer{
	"Typed": func(w *world) cache.SharedIndexInformer {
		factory := informers.NewSharedInformerFactoryWithOptions(w.typed, 0, informers.WithNamespace(w.space))
		return factory.Core().V1().ConfigMaps().Informer()
	},
	"TypedProtobuf": func(w *world) cache.SharedIndexInformer {
		factory := informers.NewSharedInformerFactoryWithOptions(w.with(func(config *rest.Config) {
			asProtobuf(config)
			config.WrapTransport = w.config.WrapTransport
		}).typed, 0, informers.WithNamespace(w.space))
		return factory.Core().V1().ConfigMaps().Informer()
	},
	"Dynamic": func(w *world) cache.SharedIndexInformer {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(w.dynamic, 0, w.space, nil)
		return factory.ForResource(configMaps).Informer()
	},
	"Metadata": func(w *world) cache.SharedIndexInformer {
		factory := metadatainformer.NewFilteredSharedInformerFactory(w.metadata, 0, w.space, nil)
		return factory.ForResource(configMaps).Informer()
	},
}

// follow takes one informer through the life of some objects.
func follow(t *testing.T, w *world, make func(w *world) cache.SharedIndexInformer, asked string) {
	defer reporting(t)
	w.colours()
	var requests, told journal
	informer := make(w.with(requests.requests))
	must(informer.AddEventHandler(told.handler()))
	stop := w.ctx.Done()
	go informer.Run(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		t.Fatal("not synced")
	}
	w.eventually("the handler has been told", func() bool { return strings.Count(told.text(), "\n") == 4 })
	expect(t, told.sorted(), "found a\nfound b\nfound c\nfound d\nfound e")
	w.eventually("it watches", func() bool {
		return strings.Contains(requests.text(), "watch=true")
	})
	expect(t, requests.text(), asked)
	told.clear()

	client := w.typed.CoreV1().ConfigMaps(w.space)
	setData(w, "a", "k", "1")
	done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
	must(client.Create(w.ctx, configMap("a", nil), metav1.CreateOptions{}))
	done(client.DeleteCollection(w.ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "colour=green"}))
	last := must(client.Create(w.ctx, configMap("last", nil), metav1.CreateOptions{}))
	w.eventually("the last has come", func() bool { return strings.Contains(told.text(), "added last") })
	// The deletes of a collection come in no order.
	expect(t, strings.ReplaceAll(told.text(), "deleted d\ndeleted b", "deleted b\ndeleted d"),
		"changed a\ndeleted a\nadded a\ndeleted b\ndeleted d\nadded last")

	keys := informer.GetStore().ListKeys()
	sort.Strings(keys)
	expect(t, strings.ReplaceAll(strings.Join(keys, " "), w.space, "SPACE"), "SPACE/a SPACE/c SPACE/e SPACE/last")
	stored, found, err := informer.GetStore().GetByKey(w.space + "/last")
	if err != nil || !found {
		t.Fatal("the last is not there", err)
	}
	expect(t, must(meta.Accessor(stored)).GetResourceVersion(), last.ResourceVersion)
	expect(t, informer.LastSyncResourceVersion(), last.ResourceVersion)
}

func TestInformersThatListByWatching(t *testing.T) {
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, true)
	for name, make := range informed {
		t.Run(name, func(t *testing.T) {
			follow(t, newWorld(t), make,
				"GET allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true")
		})
	}
}

func TestInformersThatListAndThenWatch(t *testing.T) {
	featurestesting.SetFeatureDuringTest(t, features.WatchListClient, false)
	for name, make := range informed {
		t.Run(name, func(t *testing.T) {
			follow(t, newWorld(t), make,
				"GET limit=500&resourceVersion=0\nGET allowWatchBookmarks=true&resourceVersion=VERSION&watch=true")
		})
	}
}

func TestAnInformerSyncsTransformsAndIndexes(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		w.colours()
		factory := informers.NewSharedInformerFactoryWithOptions(w.typed, time.Second,
			informers.WithNamespace(w.space),
			informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "colour!=blue" }),
			informers.WithTransform(func(object any) (any, error) {
				if configMap, is := object.(*corev1.ConfigMap); is {
					configMap.ManagedFields = nil
					configMap.Data["seen"] = "yes"
				}
				return object, nil
			}))
		maps := factory.Core().V1().ConfigMaps()
		done(maps.Informer().AddIndexers(cache.Indexers{"colour": func(object any) ([]string, error) {
			return []string{object.(*corev1.ConfigMap).Data["colour"]}, nil
		}}))
		var told journal
		must(maps.Informer().AddEventHandler(told.handler()))
		factory.StartWithContext(w.ctx)
		factory.WaitForCacheSyncWithContext(w.ctx)

		green := must(maps.Informer().GetIndexer().IndexKeys("colour", "green"))
		sort.Strings(green)
		expect(t, strings.ReplaceAll(fmt.Sprint(green), w.space, "SPACE"), "[SPACE/b SPACE/d]")
		expect(t, fmt.Sprint(len(must(maps.Informer().GetIndexer().ByIndex("colour", "blue")))), "0")
		expect(t, w.show(must(maps.Lister().ConfigMaps(w.space).Get("a"))), `
			data:
			  colour: red
			  seen: "yes"
			metadata:
			  creationTimestamp: TIME
			  labels:
			    colour: red
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID`)
		w.eventually("all have been synced again", func() bool {
			return strings.Contains(told.text(), "synced a") && strings.Contains(told.text(), "synced b") &&
				strings.Contains(told.text(), "synced d") && strings.Contains(told.text(), "synced e")
		})
	})
}

// One that is cut off goes on where it was, and misses nothing.
func TestAnInformerOutlivesItsConnection(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		w.colours()
		factory := informers.NewSharedInformerFactoryWithOptions(w.typed, 0, informers.WithNamespace(w.space),
			informers.WithTweakListOptions(func(options *metav1.ListOptions) {
				if options.TimeoutSeconds != nil { // a watch: it ends every second
					second := int64(1)
					options.TimeoutSeconds = &second
				}
			}))
		var told journal
		informer := factory.Core().V1().ConfigMaps().Informer()
		must(informer.AddEventHandler(told.handler()))
		factory.StartWithContext(w.ctx)
		factory.WaitForCacheSyncWithContext(w.ctx)
		w.eventually("the handler has been told", func() bool { return strings.Count(told.text(), "\n") == 4 })
		told.clear()
		var expected []string
		client := w.typed.CoreV1().ConfigMaps(w.space)
		for i := range 30 {
			name := fmt.Sprintf("n%02d", i)
			must(client.Create(w.ctx, configMap(name, nil), metav1.CreateOptions{}))
			expected = append(expected, "added "+name)
			time.Sleep(100 * time.Millisecond)
		}
		w.eventually("the last has come", func() bool { return strings.Contains(told.text(), "added n29") })
		expect(t, told.text(), strings.Join(expected, "\n"))
	})
}

// Package clientgo holds a server to what client-go expects of it. The tests know where the server
// is, by KUBECONFIG, and not which one it is: they run on kube-apiserver and on the embedded one.
//
// A test looks at whole answers, as YAML, with what differs from run to run replaced by its kind.
package clientgo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kuberuntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// patience is how long anything may take that the server has to do by itself.
const patience = 30 * time.Second

var serverConfig *rest.Config

func TestMain(m *testing.M) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "KUBECONFIG:", err)
		os.Exit(1)
	}
	klog.LogToStderr(false) // candidates for a lease say a lot
	klog.SetOutput(io.Discard)
	config.QPS = -1 // as fast as the server is
	config.ContentType = kuberuntime.ContentTypeJSON
	serverConfig = config
	os.Exit(m.Run())
}

// world is what a test has: clients, and a namespace of its own.
type world struct {
	t      *testing.T
	ctx    context.Context
	space  string
	config *rest.Config

	typed    kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

// newWorld makes the namespace, and in it the service account that pods need: nobody else does.
func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	w := (&world{t: t, ctx: ctx}).with(func(*rest.Config) {})
	namespace, err := w.typed.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "clientgo-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.space = namespace.Name
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := w.typed.CoreV1().ServiceAccounts(w.space).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return w
}

// with is the same world through other clients.
func (w *world) with(change func(config *rest.Config)) *world {
	other := *w
	other.config = rest.CopyConfig(serverConfig)
	change(other.config)
	other.typed = must(kubernetes.NewForConfig(other.config))
	other.dynamic = must(dynamic.NewForConfig(other.config))
	other.metadata = must(metadata.NewForConfig(other.config))
	return &other
}

func asProtobuf(config *rest.Config) {
	config.ContentType = kuberuntime.ContentTypeProtobuf
	config.AcceptContentTypes = kuberuntime.ContentTypeProtobuf + "," + kuberuntime.ContentTypeJSON
}

// encodings runs a test once for each way in which objects travel.
func encodings(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		defer reporting(t)
		test(t, newWorld(t))
	})
	t.Run("Protobuf", func(t *testing.T) {
		t.Parallel()
		defer reporting(t)
		test(t, newWorld(t).with(asProtobuf))
	})
}

// failure is what must panics with: the test ends there, and reporting says where.
type failure struct {
	where string
	err   error
}

// must is for calls that cannot fail unless the server is wrong. It stands in tests that begin with
// `defer reporting(t)`.
func must[T any](value T, err error) T {
	if err != nil {
		panic(failure{caller(2), err})
	}
	return value
}

func done(err error) {
	if err != nil {
		panic(failure{caller(2), err})
	}
}

func caller(depth int) string {
	_, file, line, _ := runtime.Caller(depth)
	return fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
}

// reporting turns the panic of must into a failed test.
func reporting(t *testing.T) {
	switch found := recover().(type) {
	case nil:
	case failure:
		t.Errorf("%s: %v", found.where, found.err)
	default:
		panic(found)
	}
}

// eventually waits until the condition holds.
func (w *world) eventually(what string, condition func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited in vain until %s", what)
		}
	}
}

// roundTripper is a function that is one.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

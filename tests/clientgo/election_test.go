package clientgo

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// candidate stands for election until it is told to stop.
type candidate struct {
	leads   atomic.Bool
	stop    context.CancelFunc
	stopped chan struct{}
	cutOff  atomic.Bool
}

func (w *world) stand(name string) *candidate {
	c := &candidate{stopped: make(chan struct{})}
	own := w.with(func(config *rest.Config) {
		config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
			return roundTripper(func(request *http.Request) (*http.Response, error) {
				if c.cutOff.Load() {
					return nil, errors.New("cut off")
				}
				return inner.RoundTrip(request)
			})
		})
	})
	ctx, cancel := context.WithCancel(w.ctx)
	c.stop = cancel
	elector := must(leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: w.space, Name: "leader"},
			Client:     own.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 100 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { c.leads.Store(true) },
			OnStoppedLeading: func() { c.leads.Store(false) },
		},
	}))
	go func() {
		defer close(c.stopped)
		elector.Run(ctx)
	}()
	return c
}

func TestLeadersAreElectedRenewedAndReplaced(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		lease := func() *coordinationv1.Lease {
			return must(w.typed.CoordinationV1().Leases(w.space).Get(w.ctx, "leader", metav1.GetOptions{}))
		}
		first := w.stand("first")
		w.eventually("the first leads", first.leads.Load)
		taken := lease()
		expect(t, w.show(taken), `
			metadata:
			  creationTimestamp: TIME
			  name: leader
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			spec:
			  acquireTime: TIME
			  holderIdentity: first
			  leaseDurationSeconds: 3
			  leaseTransitions: 0
			  renewTime: TIME`)
		second := w.stand("second")
		w.eventually("it is renewed", func() bool { return lease().Spec.RenewTime.After(taken.Spec.RenewTime.Time) })
		if second.leads.Load() {
			t.Error("two lead")
		}

		// One who cannot renew gives up before another can take over.
		first.cutOff.Store(true)
		w.eventually("the first has lost", func() bool { return !first.leads.Load() })
		if second.leads.Load() {
			t.Error("the second leads too early")
		}
		w.eventually("the second leads", second.leads.Load)
		expect(t, w.show(lease().Spec), `
			acquireTime: TIME
			holderIdentity: second
			leaseDurationSeconds: 3
			leaseTransitions: 1
			renewTime: TIME`)

		// One who goes says so, and the next need not wait.
		second.stop()
		<-second.stopped
		expect(t, w.show(lease().Spec), `
			acquireTime: TIME
			holderIdentity: ""
			leaseDurationSeconds: 1
			leaseTransitions: 1
			renewTime: TIME`)
		third := w.stand("third")
		w.eventually("the third leads", third.leads.Load)
		expect(t, w.show(lease().Spec), `
			acquireTime: TIME
			holderIdentity: third
			leaseDurationSeconds: 3
			leaseTransitions: 2
			renewTime: TIME`)
		third.stop()
		<-third.stopped
	})
}

package clientgo

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// pod has one container; with a node it counts as scheduled there.
func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{
			NodeName:                     node,
			Containers:                   []corev1.Container{{Name: "c", Image: "nginx:1"}},
			AutomountServiceAccountToken: ptr.To(false),
		},
	}
}

func TestAPodIsBoundToANode(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().Pods(w.space)
		must(client.Create(w.ctx, pod("a", ""), metav1.CreateOptions{}))
		binding := &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{"by": "hand"}},
			Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
		}
		done(client.Bind(w.ctx, binding, metav1.CreateOptions{}))
		expect(t, w.show(must(client.Get(w.ctx, "a", metav1.GetOptions{}))), `
			metadata:
			  annotations:
			    by: hand
			  creationTimestamp: TIME
			  generation: 1
			  labels:
			    app: a
			  name: a
			  namespace: SPACE
			  resourceVersion: VERSION
			  uid: UID
			spec:
			  automountServiceAccountToken: false
			  containers:
			  - image: nginx:1
			    imagePullPolicy: IfNotPresent
			    name: c
			    resources: {}
			    terminationMessagePath: /dev/termination-log
			    terminationMessagePolicy: File
			  dnsPolicy: ClusterFirst
			  enableServiceLinks: true
			  nodeName: node-1
			  preemptionPolicy: PreemptLowerPriority
			  priority: 0
			  restartPolicy: Always
			  schedulerName: default-scheduler
			  securityContext: {}
			  serviceAccount: default
			  serviceAccountName: default
			  terminationGracePeriodSeconds: 30
			  tolerations:
			  - effect: NoExecute
			    key: node.kubernetes.io/not-ready
			    operator: Exists
			    tolerationSeconds: 300
			  - effect: NoExecute
			    key: node.kubernetes.io/unreachable
			    operator: Exists
			    tolerationSeconds: 300
			status:
			  conditions:
			  - lastProbeTime: null
			    lastTransitionTime: TIME
			    status: "True"
			    type: PodScheduled
			  phase: Pending
			  qosClass: BestEffort`)

		expect(t, w.refusal(onlyError(client.Bind(w.ctx, binding, metav1.CreateOptions{}))), `
			409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "node-1"
			of  pods/binding a`)
		binding.Name = "b"
		expect(t, w.refusal(onlyError(client.Bind(w.ctx, binding, metav1.CreateOptions{}))), `
			404 NotFound: pods "b" not found
			of  pods b`)
		other := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Target: corev1.ObjectReference{Kind: "Pod"}}
		expect(t, w.refusal(onlyError(client.Bind(w.ctx, other, metav1.CreateOptions{}))), `
			500 : [target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]`)
	})
}

func TestABudgetHoldsBackEvictions(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().Pods(w.space)
		for _, name := range []string{"a", "b"} {
			made := pod(name, "node-1")
			made.Labels = map[string]string{"app": "guarded"}
			ready := must(client.Create(w.ctx, made, metav1.CreateOptions{}))
			ready.Status.Phase = corev1.PodRunning
			ready.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			must(client.UpdateStatus(w.ctx, ready, metav1.UpdateOptions{}))
		}
		evict := func(name string, options *metav1.DeleteOptions) error {
			eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}, DeleteOptions: options}
			// The server says when to come again, and client-go would.
			return w.typed.CoreV1().RESTClient().Post().Namespace(w.space).Resource("pods").Name(name).
				SubResource("eviction").Body(eviction).MaxRetries(0).Do(w.ctx).Error()
		}
		budgets := w.typed.PolicyV1().PodDisruptionBudgets(w.space)
		budget := must(budgets.Create(w.ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "guard"},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: ptr.To(intstr.FromInt32(1)),
				Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "guarded"}},
			},
		}, metav1.CreateOptions{}))
		expect(t, w.refusal(onlyError(evict("a", nil))), `
			429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption budget.
			 DisruptionBudget: The disruption budget guard is still being processed by the server.`)

		budget.Status = policyv1.PodDisruptionBudgetStatus{
			ObservedGeneration: budget.Generation, DisruptionsAllowed: 1, CurrentHealthy: 2, DesiredHealthy: 1, ExpectedPods: 2,
		}
		must(budgets.UpdateStatus(w.ctx, budget, metav1.UpdateOptions{}))
		dry := &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		done(evict("b", dry))
		done(evict("a", &metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](5)}))
		gone := must(client.Get(w.ctx, "a", metav1.GetOptions{}))
		expect(t, w.show(gone.ObjectMeta), `
			creationTimestamp: TIME
			deletionGracePeriodSeconds: 5
			deletionTimestamp: TIME
			generation: 2
			labels:
			  app: guarded
			name: a
			namespace: SPACE
			resourceVersion: VERSION
			uid: UID`)
		expect(t, w.show(gone.Status.Conditions), `
			- lastProbeTime: null
			  lastTransitionTime: null
			  status: "True"
			  type: Ready
			- lastProbeTime: null
			  lastTransitionTime: TIME
			  message: 'Eviction API: evicting'
			  reason: EvictionByEvictionAPI
			  status: "True"
			  type: DisruptionTarget`)
		expect(t, w.show(must(budgets.Get(w.ctx, "guard", metav1.GetOptions{})).Status), `
			conditions:
			- lastTransitionTime: TIME
			  message: ""
			  observedGeneration: 1
			  reason: InsufficientPods
			  status: "False"
			  type: DisruptionAllowed
			currentHealthy: 2
			desiredHealthy: 1
			disruptedPods:
			  a: TIME
			disruptionsAllowed: 0
			expectedPods: 2
			observedGeneration: 1`)
		expect(t, w.refusal(onlyError(evict("b", nil))), `
			429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption budget.
			 DisruptionBudget: The disruption budget guard does not allow evicting pods currently`)
		expect(t, w.refusal(onlyError(evict("c", nil))), `
			404 NotFound: pods "c" not found
			of  pods c`)
		if must(client.Get(w.ctx, "b", metav1.GetOptions{})).DeletionTimestamp != nil {
			t.Error("an attempt took effect")
		}
	})
}

func TestADebuggingContainerIsAdded(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().Pods(w.space)
		made := must(client.Create(w.ctx, pod("a", "node-1"), metav1.CreateOptions{}))
		made.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
			EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "busybox:1"},
		}}
		made.Spec.Containers[0].Image = "nginx:2" // not for this call to say
		got := must(client.UpdateEphemeralContainers(w.ctx, "a", made, metav1.UpdateOptions{}))
		expect(t, w.show(got.Spec), `
			automountServiceAccountToken: false
			containers:
			- image: nginx:1
			  imagePullPolicy: IfNotPresent
			  name: c
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			dnsPolicy: ClusterFirst
			enableServiceLinks: true
			ephemeralContainers:
			- image: busybox:1
			  imagePullPolicy: IfNotPresent
			  name: debug
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			nodeName: node-1
			preemptionPolicy: PreemptLowerPriority
			priority: 0
			restartPolicy: Always
			schedulerName: default-scheduler
			securityContext: {}
			serviceAccount: default
			serviceAccountName: default
			terminationGracePeriodSeconds: 30
			tolerations:
			- effect: NoExecute
			  key: node.kubernetes.io/not-ready
			  operator: Exists
			  tolerationSeconds: 300
			- effect: NoExecute
			  key: node.kubernetes.io/unreachable
			  operator: Exists
			  tolerationSeconds: 300`)
		expect(t, w.refusal(client.Update(w.ctx, func() *corev1.Pod {
			changed := got.DeepCopy()
			changed.Spec.EphemeralContainers = nil
			return changed
		}(), metav1.UpdateOptions{}))[:len("422 Invalid")], "422 Invalid")
	})
}

func TestATokenOfAServiceAccountIsKnownByReview(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		account := must(w.typed.CoreV1().ServiceAccounts(w.space).Create(w.ctx,
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{}))
		bound := must(w.typed.CoreV1().Pods(w.space).Create(w.ctx, func() *corev1.Pod {
			made := pod("a", "")
			made.Spec.ServiceAccountName = "robot"
			return made
		}(), metav1.CreateOptions{}))
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: ptr.To[int64](600),
			BoundObjectRef:    &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: "a", UID: bound.UID},
		}}
		issued := must(w.typed.CoreV1().ServiceAccounts(w.space).CreateToken(w.ctx, "robot", request, metav1.CreateOptions{}))
		token := issued.Status.Token
		issued.Status.Token = "TOKEN"
		expect(t, w.show(issued), `
			metadata:
			  creationTimestamp: TIME
			  name: robot
			  namespace: SPACE
			  uid: UID
			spec:
			  audiences:
			  - https://kubernetes.default.svc
			  boundObjectRef:
			    apiVersion: v1
			    kind: Pod
			    name: a
			    uid: UID
			  expirationSeconds: 600
			status:
			  expirationTimestamp: TIME
			  token: TOKEN`)

		reviews := w.typed.AuthenticationV1().TokenReviews()
		review := must(reviews.Create(w.ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{}))
		if review.Status.User.UID != string(account.UID) {
			t.Errorf("of another uid: %s", review.Status.User.UID)
		}
		for key := range review.Status.User.Extra {
			if key == "authentication.kubernetes.io/credential-id" || key == "authentication.kubernetes.io/pod-uid" {
				review.Status.User.Extra[key] = []string{"UID"}
			}
		}
		expect(t, w.show(review.Status), `
			audiences:
			- https://kubernetes.default.svc
			authenticated: true
			user:
			  extra:
			    authentication.kubernetes.io/credential-id:
			    - UID
			    authentication.kubernetes.io/pod-name:
			    - a
			    authentication.kubernetes.io/pod-uid:
			    - UID
			  groups:
			  - system:serviceaccounts
			  - system:serviceaccounts:SPACE
			  - system:authenticated
			  uid: UID
			  username: system:serviceaccount:SPACE:robot`)
		unknown := must(reviews.Create(w.ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: "unknown"}}, metav1.CreateOptions{}))
		if unknown.Status.Authenticated {
			t.Errorf("any token is taken: %s", w.show(unknown.Status))
		}
		elsewhere := must(reviews.Create(w.ctx, &authenticationv1.TokenReview{
			Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{"elsewhere"}}}, metav1.CreateOptions{}))
		if elsewhere.Status.Authenticated {
			t.Errorf("for any audience: %s", w.show(elsewhere.Status))
		}

		// It lasts no longer than the pod.
		done(w.typed.CoreV1().Pods(w.space).Delete(w.ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
		w.eventually("the token is void", func() bool {
			again := must(reviews.Create(w.ctx, &authenticationv1.TokenReview{
				Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{}))
			return !again.Status.Authenticated
		})
		_, err := w.typed.CoreV1().ServiceAccounts(w.space).CreateToken(w.ctx, "nobody", request, metav1.CreateOptions{})
		expect(t, w.refusal(nil, err), `
			404 NotFound: serviceaccounts "nobody" not found
			of  serviceaccounts nobody`)
	})
}

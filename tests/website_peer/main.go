// The operator of examples/website as somebody would write it with controller-runtime: what ours is
// held to, in what it makes and in what it takes.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "web.example.com/cleanup"

type reconciler struct {
	client.Client
	scheme *runtime.Scheme
	events record.EventRecorder
}

func labelsOf(site *Website) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "website", "web.example.com/website": site.Name}
}

func label(site *Website, object client.Object) {
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, labelsOf(site))
	object.SetLabels(labels)
}

func (r *reconciler) keep(ctx context.Context, site *Website, object client.Object, set func()) error {
	object.SetNamespace(site.Namespace)
	object.SetName(site.Name)
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, object, func() error {
		label(site, object)
		set()
		return controllerutil.SetControllerReference(site, object, r.scheme)
	})
	return err
}

func wanted(site *Website) int32 {
	if site.Spec.Replicas == nil {
		return 1
	}
	return *site.Spec.Replicas
}

func (r *reconciler) keepServers(ctx context.Context, site *Website, servers *appsv1.Deployment) error {
	return r.keep(ctx, site, servers, func() {
		replicas := wanted(site)
		servers.Spec.Replicas = &replicas
		servers.Spec.Selector = &metav1.LabelSelector{MatchLabels: labelsOf(site)}
		servers.Spec.Template.Labels = labelsOf(site)
		pod := &servers.Spec.Template.Spec
		if len(pod.Volumes) != 1 {
			pod.Volumes = make([]corev1.Volume, 1)
		}
		pod.Volumes[0].Name = "page"
		if pod.Volumes[0].ConfigMap == nil {
			pod.Volumes[0].ConfigMap = &corev1.ConfigMapVolumeSource{}
		}
		pod.Volumes[0].ConfigMap.Name = site.Name
		if len(pod.Containers) != 1 {
			pod.Containers = make([]corev1.Container, 1)
		}
		container := &pod.Containers[0]
		container.Name = "server"
		container.Image = "nginx:1.29-alpine"
		if len(container.Ports) != 1 {
			container.Ports = make([]corev1.ContainerPort, 1)
		}
		container.Ports[0].ContainerPort = 80
		container.VolumeMounts = []corev1.VolumeMount{{Name: "page", MountPath: "/usr/share/nginx/html"}}
	})
}

func (r *reconciler) keepFront(ctx context.Context, site *Website) error {
	front := &corev1.Service{}
	return r.keep(ctx, site, front, func() {
		if front.Annotations == nil {
			front.Annotations = map[string]string{}
		}
		front.Annotations["web.example.com/host"] = site.Spec.Host
		front.Spec.Selector = labelsOf(site)
		if len(front.Spec.Ports) != 1 {
			front.Spec.Ports = make([]corev1.ServicePort, 1)
		}
		front.Spec.Ports[0].Port = 80
	})
}

func (r *reconciler) report(ctx context.Context, site *Website, ready int32) error {
	before := site.DeepCopy()
	site.Status.ReadyReplicas = &ready
	served := ready >= wanted(site)
	condition := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "ServersMissing",
		Message:            fmt.Sprintf("%d of %d servers are ready", ready, wanted(site)),
		ObservedGeneration: site.Generation,
	}
	if served {
		condition.Status, condition.Reason = metav1.ConditionTrue, "Served"
	}
	was := meta.IsStatusConditionTrue(site.Status.Conditions, "Ready")
	changed := meta.SetStatusCondition(&site.Status.Conditions, condition)
	if !changed && before.Status.ReadyReplicas != nil && *before.Status.ReadyReplicas == ready {
		return nil
	}
	if err := r.Status().Update(ctx, site); err != nil {
		return err
	}
	if served && !was {
		r.events.Event(site, corev1.EventTypeNormal, "Served", site.Spec.Host+" is served")
	}
	return nil
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &Website{}
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(site, finalizer) {
			r.events.Event(site, corev1.EventTypeNormal, "Withdrawn", site.Spec.Host+" is no longer served")
			return ctrl.Result{}, r.Update(ctx, site)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := r.Update(ctx, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	page := &corev1.ConfigMap{}
	if err := r.keep(ctx, site, page, func() {
		if page.Data == nil {
			page.Data = map[string]string{}
		}
		page.Data["index.html"] = site.Spec.HTML
	}); err != nil {
		return ctrl.Result{}, err
	}
	servers := &appsv1.Deployment{}
	if err := r.keepServers(ctx, site, servers); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.keepFront(ctx, site); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.report(ctx, site, servers.Status.ReadyReplicas)
}

func (w *Website) DeepCopy() *Website {
	out := &Website{}
	w.DeepCopyInto(out)
	return out
}

func run(address string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addToScheme(scheme)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		HealthProbeBindAddress: address,
		Metrics:                server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	if err := manager.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	r := &reconciler{Client: manager.GetClient(), scheme: scheme,
		events: manager.GetEventRecorderFor("website")}
	err = ctrl.NewControllerManagedBy(manager).For(&Website{}).Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).Owns(&corev1.Service{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).Complete(r)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	address := flag.String("health-address", "0", "where health is served")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

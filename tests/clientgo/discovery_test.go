package clientgo

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

// resourceLines are what discovery found, one line a resource. What only one of its two forms says
// is left out: hashes of storage versions, singular names of subresources.
func resourceLines(lists []*metav1.APIResourceList) []string {
	var lines []string
	for _, list := range lists {
		for _, resource := range list.APIResources {
			kind := resource.Kind
			if resource.Version != "" && resource.Group+"/"+resource.Version != strings.TrimPrefix("/"+list.GroupVersion, "/") {
				kind = resource.Group + "/" + resource.Version + "." + kind
			}
			verbs := strings.Join(resource.Verbs, ",")
			if verbs == "create,delete,deletecollection,get,list,patch,update,watch" {
				verbs = "everything"
			}
			line := fmt.Sprintf("%s %s %s %s", list.GroupVersion, resource.Name, kind, verbs)
			if !strings.Contains(resource.Name, "/") {
				line += " " + resource.SingularName
			}
			if !resource.Namespaced {
				line += " of the cluster"
			}
			for _, name := range append(resource.ShortNames, resource.Categories...) {
				line += " " + name
			}
			lines = append(lines, line)
		}
	}
	sort.Strings(lines)
	return lines
}

// stable keeps the groups that are in every cluster.
func stable(lines []string, groupVersions ...string) string {
	var kept []string
	for _, line := range lines {
		for _, groupVersion := range groupVersions {
			if strings.HasPrefix(line, groupVersion+" ") {
				kept = append(kept, line)
			}
		}
	}
	return strings.Join(kept, "\n")
}

// Not beside others: while a custom kind of theirs comes or goes, discovery by many requests fails.
func TestDiscoveryInOneAnswerAndInMany(t *testing.T) {
	defer reporting(t)
	w := newWorld(t)
	var requests journal
	client := must(discovery.NewDiscoveryClientForConfig(w.with(requests.requests).config))
	groups, lists, err := client.ServerGroupsAndResources()
	done(err)
	expect(t, requests.text(), `
		GET
		GET`)
	aggregated := resourceLines(lists)
	expect(t, stable(aggregated, "apps/v1", "v1", "batch/v1", "coordination.k8s.io/v1", "policy/v1"), `
		apps/v1 controllerrevisions ControllerRevision everything controllerrevision
		apps/v1 daemonsets DaemonSet everything daemonset ds all
		apps/v1 daemonsets/status DaemonSet get,patch,update
		apps/v1 deployments Deployment everything deployment deploy all
		apps/v1 deployments/scale autoscaling/v1.Scale get,patch,update
		apps/v1 deployments/status Deployment get,patch,update
		apps/v1 replicasets ReplicaSet everything replicaset rs all
		apps/v1 replicasets/scale autoscaling/v1.Scale get,patch,update
		apps/v1 replicasets/status ReplicaSet get,patch,update
		apps/v1 statefulsets StatefulSet everything statefulset sts all
		apps/v1 statefulsets/scale autoscaling/v1.Scale get,patch,update
		apps/v1 statefulsets/status StatefulSet get,patch,update
		batch/v1 cronjobs CronJob everything cronjob cj all
		batch/v1 cronjobs/status CronJob get,patch,update
		batch/v1 jobs Job everything job all
		batch/v1 jobs/status Job get,patch,update
		coordination.k8s.io/v1 leases Lease everything lease
		policy/v1 poddisruptionbudgets PodDisruptionBudget everything poddisruptionbudget pdb
		policy/v1 poddisruptionbudgets/status PodDisruptionBudget get,patch,update
		v1 bindings Binding create binding
		v1 componentstatuses ComponentStatus get,list componentstatus of the cluster cs
		v1 configmaps ConfigMap everything configmap cm
		v1 endpoints Endpoints everything endpoints ep
		v1 events Event everything event ev
		v1 limitranges LimitRange everything limitrange limits
		v1 namespaces Namespace create,delete,get,list,patch,update,watch namespace of the cluster ns
		v1 namespaces/finalize Namespace update of the cluster
		v1 namespaces/status Namespace get,patch,update of the cluster
		v1 nodes Node everything node of the cluster no
		v1 nodes/proxy NodeProxyOptions create,delete,get,patch,update of the cluster
		v1 nodes/status Node get,patch,update of the cluster
		v1 persistentvolumeclaims PersistentVolumeClaim everything persistentvolumeclaim pvc
		v1 persistentvolumeclaims/status PersistentVolumeClaim get,patch,update
		v1 persistentvolumes PersistentVolume everything persistentvolume of the cluster pv
		v1 persistentvolumes/status PersistentVolume get,patch,update of the cluster
		v1 pods Pod everything pod po all
		v1 pods/attach PodAttachOptions create,get
		v1 pods/binding Binding create
		v1 pods/ephemeralcontainers Pod get,patch,update
		v1 pods/eviction policy/v1.Eviction create
		v1 pods/exec PodExecOptions create,get
		v1 pods/log Pod get
		v1 pods/portforward PodPortForwardOptions create,get
		v1 pods/proxy PodProxyOptions create,delete,get,patch,update
		v1 pods/resize Pod get,patch,update
		v1 pods/status Pod get,patch,update
		v1 podtemplates PodTemplate everything podtemplate
		v1 replicationcontrollers ReplicationController everything replicationcontroller rc all
		v1 replicationcontrollers/scale autoscaling/v1.Scale get,patch,update
		v1 replicationcontrollers/status ReplicationController get,patch,update
		v1 resourcequotas ResourceQuota everything resourcequota quota
		v1 resourcequotas/status ResourceQuota get,patch,update
		v1 secrets Secret everything secret
		v1 serviceaccounts ServiceAccount everything serviceaccount sa
		v1 serviceaccounts/token authentication.k8s.io/v1.TokenRequest create
		v1 services Service everything service svc all
		v1 services/proxy ServiceProxyOptions create,delete,get,patch,update
		v1 services/status Service get,patch,update`)

	legacy := must(discovery.NewDiscoveryClientForConfig(w.config))
	legacy.UseLegacyDiscovery = true
	legacyGroups, lists, err := legacy.ServerGroupsAndResources()
	done(err)
	expect(t, stable(resourceLines(lists), "apps/v1", "v1", "batch/v1", "coordination.k8s.io/v1", "policy/v1"),
		stable(aggregated, "apps/v1", "v1", "batch/v1", "coordination.k8s.io/v1", "policy/v1"))
	names := func(groups []*metav1.APIGroup) string {
		var found []string
		for _, group := range groups {
			if !strings.Contains(group.Name, "example.com") {
				found = append(found, fmt.Sprintf("%s %s", group.Name, group.PreferredVersion.GroupVersion))
			}
		}
		return strings.Join(found, "\n")
	}
	expect(t, names(groups), `
		v1
		apiregistration.k8s.io apiregistration.k8s.io/v1
		apps apps/v1
		events.k8s.io events.k8s.io/v1
		authentication.k8s.io authentication.k8s.io/v1
		authorization.k8s.io authorization.k8s.io/v1
		autoscaling autoscaling/v2
		batch batch/v1
		certificates.k8s.io certificates.k8s.io/v1
		networking.k8s.io networking.k8s.io/v1
		policy policy/v1
		rbac.authorization.k8s.io rbac.authorization.k8s.io/v1
		storage.k8s.io storage.k8s.io/v1
		admissionregistration.k8s.io admissionregistration.k8s.io/v1
		apiextensions.k8s.io apiextensions.k8s.io/v1
		scheduling.k8s.io scheduling.k8s.io/v1
		coordination.k8s.io coordination.k8s.io/v1
		node.k8s.io node.k8s.io/v1
		discovery.k8s.io discovery.k8s.io/v1
		resource.k8s.io resource.k8s.io/v1
		flowcontrol.apiserver.k8s.io flowcontrol.apiserver.k8s.io/v1
		storagemigration.k8s.io storagemigration.k8s.io/v1`)
	expect(t, names(legacyGroups), names(groups))
	expect(t, w.refusal(client.ServerResourcesForGroupVersion("nothing.example.com/v1")), `
		404 NotFound: the server could not find the requested resource
		 UnexpectedServerResponse: 404 page not found`)
}

func TestKindsAndResourcesAreMapped(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	widgets := w.defineWidgets("mapped.example.com")
	client := memory.NewMemCacheClient(must(discovery.NewDiscoveryClientForConfig(w.config)))
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(client), client, nil)
	for resource, kind := range map[string]string{
		"deploy": "apps/v1, Kind=Deployment", "po": "/v1, Kind=Pod", "services": "/v1, Kind=Service",
		"cm": "/v1, Kind=ConfigMap", "pdb": "policy/v1, Kind=PodDisruptionBudget", "ingress": "networking.k8s.io/v1, Kind=Ingress",
		"crd": "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition", "widget": "mapped.example.com/v1, Kind=Widget",
	} {
		found := must(mapper.KindFor(schema.GroupVersionResource{Resource: resource, Group: map[bool]string{true: widgets.Group}[resource == "widget"]}))
		expect(t, resource+": "+found.String(), resource+": "+kind)
	}
	mapping := must(mapper.RESTMapping(schema.GroupKind{Group: widgets.Group, Kind: "Widget"}))
	expect(t, fmt.Sprint(mapping.Resource, " ", mapping.Scope.Name()), "mapped.example.com/v1, Resource=widgets namespace")
}

func TestVersionAndOpenAPI(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	client := must(discovery.NewDiscoveryClientForConfig(w.config))
	version := must(client.ServerVersion())
	expect(t, version.Major+"."+version.Minor+" "+version.GitVersion, "1.37 v1.37.1")

	w.defineWidgets("described.example.com")
	paths := must(client.OpenAPIV3().Paths())
	apps := paths["apis/apps/v1"]
	if apps == nil {
		t.Fatalf("no apps in %v", paths)
	}
	var document struct {
		OpenAPI    string
		Paths      map[string]any
		Components struct {
			Schemas map[string]struct {
				Type       string
				Kinds      []map[string]string `json:"x-kubernetes-group-version-kind"`
				Properties map[string]any
			}
		}
	}
	done(json.Unmarshal(must(apps.Schema("application/json")), &document))
	described := document.Components.Schemas["io.k8s.api.apps.v1.Deployment"]
	expect(t, fmt.Sprint(described.Type, described.Kinds, len(described.Properties)), "object[map[group:apps kind:Deployment version:v1]] 5")
	if _, found := document.Paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]; !found {
		t.Error("no path of scales")
	}
	w.eventually("the custom kind is described", func() bool {
		return must(client.OpenAPIV3().Paths())["apis/described.example.com/v1"] != nil
	})
}

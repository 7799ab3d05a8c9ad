package main

import (
	"reflect"
	"sort"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Parts that are made anew on the way with a budget of their own, so that what lies deep in an
// object is as full as what lies at its top.
var parts = map[string]bool{"PodSpec": true, "PodStatus": true, "Container": true, "EphemeralContainerCommon": true,
	"Volume": true, "VolumeSource": true, "Probe": true, "Lifecycle": true, "EnvVar": true, "VolumeProjection": true,
	"PersistentVolumeSpec": true, "PersistentVolumeClaim": true, "PersistentVolumeClaimTemplate": true,
	"ServiceSpec": true, "ServicePort": true, "JobSpec": true, "PodFailurePolicy": true,
	"HorizontalPodAutoscalerBehavior": true, "DeploymentStrategy": true, "DaemonSetUpdateStrategy": true,
	"StatefulSetUpdateStrategy": true, "LimitRangeItem": true, "MatchResources": true, "NetworkPolicySpec": true,
	"PriorityLevelConfigurationSpec": true, "DeviceRequest": true, "VolumeAttachmentSource": true,
	"LoadBalancerIngress": true, "ResourceRequirements": true, "WebhookClientConfig": true, "EphemeralContainer": true,
	"GRPCAction": true, "HTTPGetAction": true, "LifecycleHandler": true, "EnvVarSource": true, "FileKeySelector": true,
	"ObjectFieldSelector": true, "ContainerPort": true, "DeviceToleration": true}

// What texts of a named type are, where some value makes a difference to a default.
var values = map[string][]string{
	"ServiceType":                              {"", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName"},
	"ServiceAffinity":                          {"", "None", "ClientIP"},
	"DeploymentStrategyType":                   {"", "RollingUpdate", "Recreate"},
	"DaemonSetUpdateStrategyType":              {"", "RollingUpdate", "OnDelete"},
	"StatefulSetUpdateStrategyType":            {"", "RollingUpdate", "OnDelete"},
	"PodManagementPolicyType":                  {"", "OrderedReady", "Parallel"},
	"PersistentVolumeClaimRetentionPolicyType": {"", "Retain", "Delete"},
	"CompletionMode":                           {"", "NonIndexed", "Indexed"},
	"ConcurrencyPolicy":                        {"", "Allow", "Forbid", "Replace"},
	"PullPolicy":                               {"", "", "Always", "Never"},
	"RestartPolicy":                            {"", "Always", "OnFailure", "Never"},
	"DNSPolicy":                                {"", "ClusterFirst", "Default", "None"},
	"Protocol":                                 {"", "TCP", "UDP", "SCTP"},
	"LimitType":                                {"", "Pod", "Container", "Container", "PersistentVolumeClaim"},
	"PolicyType":                               {"Ingress", "Egress"},
	"ScalingPolicySelect":                      {"", "Max", "Min", "Disabled"},
	"DeviceAllocationMode":                     {"", "ExactCount", "All"},
	"ResourceName":                             {"cpu", "memory", "storage", "hugepages-2Mi", "example.com/gpu"},
	"IPFamily":                                 {"IPv4", "IPv6"},
	"PersistentVolumeMode":                     {"", "Block", "Filesystem"},
	"PersistentVolumePhase":                    {"", "Pending", "Bound"},
	"NamespacePhase":                           {"", "Active", "Terminating"},
	"ConditionStatus":                          {"", "True", "False"},
	"URIScheme":                                {"", "HTTP", "HTTPS"},
	"TerminationMessagePolicy":                 {"", "File", "FallbackToLogsOnError"},
}

var quantities = []string{"0", "1", "100m", "1.5", "1Gi", "0.5Gi", "1025Ki", "1e3", "1n", "999u", "1500u", "1.0001", "-1n",
	"-1.0005", "0.0005", "1.00000000001Gi", "0.1Ki", "0.3Mi", "9223372036854775807", "9223372036854775.807123",
	"99999999999999999999", "99999999999999999999.0001", "1e-3", "1e-4", "12E6", "1E", "+5", "00.5000", "5000n", "1000u",
	"123456789.123456789"}

var addresses = []string{"", "10.0.0.1", "10.0.0.2", "fd00::1"}

// fill sets each member of an object with a budget of its own, so that no large one starves the
// others, then makes its texts and numbers likelier.
func (g *generator) fill(object reflect.Value) {
	for i := range object.NumField() {
		if field := object.Type().Field(i); field.Name == "TypeMeta" || !g.Chance(0.9) {
			continue
		}
		g.make(object.Field(i))
	}
	g.season(object)
}

func (g *generator) make(value reflect.Value) {
	f := &cases.Filler{Writer: g.Writer, Budget: 8 << g.Random.IntN(5)}
	f.Density = cases.Pick(g.Writer, []float64{0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 0.95})
	value.SetZero()
	f.Fill(value.Addr().Interface())
}

// season walks what was filled.
func (g *generator) season(value reflect.Value) {
	switch leaf := value.Addr().Interface().(type) {
	case *resource.Quantity:
		*leaf = resource.MustParse(cases.Pick(g.Writer, quantities))
		return
	case *intstr.IntOrString:
		*leaf = cases.Pick(g.Writer, []intstr.IntOrString{{}, intstr.FromString(""), intstr.FromInt32(80),
			intstr.FromString("web"), intstr.FromString("25%"), intstr.FromInt32(0)})
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() && parts[value.Type().Elem().Name()] && g.Chance(0.2) {
			value.Set(reflect.New(value.Type().Elem()))
		}
		if !value.IsNil() {
			g.season(value.Elem())
		}
	case reflect.Slice:
		if value.Len() == 0 && parts[value.Type().Elem().Name()] && g.Chance(0.3) {
			value.Set(reflect.MakeSlice(value.Type(), 1+g.Random.IntN(2), 2))
		}
		for i := range value.Len() {
			g.season(value.Index(i))
		}
	case reflect.Map:
		g.seasonMap(value)
	case reflect.Struct:
		if parts[value.Type().Name()] && g.Chance(0.5) {
			g.make(value)
		}
		for i := range value.NumField() {
			if value.Type().Field(i).IsExported() {
				g.seasonField(value, i)
			}
		}
	case reflect.String:
		if choices := values[value.Type().Name()]; choices != nil && g.Chance(0.8) {
			value.SetString(cases.Pick(g.Writer, choices))
		}
	case reflect.Int32, reflect.Int64:
		if g.Chance(0.3) {
			value.SetInt(cases.Pick(g.Writer, []int64{0, 1, -1, 80}))
		}
	}
}

// seasonField knows some members by their names.
func (g *generator) seasonField(owner reflect.Value, i int) {
	field, value := owner.Type().Field(i), owner.Field(i)
	if value.Kind() != reflect.String || value.Type().Name() != "string" {
		g.season(value)
		return
	}
	switch field.Name {
	case "Image", "Reference":
		value.SetString(g.image())
	case "IP", "PodIP":
		value.SetString(cases.Pick(g.Writer, addresses))
	case "Kind":
		value.SetString(cases.Pick(g.Writer, []string{"", "User", "Group", "ServiceAccount", "Role"}))
	case "ServiceAccountName", "DeprecatedServiceAccount":
		value.SetString(cases.Pick(g.Writer, []string{"", "robot", "other"}))
	case "APIGroup", "Path", "APIVersion", "SchedulerName", "TerminationMessagePath":
		if g.Chance(0.5) {
			value.SetString("")
		}
	case "Status":
		value.SetString(cases.Pick(g.Writer, []string{"", "True", "False"}))
	}
}

// seasonMap gives a resource list names that other lists have too, and one that has nothing some
// entries.
func (g *generator) seasonMap(value reflect.Value) {
	if value.Type().Name() == "ResourceList" && g.Chance(0.5) {
		value.Set(reflect.MakeMap(value.Type()))
		for range 1 + g.Random.IntN(3) {
			name := cases.Pick(g.Writer, values["ResourceName"])
			value.SetMapIndex(reflect.ValueOf(name).Convert(value.Type().Key()), reflect.ValueOf(resource.Quantity{}))
		}
	}
	// In the order of their names: Go's own differs from run to run.
	var names []string
	for _, key := range value.MapKeys() {
		names = append(names, key.String())
	}
	sort.Strings(names)
	for _, name := range names {
		key := reflect.ValueOf(name).Convert(value.Type().Key())
		element := reflect.New(value.Type().Elem()).Elem()
		element.Set(value.MapIndex(key))
		g.season(element)
		value.SetMapIndex(key, element)
	}
}

// image is the name of one, or nearly.
func (g *generator) image() string {
	if g.Chance(0.3) {
		return cases.Pick(g.Writer, []string{"", "nginx", "nginx:latest", "nginx:1.27", "registry.example/web"})
	}
	name := cases.Pick(g.Writer, []string{"", "nginx", "team/web", "library/nginx", "docker.io/nginx", "docker.io/team/web",
		"index.docker.io/nginx", "localhost", "localhost/web", "localhost:5000", "localhost:5000/web", "registry.example/web",
		"registry.example:443/a/b/c", "[::1]/web", "[::1]:5000/web", "[fe80::1%25eth0]/web", "127.0.0.1/web", "REGISTRY/web",
		"Registry.Example/web", "registry.example/Web", "Web", "a_b/c", "a__b/c", "a___b/c", "a.b/c", "a_b.c/d", "a..b/c",
		"a-b/c", "a--b/c", "-a/b", "a-/b", "a/-b", "a//b", "/a", "a/", "a b", "ä/b", "x.ä/b", "a:80/b", "a:/b", "a:b/c",
		strings.Repeat("0123456789abcdef", 4), strings.Repeat("0123456789ABCDEF", 4), "docker.io/" + strings.Repeat("a", 247),
		"docker.io/" + strings.Repeat("a", 248), strings.Repeat("a", 247), strings.Repeat("a", 248),
		strings.Repeat("a/", 127) + "a", strings.Repeat("a/", 127) + "ab", "x.y/" + strings.Repeat("a", 255),
		"x.y/" + strings.Repeat("a", 256), "x_y.z/" + strings.Repeat("a", 249), "x_y.z/" + strings.Repeat("a", 250),
		"docker.io:443/" + strings.Repeat("a", 250), "index.docker.io/" + strings.Repeat("a", 248)})
	tag := cases.Pick(g.Writer, []string{"", "", "", ":latest", ":latest", ":v1", ":1.2.3-rc_4", ":", ":-x", ":.x", ":_x", ":Latest",
		":LATEST", ":a:b", ":a b", ":5000", ":" + strings.Repeat("t", 128), ":" + strings.Repeat("t", 129)})
	digest := ""
	if g.Chance(0.25) {
		digest = cases.Pick(g.Writer, []string{"@", "@sha256:", "@sha256:" + strings.Repeat("a0", 32), "@sha256:" + strings.Repeat("A0", 32),
			"@sha256:" + strings.Repeat("a0", 31), "@sha384:" + strings.Repeat("a0", 48), "@sha512:" + strings.Repeat("a0", 64),
			"@sha1:" + strings.Repeat("a0", 20), "@md5:" + strings.Repeat("a0", 16), "@SHA256:" + strings.Repeat("a0", 32),
			"@sha256+b64:" + strings.Repeat("a0", 32), "@" + strings.Repeat("a0", 32),
			"@sha256:" + strings.Repeat("a0", 32) + "@sha256:" + strings.Repeat("a0", 32)})
	}
	return name + tag + digest
}

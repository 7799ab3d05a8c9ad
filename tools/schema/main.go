// Command schema reads the facts of Kubernetes' API types off the published Go modules and writes
// them in Flyball's own compact format, one file a Go package, into flyball/api/schema/.
//
//	cd tools/schema && go run . -out ../../flyball/api/schema
//
// Struct tags give field names, numbers and patch rules; the discovery and OpenAPI documents in
// k8s.io/kubernetes/api give resources, required fields and list types. Nothing here is prose of
// upstream's. The format is described in flyball/api/schema/README.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	customv1beta1 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta1"
	customv1beta2 "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	externalv1beta1 "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsv1 "k8s.io/metrics/pkg/apis/metrics/v1"
	metricsv1beta1 "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

const kubernetesVersion = "v1.37.1"

func main() {
	out := flag.String("out", "", "folder that the schema files are written to")
	flag.Parse()
	if *out == "" {
		fatal("-out is required")
	}

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientscheme.AddToScheme, metav1.AddMetaToScheme,
		admissionv1.AddToScheme, admissionv1beta1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		imagepolicyv1alpha1.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
		metricsv1.AddToScheme, metricsv1beta1.AddToScheme,
		customv1beta1.AddToScheme, customv1beta2.AddToScheme, externalv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			fatal("%v", err)
		}
	}

	documents := kubernetesModule()
	packages := collect(scheme, readOpenAPI(filepath.Join(documents, "api", "openapi-spec", "swagger.json")))
	addResources(packages, filepath.Join(documents, "api", "discovery"))

	stale, _ := filepath.Glob(filepath.Join(*out, "*.schema"))
	for _, file := range stale {
		os.Remove(file)
	}
	names := make([]string, 0, len(packages))
	for name := range packages {
		names = append(names, name)
	}
	sort.Strings(names)
	structs, fields := 0, 0
	for _, name := range names {
		p := packages[name]
		structs += len(p.structs)
		for _, s := range p.structs {
			fields += len(s.fields)
		}
		file := filepath.Join(*out, strings.ReplaceAll(name, "/", ".")+".schema")
		if err := os.WriteFile(file, []byte(p.text()), 0o644); err != nil {
			fatal("%v", err)
		}
	}
	fmt.Printf("%d packages, %d structs, %d fields\n", len(names), structs, fields)
}

// kubernetesModule is the folder of the k8s.io/kubernetes module: only its documents are read, so
// it is downloaded and not imported.
func kubernetesModule() string {
	if err := exec.Command("go", "mod", "download", "k8s.io/kubernetes@"+kubernetesVersion).Run(); err != nil {
		fatal("downloading k8s.io/kubernetes: %v", err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		fatal("%v", err)
	}
	return filepath.Join(strings.TrimSpace(string(cache)), "k8s.io", "kubernetes@"+kubernetesVersion)
}

func fatal(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "schema: "+format+"\n", args...)
	os.Exit(1)
}

// Command crds writes cases for crds_conformance_test.cc, from the CRDs of tests/crds:
//
//	O  apiVersion kind object defaulted   an object, and what the API server makes of it
//	S  name crd verdict                   a CRD, and whether the API server takes it
//
// An object goes through what a request goes through: members that the schema does not have are
// pruned (there are none), null where it is not allowed is dropped, defaults are filled in. Our
// types hold quantities and times as such, and write them in their canonical form; upstream keeps
// the text of a custom resource. What upstream has is brought into that form before it is written
// here, and the line D says how often that changed anything.
package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"flyball.example/conformance/cases"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

func main() {
	out := cases.NewWriter()
	defer out.Close()
	files := cases.Must(filepath.Glob("../../crds/*.yaml"))
	if len(files) != 10 {
		cases.Fatal("%d CRD files", len(files))
	}
	generator := &generator{Writer: out}
	for _, file := range files {
		for _, text := range strings.Split(string(cases.Must(os.ReadFile(file))), "\n---\n") {
			document := cases.Must(yaml.YAMLToJSON([]byte(text)))
			if errs := validate(document); len(errs) > 0 {
				cases.Fatal("%s: %v", file, errs.ToAggregate())
			}
			writeObjects(generator, internal(document))
			writeWithoutParts(out, document)
		}
	}
	out.Line("D", generator.rewritten)
	writeMutations(out)
}

// internal is a CRD as the API server works with it.
func internal(document []byte) *apiextensions.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(document, crd); err != nil {
		cases.Fatal("%v in %s", err, document)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	converted := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, converted, nil); err != nil {
		cases.Fatal("%v", err)
	}
	return converted
}

func validate(document []byte) field.ErrorList {
	return validation.ValidateCustomResourceDefinition(context.Background(), internal(document))
}

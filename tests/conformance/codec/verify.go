package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"flyball.example/conformance/cases"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// verify reads each output (line of its case, format, bytes) and the case it is for with upstream's
// decoders, and wants the same object from both.
func verify(known *cases.Known, caseFile string, outputs []string) {
	lines := readLines(caseFile)
	counts := map[string]int{}
	failed := 0
	for _, file := range outputs {
		found := readLines(file)
		if len(found) == 0 {
			cases.Fatal("%s is empty", file)
		}
		for _, line := range found {
			fields := strings.Split(line, "\t")
			var at int
			if _, err := fmt.Sscan(fields[0], &at); err != nil || at >= len(lines) {
				cases.Fatal("no case %q", fields[0])
			}
			one := strings.Split(lines[at], "\t")
			if err := verifyOne(known, one, fields[1], unhex(fields[2])); err != nil {
				failed++
				if failed <= 20 {
					fmt.Fprintf(os.Stderr, "case %d: %v\n%q\n", at, err, unhex(fields[2]))
				}
			}
			counts[one[0]+" "+fields[1]]++
		}
	}
	for _, what := range []string{"E", "G"} {
		for _, format := range []string{"json", "yaml", "protobuf"} {
			count := counts[what+" "+format]
			name := map[string]string{"E": "examples", "G": "generated objects"}[what]
			fmt.Fprintf(os.Stderr, "read by upstream's decoder: %d %s in %s\n", count, name, format)
			if count == 0 {
				cases.Fatal("no %s in %s", name, format)
			}
		}
	}
	if failed > 0 {
		cases.Fatal("%d outputs are not what they were made from", failed)
	}
}

// same is upstream's equality of objects, except that JSON inside of them is compared as JSON: text
// between tokens and the order of members are not kept by every format.
var same = func() conversion.Equalities {
	equalities := equality.Semantic.Copy()
	sameJSON := func(a, b []byte) bool {
		var left, right any
		return bytes.Equal(a, b) || json.Unmarshal(a, &left) == nil && json.Unmarshal(b, &right) == nil && reflect.DeepEqual(left, right)
	}
	err := equalities.AddFuncs(
		func(a, b runtime.RawExtension) bool { return sameJSON(a.Raw, b.Raw) },
		func(a, b metav1.FieldsV1) bool { return sameJSON(a.GetRawBytes(), b.GetRawBytes()) },
		func(a, b apiextensionsv1.JSON) bool { return sameJSON(a.Raw, b.Raw) },
	)
	if err != nil {
		cases.Fatal("%v", err)
	}
	return equalities
}()

func verifyOne(known *cases.Known, one []string, format string, output []byte) error {
	var gvk schema.GroupVersionKind
	var original runtime.Object
	var err error
	read := func(format, data string) {
		original, err = known.Decode(format, unhex(data), gvk)
	}
	switch one[0] {
	case "E":
		gvk = schema.GroupVersionKind{Group: string(unhex(one[3])), Version: one[4], Kind: one[5]}
		read(format, one[map[string]int{"json": 6, "yaml": 7, "protobuf": 8}[format]])
	case "G":
		gvk = schema.GroupVersionKind{Group: string(unhex(one[1])), Version: one[2], Kind: one[3]}
		// What went out as text is the object that text can say.
		switch {
		case format == "protobuf":
			read("protobuf", one[4])
		case len(unhex(one[6])) > 0:
			read("protobuf", one[6])
		default:
			read("json", one[7])
		}
	default:
		return fmt.Errorf("no object")
	}
	if err != nil {
		return fmt.Errorf("%s: the original: %w", gvk, err)
	}
	object, err := known.Decode(format, output, gvk)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", gvk, format, err)
	}
	original.GetObjectKind().SetGroupVersionKind(gvk)
	if format == "protobuf" {
		object.GetObjectKind().SetGroupVersionKind(gvk)
	}
	if !same.DeepEqual(original, object) {
		return fmt.Errorf("%s: %s is another object", gvk, format)
	}
	return nil
}

func readLines(name string) []string {
	file, err := os.Open(name)
	if err != nil {
		cases.Fatal("%v", err)
	}
	defer file.Close()
	var lines []string
	reader := bufio.NewReader(file)
	for {
		line, err := reader.ReadString('\n')
		if err == io.EOF {
			return lines
		}
		if err != nil {
			cases.Fatal("%v", err)
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
}

func unhex(field string) []byte {
	if field == "-" {
		return nil
	}
	return cases.Must(hex.DecodeString(field))
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"flyball.example/conformance/cases"
)

// exampleFolders are where published modules keep an example of each of their types.
var exampleFolders = [][2]string{
	{"k8s.io/api", "testdata/HEAD"},
	{"k8s.io/apiextensions-apiserver", "pkg/apis/testdata/HEAD"},
	{"k8s.io/metrics", "pkg/apis/testdata/HEAD"},
}

// examples writes, for each example, E: module, name, group, version, kind, JSON, YAML, protobuf.
func (g *generator) examples() {
	for _, folder := range exampleFolders {
		module, inside := folder[0], folder[1]
		found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			cases.Fatal("finding %s: %v", module, err)
		}
		base := filepath.Join(strings.TrimSpace(string(found)), inside)
		files, err := filepath.Glob(filepath.Join(base, "*"))
		if err != nil || len(files) == 0 {
			cases.Fatal("no examples in %s", base)
		}
		names := map[string]int{}
		for _, file := range files {
			names[strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))]++
		}
		sorted := make([]string, 0, len(names))
		for name, formats := range names {
			if formats != 3 {
				cases.Fatal("%s comes in %d formats", name, formats)
			}
			sorted = append(sorted, name)
		}
		sort.Strings(sorted)
		for _, name := range sorted {
			group, version, kind := splitName(name)
			read := func(extension string) cases.Text {
				data, err := os.ReadFile(filepath.Join(base, name+extension))
				if err != nil {
					cases.Fatal("%v", err)
				}
				return cases.Text(data)
			}
			g.Line("E", module, name, cases.Text(group), version, kind, read(".json"), read(".yaml"), read(".pb"))
		}
	}
}

// splitName takes "networking.k8s.io.v1.Ingress" apart. The core group is called "core" there.
func splitName(name string) (group, version, kind string) {
	parts := strings.Split(name, ".")
	n := len(parts)
	group = strings.Join(parts[:n-2], ".")
	if group == "core" {
		group = ""
	}
	return group, parts[n-2], parts[n-1]
}

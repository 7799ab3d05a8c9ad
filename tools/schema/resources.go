package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// addResources reads the discovery document of each served group and version.
func addResources(packages map[string]*goPackage, dir string) {
	byGroupVersion := map[string]*goPackage{}
	for _, p := range packages {
		if p.version != "" && p.name != "meta/v1" {
			byGroupVersion[metav1.GroupVersion{Group: p.group, Version: p.version}.String()] = p
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "api*__*.json"))
	served := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			fatal("%v", err)
		}
		var list metav1.APIResourceList
		if err := json.Unmarshal(data, &list); err != nil {
			fatal("%s: %v", file, err)
		}
		if list.Kind != "APIResourceList" {
			continue
		}
		p := byGroupVersion[list.GroupVersion]
		if p == nil {
			fatal("%s: no Go package for %s", file, list.GroupVersion)
		}
		p.resources = describeResources(list.APIResources)
		served += len(list.APIResources)
	}
	if served == 0 {
		fatal("no discovery documents in %s", dir)
	}
}

func describeResources(resources []metav1.APIResource) []string {
	sort.Slice(resources, func(i, j int) bool { return resources[i].Name < resources[j].Name })
	var lines []string
	for _, r := range resources {
		plural, sub, isSub := strings.Cut(r.Name, "/")
		kind := r.Kind
		if r.Version != "" {
			kind = metav1.GroupVersion{Group: r.Group, Version: r.Version}.String() + "." + kind
		}
		verbs := strings.Join(r.Verbs, ",")
		if isSub {
			lines = append(lines, fmt.Sprintf("sub %s %s %s verbs=%s", plural, sub, kind, verbs))
			continue
		}
		scope := "cluster"
		if r.Namespaced {
			scope = "namespaced"
		}
		line := fmt.Sprintf("resource %s %s %s singular=%s", plural, kind, scope, r.SingularName)
		if len(r.ShortNames) > 0 {
			line += " short=" + strings.Join(r.ShortNames, ",")
		}
		if len(r.Categories) > 0 {
			line += " categories=" + strings.Join(r.Categories, ",")
		}
		lines = append(lines, line+" verbs="+verbs)
	}
	return lines
}

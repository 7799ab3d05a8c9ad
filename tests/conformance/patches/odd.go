package main

import (
	"strings"

	"flyball.example/conformance/cases"
)

// place is where an odd patch is tried: a list or an object in a document. `path` leads to what has
// the member, `key` is what the elements are told apart by.
type place struct {
	kind, document string
	path           []string
	member, key    string
	values         [3]string // keys of elements that are there, as JSON, and of one that is not
}

const oddPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"1"},"finalizers":["f2","f1","f3"],` +
	`"ownerReferences":[{"uid":"1","name":"x"},{"uid":"2","name":"y"}]},"spec":{"nodeSelector":{"disk":"ssd"},"containers":[` +
	`{"name":"a","image":"i1","args":["x","y"],"ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":443,"protocol":"TCP"}],` +
	`"env":[{"name":"E","value":"1"},{"name":"F","valueFrom":{"fieldRef":{"fieldPath":"p"}}}],"resources":{"limits":{"cpu":"1"}}},` +
	`{"name":"b","image":"i2"},{"name":"c","image":"i3"}],"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}},` +
	`{"name":"w","configMap":{"name":"cm","items":[{"key":"k","path":"p"}]}}],"tolerations":[{"key":"t","effect":"NoSchedule"},{"key":"u"}],` +
	`"securityContext":{"supplementalGroups":[1,2],"sysctls":[{"name":"s","value":"1"}]},"imagePullSecrets":[{"name":"s1"},{"name":"s2"}]}}`

const oddDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":3,"strategy":` +
	`{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1,"maxUnavailable":"25%"}},"selector":{"matchLabels":{"a":"b"}},` +
	`"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"i"}]}}},` +
	`"status":{"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True"}]}}`

// Lists of duplicates and of elements without a key, which a server may well hold.
const oddService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","finalizers":["b","a","b","c","a"]},"spec":{` +
	`"ports":[{"port":80,"name":"x"},{"port":443},{"port":80,"name":"y"}],"clusterIPs":["1","1"],"externalIPs":["2","1"]},` +
	`"status":{"conditions":[{"status":"True"}],"loadBalancer":{"ingress":[{"ip":"1"},{"ip":"1"}]}}}`

var lists = []place{
	{"Pod", oddPod, []string{"spec"}, "containers", "name", [3]string{`"a"`, `"c"`, `"z"`}},
	{"Pod", oddPod, []string{"spec"}, "volumes", "name", [3]string{`"v"`, `"w"`, `"z"`}},
	{"Pod", oddPod, []string{"spec"}, "imagePullSecrets", "name", [3]string{`"s1"`, `"s2"`, `"z"`}},
	{"Pod", oddPod, []string{"spec"}, "tolerations", "key", [3]string{`"t"`, `"u"`, `"z"`}},
	{"Pod", oddPod, []string{"metadata"}, "ownerReferences", "uid", [3]string{`"1"`, `"2"`, `"3"`}},
	{"Service", oddService, []string{"spec"}, "ports", "port", [3]string{`80`, `443`, `81`}},
	{"Service", oddService, []string{"status"}, "conditions", "type", [3]string{`"a"`, `"b"`, `"c"`}},
	{"Deployment", oddDeployment, []string{"status"}, "conditions", "type", [3]string{`"Available"`, `"Progressing"`, `"z"`}},
}

// listPatches are tried on every list of objects. NAME is the list, KEY its merge key, A and B are
// elements it has, Z is none.
var listPatches = []string{
	`"NAME":[{"KEY":A,"x":1}]`, `"NAME":[{"KEY":Z,"x":1}]`, `"NAME":[{"x":1}]`, `"NAME":[{}]`, `"NAME":[]`, `"NAME":null`, `"NAME":{}`,
	`"NAME":"x"`, `"NAME":[null]`, `"NAME":[1]`, `"NAME":["x"]`, `"NAME":[[]]`, `"NAME":[{"KEY":A},1]`, `"NAME":[{"KEY":null}]`,
	`"NAME":[{"KEY":[]}]`, `"NAME":[{"KEY":{}}]`, `"NAME":[{"KEY":[]},{"KEY":[]}]`, `"NAME":[{"KEY":true}]`, `"NAME":[{"KEY":1.5}]`,
	`"NAME":[{"KEY":A},{"KEY":A,"x":2}]`, `"NAME":[{"KEY":Z},{"KEY":Z,"x":2}]`, `"NAME":[{"KEY":B,"x":1},{"KEY":A,"x":1}]`,
	`"NAME":[{"KEY":Z,"x":null,"y":{"z":null,"$patch":"replace"}}]`, `"NAME":[{"KEY":A,"x":null,"y":{"z":null}}]`,
	`"NAME":[{"KEY":A,"$patch":"delete"}]`, `"NAME":[{"KEY":Z,"$patch":"delete"}]`, `"NAME":[{"$patch":"delete"}]`,
	`"NAME":[{"KEY":[],"$patch":"delete"}]`, `"NAME":[{"KEY":A,"$patch":"delete"},{"KEY":A,"x":1}]`,
	`"NAME":[{"KEY":A,"x":1},{"KEY":A,"$patch":"delete"}]`, `"NAME":[{"KEY":A,"$patch":"delete"},{"KEY":B,"$patch":"delete"}]`,
	`"NAME":[{"$patch":"replace"}]`, `"NAME":[{"$patch":"replace"},{"KEY":Z}]`, `"NAME":[{"KEY":Z},{"$patch":"replace"}]`,
	`"NAME":[{"$patch":"replace"},{"x":1}]`, `"NAME":[{"$patch":"replace"},{"KEY":B},{"KEY":A},{"KEY":B}]`,
	`"NAME":[{"$patch":"replace"},{"KEY":A,"$patch":"delete"}]`, `"NAME":[{"$patch":"replace","KEY":A}]`,
	`"NAME":[{"KEY":A,"$patch":"merge"}]`, `"NAME":[{"KEY":A,"$patch":"x"}]`, `"NAME":[{"KEY":A,"$patch":null}]`,
	`"NAME":[{"KEY":A,"$patch":1}]`, `"NAME":[{"KEY":A,"$patch":[]}]`, `"NAME":[{"KEY":A,"$patch":{}}]`,
	`"NAME":[{"KEY":A,"$retainKeys":["KEY"]}]`, `"NAME":[{"KEY":A,"$retainKeys":[]}]`, `"NAME":[{"KEY":A,"$retainKeys":"KEY"}]`,
	`"NAME":[{"KEY":Z,"$retainKeys":["KEY"]}]`, `"NAME":[{"KEY":A,"x":1,"$retainKeys":["KEY"]}]`, `"NAME":[{"KEY":A,"x":null,"$retainKeys":["KEY"]}]`,
	`"$setElementOrder/NAME":[{"KEY":B},{"KEY":A}]`, `"$setElementOrder/NAME":[{"KEY":A}]`, `"$setElementOrder/NAME":[{"KEY":Z}]`,
	`"$setElementOrder/NAME":[]`, `"$setElementOrder/NAME":null`, `"$setElementOrder/NAME":{}`, `"$setElementOrder/NAME":"x"`,
	`"$setElementOrder/NAME":[1]`, `"$setElementOrder/NAME":["x"]`, `"$setElementOrder/NAME":[null]`, `"$setElementOrder/NAME":[{}]`,
	`"$setElementOrder/NAME":[{"KEY":A},{}]`, `"$setElementOrder/NAME":[[]]`, `"$setElementOrder/NAME":[{"KEY":[]}]`,
	`"$setElementOrder/NAME":[{"KEY":A},{"KEY":A}]`, `"$setElementOrder/NAME":[{"KEY":B},{"KEY":A}],"NAME":[{"KEY":A,"x":1}]`,
	`"$setElementOrder/NAME":[{"KEY":B},{"KEY":A}],"NAME":[{"KEY":A,"x":1},{"KEY":B,"x":1}]`,
	`"$setElementOrder/NAME":[{"KEY":B},{"KEY":A}],"NAME":[{"KEY":Z,"x":1}]`, `"$setElementOrder/NAME":[],"NAME":[{"KEY":Z},{"KEY":A,"x":1}]`,
	`"$setElementOrder/NAME":[{"KEY":Z},{"KEY":B}],"NAME":[{"KEY":Z},{"KEY":A,"$patch":"delete"}]`,
	`"$setElementOrder/NAME":[{"KEY":A},{"KEY":Z}],"NAME":[{"KEY":A,"$patch":"delete"},{"KEY":A,"x":1},{"KEY":Z}]`,
	`"$setElementOrder/NAME":[{"KEY":Z},{"KEY":A}],"NAME":[{"KEY":Z},{"KEY":A,"x":1},{"KEY":A,"$patch":"delete"},{"KEY":B,"$patch":"delete"}]`,
	`"$setElementOrder/NAME":[{"KEY":Z}],"NAME":[{"$patch":"replace"},{"KEY":Z}]`, `"$setElementOrder/NAME":[{"KEY":Z}],"NAME":[{"KEY":Z},{"$patch":"replace"}]`,
	`"$setElementOrder/NAME":[{"KEY":Z}],"NAME":[{"KEY":A,"$patch":"merge"}]`, `"$setElementOrder/NAME":[{"KEY":Z}],"NAME":null`,
	`"$setElementOrder/NAME":[{"KEY":Z}],"NAME":{}`, `"$setElementOrder/NAME":[{"KEY":Z}],"NAME":[]`, `"$setElementOrder/NAME":[],"NAME":[]`,
	`"$setElementOrder/NAME":[{"KEY":Z}],"NAME":["x"]`, `"$setElementOrder/NAME":[{"KEY":Z}],"NAME":[{"x":1}]`, `"$setElementOrder/NAME":["x"],"NAME":[{"KEY":Z}]`,
	`"$setElementOrder":[{"KEY":A}]`, `"$setElementOrder/":[{"KEY":A}]`, `"$setElementOrder/none":[{"KEY":A}]`, `"$setElementOrder/none":[],"none":[]`,
	`"$setElementOrders/NAME":[{"KEY":A}]`, `"$setElementOrder/NAME/x":[{"KEY":A}]`, `"$deleteFromPrimitiveList/NAME":[{"KEY":A,"x":1}]`,
	`"$deleteFromPrimitiveList/NAME":["a"]`, `"$deleteFromPrimitiveList/NAME":[]`, `"$deleteFromPrimitiveList/NAME":null`,
	`"$deleteFromPrimitiveList/NAME":{}`, `"$deleteFromPrimitiveList/NAME":[{"KEY":A,"$patch":"delete"}]`, `"$deleteFromPrimitiveList":["a"]`,
	`"$deleteFromPrimitiveList/":["a"]`, `"$deleteFromPrimitiveLists/NAME":["a"]`, `"$deleteFromPrimitiveList/none":["a"]`,
	`"$patch":"replace","NAME":[{"KEY":A,"$patch":"delete"}]`, `"$patch":"delete","NAME":[]`, `"$patch":"merge"`, `"$patch":null`, `"$patch":["replace"]`,
	`"$retainKeys":["NAME"]`, `"$retainKeys":["none"]`, `"$retainKeys":[],"NAME":[]`, `"$retainKeys":["none"],"$setElementOrder/NAME":[{"KEY":A}]`,
	`"$retainKeys":[1,null,true,"NAME"]`, `"$retainKeys":[["NAME"]]`, `"$retainKeys":{"NAME":1}`, `"$retainKeys":null`, `"$retainKeys":["none"],"NAME":null`,
	`"$retainKeys":["NAME"],"$deleteFromPrimitiveList/NAME":["x"]`, `"$retainKeys":["NAME"],"$patch":"replace"`,
}

// scalarPlaces are lists of scalars, merged or not.
var scalarPlaces = []place{
	{"Pod", oddPod, []string{"metadata"}, "finalizers", "", [3]string{`"f1"`, `"f2"`, `"z"`}},
	{"Service", oddService, []string{"metadata"}, "finalizers", "", [3]string{`"a"`, `"b"`, `"z"`}},
	{"Service", oddService, []string{"spec"}, "clusterIPs", "", [3]string{`"1"`, `"2"`, `"3"`}},
	{"Service", oddService, []string{"spec"}, "externalIPs", "", [3]string{`"1"`, `"2"`, `"3"`}},
	{"Pod", oddPod, []string{"spec", "securityContext"}, "supplementalGroups", "", [3]string{`1`, `2`, `3`}},
}

var scalarPatches = []string{
	`"NAME":[A]`, `"NAME":[Z]`, `"NAME":[B,A]`, `"NAME":[Z,A,Z]`, `"NAME":[]`, `"NAME":null`, `"NAME":{}`, `"NAME":[null]`, `"NAME":[1.5]`, `"NAME":[true]`,
	`"NAME":[A,null]`, `"NAME":[[]]`, `"NAME":[{}]`, `"NAME":[A,{}]`, `"NAME":[{"$patch":"replace"}]`, `"NAME":[{"$patch":"delete"},A]`,
	`"$deleteFromPrimitiveList/NAME":[A]`, `"$deleteFromPrimitiveList/NAME":[Z]`, `"$deleteFromPrimitiveList/NAME":[A,B]`,
	`"$deleteFromPrimitiveList/NAME":[]`, `"$deleteFromPrimitiveList/NAME":[null]`, `"$deleteFromPrimitiveList/NAME":[{}]`, `"$deleteFromPrimitiveList/NAME":A`,
	`"$deleteFromPrimitiveList/NAME":[A],"NAME":[Z]`, `"$deleteFromPrimitiveList/NAME":[A],"NAME":[A]`,
	`"$setElementOrder/NAME":[B,A]`, `"$setElementOrder/NAME":[A]`, `"$setElementOrder/NAME":[]`, `"$setElementOrder/NAME":[Z]`, `"$setElementOrder/NAME":[null]`,
	`"$setElementOrder/NAME":[{}]`, `"$setElementOrder/NAME":[[]]`, `"$setElementOrder/NAME":null`, `"$setElementOrder/NAME":[B,Z],"NAME":[Z]`,
	`"$setElementOrder/NAME":[B,Z],"NAME":[Z,B]`, `"$setElementOrder/NAME":[Z,B],"NAME":[Z],"$deleteFromPrimitiveList/NAME":[A]`,
	`"$setElementOrder/NAME":[],"NAME":[Z,A]`, `"$setElementOrder/NAME":[Z],"NAME":[]`, `"$setElementOrder/NAME":[],"NAME":[]`, `"$setElementOrder/NAME":[1.5],"NAME":[Z]`,
	`"$setElementOrder/NAME":[A,A,B],"NAME":[A,B]`,
}

// objectPlaces are objects: a struct, a map, one that retains keys, leaves.
var objectPlaces = []place{
	{"Pod", oddPod, []string{}, "spec", "", [3]string{"containers", "volumes", "none"}},
	{"Pod", oddPod, []string{"metadata"}, "labels", "", [3]string{"a", "a", "none"}},
	{"Pod", oddPod, []string{"spec"}, "nodeSelector", "", [3]string{"disk", "disk", "none"}},
	{"Pod", oddPod, []string{"spec"}, "securityContext", "", [3]string{"supplementalGroups", "sysctls", "none"}},
	{"Deployment", oddDeployment, []string{"spec"}, "strategy", "", [3]string{"type", "rollingUpdate", "none"}},
	{"Deployment", oddDeployment, []string{"spec"}, "selector", "", [3]string{"matchLabels", "matchLabels", "none"}},
	{"Deployment", oddDeployment, []string{"spec"}, "replicas", "", [3]string{"a", "b", "c"}},
}

var objectPatches = []string{
	`"NAME":{}`, `"NAME":null`, `"NAME":[]`, `"NAME":[{}]`, `"NAME":"x"`, `"NAME":{"A":null}`, `"NAME":{"Z":null}`, `"NAME":{"Z":{"x":null,"y":1}}`,
	`"NAME":{"A":{"x":1}}`, `"NAME":{"A":[1]}`, `"NAME":{"$patch":"replace"}`, `"NAME":{"$patch":"replace","A":null,"Z":{"$patch":"delete"}}`,
	`"NAME":{"$patch":"delete"}`, `"NAME":{"$patch":"merge"}`, `"NAME":{"$patch":"Replace"}`, `"NAME":{"$patch":null}`, `"NAME":{"$patch":{}}`,
	`"NAME":{"$retainKeys":["A"]}`, `"NAME":{"$retainKeys":["Z"]}`, `"NAME":{"$retainKeys":["A"],"B":1}`, `"NAME":{"$retainKeys":["A","Z"],"Z":1}`,
	`"NAME":{"$retainKeys":["B"],"A":null}`, `"NAME":{"$retainKeys":[]}`, `"NAME":{"$retainKeys":"A"}`, `"NAME":{"$retainKeys":[{}]}`,
	`"NAME":{"$retainKeys":[null]}`, `"NAME":{"$setElementOrder/A":[]}`, `"NAME":{"$setElementOrder/Z":[]}`, `"NAME":{"$deleteFromPrimitiveList/A":["x"]}`,
	`"NAME":{"$deleteFromPrimitiveList/Z":["x"]}`, `"NAME":{"Z":{"$patch":"replace","x":1}}`, `"NAME":{"Z":[{"$patch":"replace"},{"y":null}]}`,
	`"NAME":{"Z":{"$retainKeys":["x"],"x":1}}`, `"NAME":{"Z":{"$setElementOrder/x":[1]}}`,
}

// odd writes A for patches made by hand: directives in the wrong place, of the wrong form, or at odds
// with each other; and the pairs of documents that hold what a patch should.
func (g *generator) odd() {
	g.oddAt(lists, listPatches)
	g.oddAt(scalarPlaces, scalarPatches)
	g.oddAt(objectPlaces, objectPatches)
	pod := kinds[0]
	for _, patch := range []string{`null`, `{}`, `[]`, `3`, `"x"`, `{"$patch":"replace","kind":"Pod"}`, `{"$patch":"delete"}`,
		`{"spec":{"Containers":[{"name":"a"}]}}`, `{"Spec":{"a":1}}`, `{"unknown":{"a":1}}`, `{"spec":{"containers":[{"name":"a","args":[null,"x"]}]}}`,
		`{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80.0,"name":"x"}]}]}}`,
		`{"spec":{"containers":[{"name":"a","ports":[{"containerPort":"80"}]}]}}`,
		`{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":{"Format":{}}}}}]}}`,
		`{"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/"}}]}}`,
		`{"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":{"format":{"a":1}}}}]}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"$setElementOrder/volumes":[{"name":"w"}]}}`} {
		for _, document := range []string{oddPod, `null`, `{}`, `{"unknown":{"b":1},"Spec":{"b":1},"spec":{"Containers":[{"name":"a"}],` +
			`"containers":[{"name":"a","args":[],"ports":[{"containerPort":80}],"resources":{"limits":{"cpu":{"Format":{}}}}}],` +
			`"volumes":[{"name":"v","emptyDir":{"sizeLimit":{"format":{"b":1}}}}]}}`} {
			g.apply(pod, []byte(document), []byte(patch))
		}
	}
}

func (g *generator) oddAt(places []place, patches []string) {
	for _, at := range places {
		replacer := strings.NewReplacer("NAME", at.member, "KEY", at.key, "A", at.values[0], "B", at.values[1], "Z", at.values[2])
		for _, patch := range patches {
			text := "{" + replacer.Replace(patch) + "}"
			for i := len(at.path) - 1; i >= 0; i-- {
				text = `{"` + at.path[i] + `":` + text + "}"
			}
			g.apply(kindNamed(at.kind), []byte(at.document), []byte(text))
			// And where the member is not there.
			g.apply(kindNamed(at.kind), []byte(`{"spec":{},"metadata":{},"status":{}}`), []byte(text))
		}
	}
}

func kindNamed(name string) kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	cases.Fatal("no kind %s", name)
	return kind{}
}

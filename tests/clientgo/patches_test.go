package clientgo

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestADeploymentIsPatchedInEveryWay(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.AppsV1().Deployments(w.space)
		must(client.Create(w.ctx, deployment("web"), metav1.CreateOptions{}))
		patch := func(kind types.PatchType, text string, subresources ...string) string {
			options := metav1.PatchOptions{FieldManager: "patcher"}
			got, err := client.Patch(w.ctx, "web", kind, []byte(text), options, subresources...)
			if err != nil {
				return w.refusal(nil, err)
			}
			return w.show(map[string]any{
				"labels": got.Labels, "replicas": got.Spec.Replicas, "containers": got.Spec.Template.Spec.Containers,
				"volumes": got.Spec.Template.Spec.Volumes, "generation": got.Generation, "status": got.Status,
			})
		}
		expect(t, patch(types.JSONPatchType, `[
			{"op": "test", "path": "/spec/replicas", "value": 1},
			{"op": "replace", "path": "/spec/replicas", "value": 2},
			{"op": "add", "path": "/metadata/labels", "value": {"by": "json"}},
			{"op": "copy", "from": "/metadata/labels/by", "path": "/metadata/labels/too"},
			{"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "d", "image": "d:1"}}]`), `
			containers:
			- image: nginx:1
			  imagePullPolicy: IfNotPresent
			  name: c
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			- image: d:1
			  imagePullPolicy: IfNotPresent
			  name: d
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 2
			labels:
			  by: json
			  too: json
			replicas: 2
			status: {}
			volumes: null`)
		expect(t, patch(types.JSONPatchType, `[{"op": "test", "path": "/spec/replicas", "value": 1}]`), `
			422 Invalid: the server rejected our request due to an error in our request`)
		expect(t, patch(types.JSONPatchType, `[{"op": "remove", "path": "/spec/nothing"}]`), `
			422 Invalid: the server rejected our request due to an error in our request`)
		malformed, _, _ := strings.Cut(patch(types.JSONPatchType, `{"spec": {}}`), "patch: ") // and then what Go makes of it
		expect(t, malformed, "400 BadRequest: error decoding ")

		expect(t, patch(types.MergePatchType, `{"metadata": {"labels": {"by": "merge", "too": null}},
			"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "c:2", "ports": [{"containerPort": 80}]}]}}}}`), `
			containers:
			- image: c:2
			  imagePullPolicy: IfNotPresent
			  name: c
			  ports:
			  - containerPort: 80
			    protocol: TCP
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 3
			labels:
			  by: merge
			replicas: 2
			status: {}
			volumes: null`)
		expect(t, patch(types.MergePatchType, `{"spec": {"replicas": -1}}`), `
			422 Invalid: Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0
			of apps Deployment web
			spec.replicas FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0`)
		many := patch(types.MergePatchType, `{"spec": {"replicas": "many"}}`)
		many, _, _ = strings.Cut(many, "{") // the whole object, and what Go makes of it
		expect(t, many, `422 Invalid:  "" is invalid: patch: Invalid value: "`)
		expect(t, patch(types.MergePatchType, `{"spec": `), "400 BadRequest: invalid JSON patch")

		expect(t, patch(types.StrategicMergePatchType, `{"spec": {"template": {"spec": {
			"containers": [{"name": "e", "image": "e:1"}, {"name": "c", "ports": [{"containerPort": 81, "name": "b"}]}],
			"volumes": [{"name": "v", "emptyDir": {}}]}}}}`), `
			containers:
			- image: e:1
			  imagePullPolicy: IfNotPresent
			  name: e
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			- image: c:2
			  imagePullPolicy: IfNotPresent
			  name: c
			  ports:
			  - containerPort: 81
			    name: b
			    protocol: TCP
			  - containerPort: 80
			    protocol: TCP
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 4
			labels:
			  by: merge
			replicas: 2
			status: {}
			volumes:
			- emptyDir: {}
			  name: v`)
		expect(t, patch(types.StrategicMergePatchType, `{"spec": {"template": {"spec": {
			"$setElementOrder/containers": [{"name": "c"}, {"name": "e"}],
			"containers": [{"$patch": "delete", "name": "e"}], "volumes": null}}}}`), `
			containers:
			- image: c:2
			  imagePullPolicy: IfNotPresent
			  name: c
			  ports:
			  - containerPort: 81
			    name: b
			    protocol: TCP
			  - containerPort: 80
			    protocol: TCP
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 5
			labels:
			  by: merge
			replicas: 2
			status: {}
			volumes: null`)
		expect(t, patch(types.StrategicMergePatchType, `{"spec": {"template": {"spec": {
			"containers": [{"$patch": "replace"}, {"name": "only", "image": "o:1"}]}}}}`), `
			containers:
			- image: o:1
			  imagePullPolicy: IfNotPresent
			  name: only
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 6
			labels:
			  by: merge
			replicas: 2
			status: {}
			volumes: null`)

		expect(t, patch(types.MergePatchType, `{"spec": {"replicas": 8}, "status": {"replicas": 2}}`, "status"), `
			containers:
			- image: o:1
			  imagePullPolicy: IfNotPresent
			  name: only
			  resources: {}
			  terminationMessagePath: /dev/termination-log
			  terminationMessagePolicy: File
			generation: 6
			labels:
			  by: merge
			replicas: 2
			status:
			  replicas: 2
			volumes: null`)
		expect(t, patch(types.MergePatchType, `{"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 8}}`), `
			409 Conflict: Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again
			of apps deployments web`)
		expect(t, patch("application/x-patch", `{}`), "415 UnsupportedMediaType: 415: Unsupported Media Type")
		_, err := client.Patch(w.ctx, "nothing", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
		expect(t, w.refusal(nil, err), `
			404 NotFound: deployments.apps "nothing" not found
			of apps deployments nothing`)

		// Nothing to do is nothing done.
		before := must(client.Get(w.ctx, "web", metav1.GetOptions{}))
		after := must(client.Patch(w.ctx, "web", types.MergePatchType, []byte(`{"spec": {"replicas": 2}}`), metav1.PatchOptions{}))
		expect(t, after.ResourceVersion, before.ResourceVersion)
	})
}

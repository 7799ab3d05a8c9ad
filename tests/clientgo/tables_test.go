package clientgo

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// table asks for a path as kubectl does.
func (w *world) table(path string) *metav1.Table {
	raw := must(w.typed.CoreV1().RESTClient().Get().AbsPath(path).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json").DoRaw(w.ctx))
	table := &metav1.Table{}
	done(json.Unmarshal(raw, table))
	for i := range table.ColumnDefinitions {
		table.ColumnDefinitions[i].Description = ""
	}
	return table
}

func TestTablesHaveTheColumnsOfTheirKind(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	must(w.typed.AppsV1().Deployments(w.space).Create(w.ctx, deployment("web"), metav1.CreateOptions{}))
	list := w.table("/apis/apps/v1/namespaces/" + w.space + "/deployments")
	list.Rows[0].Cells[4] = "AGE"
	expect(t, w.show(list), `
		apiVersion: meta.k8s.io/v1
		columnDefinitions:
		- description: ""
		  format: name
		  name: Name
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Ready
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Up-to-date
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Available
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Age
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Containers
		  priority: 1
		  type: string
		- description: ""
		  format: ""
		  name: Images
		  priority: 1
		  type: string
		- description: ""
		  format: ""
		  name: Selector
		  priority: 1
		  type: string
		kind: Table
		metadata:
		  resourceVersion: VERSION
		rows:
		- cells:
		  - web
		  - 0/1
		  - 0
		  - 0
		  - AGE
		  - c
		  - nginx:1
		  - app=web
		  object:
		    apiVersion: meta.k8s.io/v1
		    kind: PartialObjectMetadata
		    metadata:
		      creationTimestamp: TIME
		      generation: 1
		      name: web
		      namespace: SPACE
		      resourceVersion: VERSION
		      uid: UID`)
	const group = "printed.example.com"
	client := w.dynamic.Resource(w.defineWidgets(group)).Namespace(w.space)
	must(client.Create(w.ctx, widget(group, "a", "{colour: red}"), metav1.CreateOptions{}))
	one := w.table("/apis/" + group + "/v1/namespaces/" + w.space + "/widgets/a")
	expect(t, w.show(one), `
		apiVersion: meta.k8s.io/v1
		columnDefinitions:
		- description: ""
		  format: name
		  name: Name
		  priority: 0
		  type: string
		- description: ""
		  format: ""
		  name: Size
		  priority: 0
		  type: integer
		kind: Table
		metadata:
		  resourceVersion: VERSION
		rows:
		- cells:
		  - a
		  - 1
		  object:
		    apiVersion: meta.k8s.io/v1
		    kind: PartialObjectMetadata
		    metadata:
		      creationTimestamp: TIME
		      generation: 1
		      name: a
		      namespace: SPACE
		      resourceVersion: VERSION
		      uid: UID`)
}

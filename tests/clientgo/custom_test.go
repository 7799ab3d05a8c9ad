package clientgo

import (
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"sigs.k8s.io/yaml"
)

var definitions = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size, labelSelectorPath: .status.selector}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size, description: How large it is.}]
    selectableFields: [{jsonPath: .spec.colour}]
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [colour]
            properties:
              size: {type: integer, minimum: 0, maximum: 100, default: 1}
              colour: {type: string, enum: [red, green]}
              name: {type: string, maxLength: 5, pattern: '^[a-z]*$'}
              parts:
                type: array
                items: {type: object, properties: {id: {type: string}, weight: {type: integer}}, required: [id]}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties: {size: {type: integer}, selector: {type: string}, phase: {type: string}}
`

// defineWidgets makes a kind of this group, and waits until it is served.
func (w *world) defineWidgets(group string) schema.GroupVersionResource {
	definition := &unstructured.Unstructured{}
	done(yaml.Unmarshal([]byte(strings.ReplaceAll(widgetDefinition, "GROUP", group)), &definition.Object))
	client := w.dynamic.Resource(definitions)
	must(client.Create(w.ctx, definition, metav1.CreateOptions{}))
	w.t.Cleanup(func() { client.Delete(w.ctx, "widgets."+group, metav1.DeleteOptions{}) })
	widgets := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}
	w.eventually("the kind is established", func() bool {
		return conditionsOf(must(client.Get(w.ctx, "widgets."+group, metav1.GetOptions{})))["Established"] == "True"
	})
	// A server may take a moment more.
	w.eventually("the kind is served", func() bool {
		_, err := w.dynamic.Resource(widgets).List(w.ctx, metav1.ListOptions{})
		return err == nil
	})
	return widgets
}

func conditionsOf(object *unstructured.Unstructured) map[string]string {
	found := map[string]string{}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, condition := range conditions {
		fields := condition.(map[string]any)
		found[fields["type"].(string)] = fields["status"].(string)
	}
	return found
}

func widget(group, name, spec string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	done(yaml.Unmarshal([]byte("apiVersion: "+group+"/v1\nkind: Widget\nmetadata: {name: "+name+"}\nspec: "+spec), &object.Object))
	return object
}

func TestACustomKindFromItsDefinitionToItsEnd(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	const group = "life.example.com"
	widgets := w.defineWidgets(group)
	definition := must(w.dynamic.Resource(definitions).Get(w.ctx, "widgets."+group, metav1.GetOptions{}))
	expect(t, w.show(definition), `
		apiVersion: apiextensions.k8s.io/v1
		kind: CustomResourceDefinition
		metadata:
		  creationTimestamp: TIME
		  generation: 1
		  name: widgets.life.example.com
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  conversion:
		    strategy: None
		  group: life.example.com
		  names:
		    categories:
		    - all
		    kind: Widget
		    listKind: WidgetList
		    plural: widgets
		    shortNames:
		    - wd
		    singular: widget
		  scope: Namespaced
		  versions:
		  - additionalPrinterColumns:
		    - description: How large it is.
		      jsonPath: .spec.size
		      name: Size
		      type: integer
		    name: v1
		    schema:
		      openAPIV3Schema:
		        properties:
		          spec:
		            properties:
		              colour:
		                enum:
		                - red
		                - green
		                type: string
		              free:
		                type: object
		                x-kubernetes-preserve-unknown-fields: true
		              name:
		                maxLength: 5
		                pattern: ^[a-z]*$
		                type: string
		              parts:
		                items:
		                  properties:
		                    id:
		                      type: string
		                    weight:
		                      type: integer
		                  required:
		                  - id
		                  type: object
		                type: array
		              size:
		                default: 1
		                maximum: 100
		                minimum: 0
		                type: integer
		            required:
		            - colour
		            type: object
		          status:
		            properties:
		              phase:
		                type: string
		              selector:
		                type: string
		              size:
		                type: integer
		            type: object
		        required:
		        - spec
		        type: object
		    selectableFields:
		    - jsonPath: .spec.colour
		    served: true
		    storage: true
		    subresources:
		      scale:
		        labelSelectorPath: .status.selector
		        specReplicasPath: .spec.size
		        statusReplicasPath: .status.size
		      status: {}
		status:
		  acceptedNames:
		    categories:
		    - all
		    kind: Widget
		    listKind: WidgetList
		    plural: widgets
		    shortNames:
		    - wd
		    singular: widget
		  conditions:
		  - lastTransitionTime: TIME
		    message: no conflicts found
		    reason: NoConflicts
		    status: "True"
		    type: NamesAccepted
		  - lastTransitionTime: TIME
		    message: the initial names have been accepted
		    reason: InitialNamesAccepted
		    status: "True"
		    type: Established
		  storedVersions:
		  - v1`)

	client := w.dynamic.Resource(widgets).Namespace(w.space)
	made := must(client.Create(w.ctx, widget(group, "a", "{colour: red, unknown: 1, free: {any: [1, 2.5]}}"), metav1.CreateOptions{FieldManager: "tester"}))
	expect(t, w.show(made), `
		apiVersion: life.example.com/v1
		kind: Widget
		metadata:
		  creationTimestamp: TIME
		  generation: 1
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  colour: red
		  free:
		    any:
		    - 1
		    - 2.5
		  size: 1`)
	expect(t, w.owners(made), "tester Update life.example.com/v1 spec{. colour free{. any} size}")
	_, err := client.Create(w.ctx, widget(group, "b", "{size: 101, name: 'Too long', parts: [{weight: 1}]}"), metav1.CreateOptions{})
	expect(t, inAnyOrder(w.refusal(nil, err)), `
		of life.example.com Widget b
		spec.colour FieldValueRequired: Required value
		spec.name FieldValueTooLong: Too long: may not be more than 5 bytes
		spec.parts[0].id FieldValueRequired: Required value
		spec.size FieldValueInvalid: Invalid value: 101: spec.size in body should be less than or equal to 100`)
	_, err = client.Create(w.ctx, widget(group, "b", "{colour: blue, size: many}"), metav1.CreateOptions{})
	expect(t, inAnyOrder(w.refusal(nil, err)), `
		.spec.size FieldValueInvalid: Invalid value: 0: .spec.size accessor error: many is of the type string, expected int64
		of life.example.com Widget b
		spec.colour FieldValueNotSupported: Unsupported value: "blue": supported values: "red", "green"
		spec.size FieldValueTypeInvalid: Invalid value: "string": spec.size in body must be of type integer: "string"`)
	strict := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	_, err = client.Create(w.ctx, widget(group, "b", "{colour: red, unknown: 1, parts: [{id: x, id2: y}]}"), strict)
	expect(t, w.refusal(nil, err), `
		400 BadRequest: Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.parts[0].id2", unknown field "spec.unknown"`)

	wanted := made.DeepCopy()
	done(unstructured.SetNestedField(wanted.Object, int64(2), "spec", "size"))
	done(unstructured.SetNestedField(wanted.Object, "ignored", "status", "phase"))
	updated := must(client.Update(w.ctx, wanted, metav1.UpdateOptions{}))
	expect(t, w.show(updated), `
		apiVersion: life.example.com/v1
		kind: Widget
		metadata:
		  creationTimestamp: TIME
		  generation: 2
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  colour: red
		  free:
		    any:
		    - 1
		    - 2.5
		  size: 2`)
	expect(t, w.refusal(client.Update(w.ctx, wanted, metav1.UpdateOptions{})), `
		409 Conflict: Operation cannot be fulfilled on widgets.life.example.com "a": the object has been modified; please apply your changes to the latest version and try again
		of life.example.com widgets a`)
	seen := updated.DeepCopy()
	done(unstructured.SetNestedField(seen.Object, int64(9), "spec", "size"))
	done(unstructured.SetNestedMap(seen.Object, map[string]any{"size": int64(2), "selector": "app=a", "phase": "Fine"}, "status"))
	reported := must(client.UpdateStatus(w.ctx, seen, metav1.UpdateOptions{FieldManager: "observer"}))
	expect(t, w.show(reported), `
		apiVersion: life.example.com/v1
		kind: Widget
		metadata:
		  creationTimestamp: TIME
		  generation: 2
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  colour: red
		  free:
		    any:
		    - 1
		    - 2.5
		  size: 2
		status:
		  phase: Fine
		  selector: app=a
		  size: 2`)

	must(client.Create(w.ctx, widget(group, "g", "{colour: green}"), metav1.CreateOptions{}))
	green := must(client.List(w.ctx, metav1.ListOptions{FieldSelector: "spec.colour=green"}))
	expect(t, w.show(green), `
		apiVersion: life.example.com/v1
		items:
		- apiVersion: life.example.com/v1
		  kind: Widget
		  metadata:
		    creationTimestamp: TIME
		    generation: 1
		    name: g
		    namespace: SPACE
		    resourceVersion: VERSION
		    uid: UID
		  spec:
		    colour: green
		    size: 1
		kind: WidgetList
		metadata:
		  continue: ""
		  resourceVersion: VERSION`)
	pages := must(client.List(w.ctx, metav1.ListOptions{Limit: 1}))
	if len(pages.Items) != 1 || pages.GetContinue() == "" || *pages.GetRemainingItemCount() != 1 {
		t.Errorf("the first page: %s", w.show(pages))
	}

	// The definition goes, and takes everything with it.
	var told journal
	informers := dynamicinformer.NewDynamicSharedInformerFactory(w.dynamic, 0)
	must(informers.ForResource(widgets).Informer().AddEventHandler(told.handler()))
	informers.Start(w.ctx.Done())
	informers.WaitForCacheSync(w.ctx.Done())
	done(w.dynamic.Resource(definitions).Delete(w.ctx, "widgets."+group, metav1.DeleteOptions{}))
	w.eventually("the definition is gone", func() bool {
		_, err := w.dynamic.Resource(definitions).Get(w.ctx, "widgets."+group, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
	w.eventually("the kind is not served", func() bool {
		_, err = client.List(w.ctx, metav1.ListOptions{})
		return err != nil
	})
	expect(t, w.refusal(nil, err), `
		404 NotFound: the server could not find the requested resource
		 UnexpectedServerResponse: 404 page not found`)
	w.eventually("informers know", func() bool { return strings.Count(told.text(), "deleted") == 2 })
	expect(t, told.sorted(), "deleted a\ndeleted g\nfound a\nfound g")

	// Made again, it has none of the old.
	w.defineWidgets(group)
	expect(t, w.show(must(client.List(w.ctx, metav1.ListOptions{})).Items), "[]")
}

func TestACustomObjectIsPatchedInEveryWayButOne(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	const group = "patched.example.com"
	client := w.dynamic.Resource(w.defineWidgets(group)).Namespace(w.space)
	must(client.Create(w.ctx, widget(group, "a", "{colour: red, parts: [{id: x}]}"), metav1.CreateOptions{}))
	patch := func(kind types.PatchType, text string, subresources ...string) string {
		got, err := client.Patch(w.ctx, "a", kind, []byte(text), metav1.PatchOptions{FieldManager: "patcher"}, subresources...)
		if err != nil {
			return w.refusal(nil, err)
		}
		return w.show(map[string]any{"spec": got.Object["spec"], "status": got.Object["status"], "generation": got.GetGeneration()})
	}
	expect(t, patch(types.JSONPatchType, `[{"op": "add", "path": "/spec/parts/0", "value": {"id": "w", "weight": 3}}]`), `
		generation: 2
		spec:
		  colour: red
		  parts:
		  - id: w
		    weight: 3
		  - id: x
		  size: 1
		status: null`)
	expect(t, patch(types.MergePatchType, `{"spec": {"size": null, "colour": "green", "name": "abc"}}`), `
		generation: 3
		spec:
		  colour: green
		  name: abc
		  parts:
		  - id: w
		    weight: 3
		  - id: x
		  size: 1
		status: null`)
	expect(t, patch(types.MergePatchType, `{"spec": {"colour": "blue"}}`), `
		422 Invalid: Widget.patched.example.com "a" is invalid: spec.colour: Unsupported value: "blue": supported values: "red", "green"
		of patched.example.com Widget a
		spec.colour FieldValueNotSupported: Unsupported value: "blue": supported values: "red", "green"`)
	expect(t, patch(types.MergePatchType, `{"spec": {"size": 4}, "status": {"phase": "Fine"}}`, "status"), `
		generation: 3
		spec:
		  colour: green
		  name: abc
		  parts:
		  - id: w
		    weight: 3
		  - id: x
		  size: 1
		status:
		  phase: Fine`)
	expect(t, patch(types.StrategicMergePatchType, `{"spec": {"size": 4}}`), `
		415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`)
	expect(t, w.owners(must(client.Get(w.ctx, "a", metav1.GetOptions{}))), `
		clientgo.test Update patched.example.com/v1 spec{. size}
		patcher Update patched.example.com/v1 spec{colour name parts}
		patcher/status Update patched.example.com/v1 status{. phase}`)
}

func TestCustomObjectsAreApplied(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	const group = "applied.example.com"
	client := w.dynamic.Resource(w.defineWidgets(group)).Namespace(w.space)
	owner := metav1.ApplyOptions{FieldManager: "owner"}
	made := must(client.Apply(w.ctx, "a", widget(group, "a", "{colour: red, name: abc, free: {left: 1, right: {up: 2}}}"), owner))
	expect(t, w.show(made), `
		apiVersion: applied.example.com/v1
		kind: Widget
		metadata:
		  creationTimestamp: TIME
		  generation: 1
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  colour: red
		  free:
		    left: 1
		    right:
		      up: 2
		  name: abc
		  size: 1`)
	expect(t, w.owners(made), `
		owner Apply applied.example.com/v1 spec{colour free{left right{. up}} name}`)
	other := metav1.ApplyOptions{FieldManager: "other"}
	green := widget(group, "a", "{colour: green}")
	expect(t, w.refusal(client.Apply(w.ctx, "a", green, other)), `
		409 Conflict: Apply failed with 1 conflict: conflict with "owner": .spec.colour
		.spec.colour FieldManagerConflict: conflict with "owner"`)
	other.Force = true
	expect(t, w.owners(must(client.Apply(w.ctx, "a", green, other))), `
		other Apply applied.example.com/v1 spec{colour}
		owner Apply applied.example.com/v1 spec{free{left right{. up}} name}`)
	less := must(client.Apply(w.ctx, "a", widget(group, "a", "{free: {right: {up: 2}}}"), owner))
	expect(t, w.show(less), `
		apiVersion: applied.example.com/v1
		kind: Widget
		metadata:
		  creationTimestamp: TIME
		  generation: 3
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  colour: green
		  free:
		    right:
		      up: 2
		  size: 1`)
	expect(t, w.owners(less), `
		other Apply applied.example.com/v1 spec{colour}
		owner Apply applied.example.com/v1 spec{free{right{. up}}}`)
	status := widget(group, "a", "{}")
	delete(status.Object, "spec")
	status.Object["status"] = map[string]any{"phase": "Fine"}
	reported := must(client.ApplyStatus(w.ctx, "a", status, metav1.ApplyOptions{FieldManager: "observer"}))
	expect(t, w.show(reported.Object["status"]), "phase: Fine")
	expect(t, w.owners(reported), `
		observer/status Apply applied.example.com/v1 status{phase}
		other Apply applied.example.com/v1 spec{colour}
		owner Apply applied.example.com/v1 spec{free{right{. up}}}`)
}

func TestScalesOfManyKindsAreOneInterface(t *testing.T) {
	t.Parallel()
	defer reporting(t)
	w := newWorld(t)
	const group = "scaled.example.com"
	widgets := w.defineWidgets(group)
	must(w.dynamic.Resource(widgets).Namespace(w.space).Create(w.ctx, widget(group, "a", "{colour: red}"), metav1.CreateOptions{}))
	must(w.typed.AppsV1().Deployments(w.space).Create(w.ctx, deployment("a"), metav1.CreateOptions{}))

	found := memory.NewMemCacheClient(must(discovery.NewDiscoveryClientForConfig(w.config)))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(found)
	scales := must(scale.NewForConfig(w.config, mapper, dynamic.LegacyAPIPathResolverFunc,
		scale.NewDiscoveryScaleKindResolver(found))).Scales(w.space)
	for resource, status := range map[schema.GroupVersionResource]string{
		deployments: "{replicas: 0, selector: app=a}",
		widgets:     "{replicas: 0}",
	} {
		got := must(scales.Get(w.ctx, resource.GroupResource(), "a", metav1.GetOptions{}))
		expect(t, w.show(got), w.show(must(parsed(`
			{apiVersion: autoscaling/v1, kind: Scale, spec: {replicas: 1}, status: `+status+`,
			 metadata: {name: a, namespace: SPACE, uid: UID, resourceVersion: VERSION, creationTimestamp: TIME}}`))))
		got.Spec.Replicas = 3
		updated := must(scales.Update(w.ctx, resource.GroupResource(), got, metav1.UpdateOptions{}))
		if updated.Spec.Replicas != 3 || updated.ResourceVersion == got.ResourceVersion {
			t.Errorf("scaled to %s", w.show(updated))
		}
		_, err := scales.Update(w.ctx, resource.GroupResource(), got, metav1.UpdateOptions{})
		expect(t, scrubbed(w.refusal(nil, err), resource.GroupResource().String(), "THESE"), `
			409 Conflict: Operation cannot be fulfilled on THESE "a": the object has been modified; please apply your changes to the latest version and try again
			of `+resource.Group+" "+resource.Resource+" a")
		patched := must(scales.Patch(w.ctx, resource, "a", types.MergePatchType, []byte(`{"spec": {"replicas": 5}}`), metav1.PatchOptions{}))
		if patched.Spec.Replicas != 5 {
			t.Errorf("patched to %s", w.show(patched))
		}
	}
	got := must(w.dynamic.Resource(widgets).Namespace(w.space).Get(w.ctx, "a", metav1.GetOptions{}))
	expect(t, w.show(got.Object["spec"]), "colour: red\nsize: 5")
	typed := must(w.typed.AppsV1().Deployments(w.space).UpdateScale(w.ctx, "a", &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: w.space}, Spec: autoscalingv1.ScaleSpec{Replicas: 7}}, metav1.UpdateOptions{}))
	expect(t, w.show(typed), `
		metadata:
		  creationTimestamp: TIME
		  name: a
		  namespace: SPACE
		  resourceVersion: VERSION
		  uid: UID
		spec:
		  replicas: 7
		status:
		  replicas: 0
		  selector: app=a`)
}

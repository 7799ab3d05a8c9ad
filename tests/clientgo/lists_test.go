package clientgo

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// names are those of a list of config maps, and what the list says of itself.
func names(list *corev1.ConfigMapList) string {
	var found []string
	for _, item := range list.Items {
		found = append(found, item.Name)
	}
	text := strings.Join(found, " ")
	if list.Continue != "" {
		text += " ..."
	}
	if list.RemainingItemCount != nil {
		text += fmt.Sprintf(" and %d more", *list.RemainingItemCount)
	}
	return text
}

// colours makes five config maps, the first and the last of them red.
func (w *world) colours() *corev1.ConfigMapList {
	client := w.typed.CoreV1().ConfigMaps(w.space)
	for i, colour := range []string{"red", "green", "blue", "green", "red"} {
		object := configMap(string(rune('a'+i)), map[string]string{"colour": colour})
		object.Labels = map[string]string{"colour": colour}
		must(client.Create(w.ctx, object, metav1.CreateOptions{}))
	}
	return must(client.List(w.ctx, metav1.ListOptions{}))
}

func TestListsComeInPages(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		w.colours()
		client := w.typed.CoreV1().ConfigMaps(w.space)
		first := must(client.List(w.ctx, metav1.ListOptions{Limit: 2}))
		expect(t, names(first), "a b ... and 3 more")
		// What happens between two pages is not in them.
		done(client.Delete(w.ctx, "c", metav1.DeleteOptions{}))
		second := must(client.List(w.ctx, metav1.ListOptions{Limit: 2, Continue: first.Continue}))
		expect(t, names(second), "c d ... and 1 more")
		third := must(client.List(w.ctx, metav1.ListOptions{Limit: 2, Continue: second.Continue}))
		expect(t, names(third), "e")
		expect(t, second.ResourceVersion, first.ResourceVersion)
		expect(t, third.ResourceVersion, first.ResourceVersion)

		selected := metav1.ListOptions{Limit: 1, LabelSelector: "colour=green"}
		page := must(client.List(w.ctx, selected))
		expect(t, names(page), "b ...")
		selected.Continue = page.Continue
		page = must(client.List(w.ctx, selected))
		expect(t, names(page), "d ...")
		// There were others behind it, and none of them is green.
		selected.Continue = page.Continue
		expect(t, names(must(client.List(w.ctx, selected))), "")

		nonsense := base64.RawURLEncoding.EncodeToString([]byte(`{"v": "nonsense"}`))
		expect(t, w.refusal(client.List(w.ctx, metav1.ListOptions{Continue: nonsense})), `
			400 BadRequest: invalid continue token: continue key is not valid: server does not recognize this encoded version nonsense`)
		both := metav1.ListOptions{Continue: first.Continue, ResourceVersion: first.ResourceVersion}
		expect(t, w.refusal(client.List(w.ctx, both)), `
			400 BadRequest: specifying resource version is not allowed when using continue`)
	})
}

func TestListsAreSelectedByLabelsAndFields(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		w.colours()
		client := w.typed.CoreV1().ConfigMaps(w.space)
		for _, labels := range []struct{ selector, found string }{
			{"colour", "a b c d e"},
			{"colour=red", "a e"},
			{"colour!=red", "b c d"},
			{"colour in (red, blue)", "a c e"},
			{"colour notin (red, blue)", "b d"},
			{"!colour", ""},
			{"colour=red,shape", ""},
		} {
			list := must(client.List(w.ctx, metav1.ListOptions{LabelSelector: labels.selector}))
			expect(t, labels.selector+": "+names(list), labels.selector+": "+labels.found)
		}
		for _, fields := range []struct{ selector, found string }{
			{"metadata.name=c", "c"},
			{"metadata.name!=c", "a b d e"},
			{"metadata.namespace=" + w.space, "a b c d e"},
			{"metadata.namespace=elsewhere", ""},
		} {
			list := must(client.List(w.ctx, metav1.ListOptions{FieldSelector: fields.selector}))
			expect(t, fields.selector+": "+names(list), fields.selector+": "+fields.found)
		}
		everywhere := metav1.ListOptions{FieldSelector: "metadata.namespace=" + w.space, LabelSelector: "colour=red"}
		expect(t, names(must(w.typed.CoreV1().ConfigMaps("").List(w.ctx, everywhere))), "a e")
		syntax, _, _ := strings.Cut(w.refusal(client.List(w.ctx, metav1.ListOptions{LabelSelector: "colour in red"})), ": ") // and then where
		expect(t, syntax, "400 BadRequest")
		expect(t, w.refusal(client.List(w.ctx, metav1.ListOptions{FieldSelector: "data.colour=red"})), `
			400 BadRequest: "data.colour" is not a known field selector: only "metadata.name", "metadata.namespace"`)
	})
}

func TestPodsAreSelectedByNodeAndPhase(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		client := w.typed.CoreV1().Pods(w.space)
		for _, name := range []string{"a", "b", "c"} {
			must(client.Create(w.ctx, pod(name, "node-"+name), metav1.CreateOptions{}))
		}
		running := must(client.Get(w.ctx, "b", metav1.GetOptions{}))
		running.Status.Phase = corev1.PodRunning
		must(client.UpdateStatus(w.ctx, running, metav1.UpdateOptions{}))
		for _, fields := range []struct{ selector, found string }{
			{"spec.nodeName=node-a", "a"},
			{"spec.nodeName!=node-a", "b c"},
			{"status.phase=Running", "b"},
			{"status.phase!=Running,spec.nodeName!=node-c", "a"},
			{"spec.restartPolicy=Always", "a b c"},
			{"spec.schedulerName=mine", ""},
			{"spec.serviceAccountName=default", "a b c"},
		} {
			list := must(client.List(w.ctx, metav1.ListOptions{FieldSelector: fields.selector}))
			var found []string
			for _, item := range list.Items {
				found = append(found, item.Name)
			}
			expect(t, fields.selector+": "+strings.Join(found, " "), fields.selector+": "+fields.found)
		}
	})
}

func TestListsAreOfTheVersionThatIsAskedFor(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		version := w.colours().ResourceVersion
		client := w.typed.CoreV1().ConfigMaps(w.space)
		done(client.Delete(w.ctx, "a", metav1.DeleteOptions{}))
		now := must(client.List(w.ctx, metav1.ListOptions{})).ResourceVersion
		at := func(version string, match metav1.ResourceVersionMatch, limit int64) metav1.ListOptions {
			return metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: match, Limit: limit}
		}

		expect(t, names(must(client.List(w.ctx, at("", "", 0)))), "b c d e")
		expect(t, names(must(client.List(w.ctx, at(now, "", 0)))), "b c d e")
		expect(t, names(must(client.List(w.ctx, at(now, metav1.ResourceVersionMatchNotOlderThan, 0)))), "b c d e")
		exact := must(client.List(w.ctx, at(version, metav1.ResourceVersionMatchExact, 0)))
		expect(t, names(exact), "a b c d e")
		expect(t, exact.ResourceVersion, version)
		expect(t, names(must(client.List(w.ctx, at(version, metav1.ResourceVersionMatchExact, 3)))), "a b c ... and 2 more")
		expect(t, names(must(client.List(w.ctx, at(version, "", 3)))), "a b c ... and 2 more")

		// Whatever the server has at hand: it may be old, but in time it is what there is.
		w.eventually("a list of any version is up to date", func() bool {
			return names(must(client.List(w.ctx, at("0", "", 0)))) == "b c d e" &&
				names(must(client.List(w.ctx, at("0", metav1.ResourceVersionMatchNotOlderThan, 2)))) != ""
		})

		expect(t, w.refusal(client.List(w.ctx, at("0", metav1.ResourceVersionMatchExact, 0))), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueForbidden: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)
		expect(t, w.refusal(client.List(w.ctx, at("", metav1.ResourceVersionMatchExact, 0))), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueForbidden: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`)
		expect(t, w.refusal(client.List(w.ctx, at(now, "Nearly", 0))), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""
			of meta.k8s.io ListOptions
			resourceVersionMatch FieldValueNotSupported: Unsupported value: "Nearly": supported values: "Exact", "NotOlderThan", ""`)
		expect(t, w.refusal(client.List(w.ctx, at("x1", "", 0))), `
			400 BadRequest: invalid resource version: resourceVersion: Invalid value: "x1": strconv.ParseUint: parsing "x1": invalid syntax`)
		initial := metav1.ListOptions{SendInitialEvents: new(bool)}
		expect(t, w.refusal(client.List(w.ctx, initial)), `
			422 Invalid: ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list
			of meta.k8s.io ListOptions
			sendInitialEvents FieldValueForbidden: Forbidden: sendInitialEvents is forbidden for list`)

		got := must(client.Get(w.ctx, "b", metav1.GetOptions{ResourceVersion: now}))
		expect(t, got.Name, "b")
	})
}

func TestTheFutureIsNotListed(t *testing.T) {
	encodings(t, func(t *testing.T, w *world) {
		version := must(strconv.ParseInt(w.colours().ResourceVersion, 10, 64)) + 1_000_000
		// The server says when to come again, and client-go would.
		err := w.typed.CoreV1().RESTClient().Get().Namespace(w.space).Resource("configmaps").MaxRetries(0).
			Param("resourceVersion", strconv.FormatInt(version, 10)).Do(w.ctx).Error()
		text := w.refusal(nil, err)
		if before, _, found := strings.Cut(text, ", current: "); found {
			text = strings.Replace(before, strconv.FormatInt(version, 10), "VERSION", 1)
		}
		expect(t, text, "504 Timeout: Timeout: Too large resource version: VERSION")
	})
}

package clientgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// expect compares texts. The one that is expected may be indented, as it is in the source.
func expect(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(unindented(want), strings.TrimSpace(got)); diff != "" {
		t.Errorf("-expected +got:\n%s", diff)
	}
}

// unindented takes off the tabs that the first line begins with.
func unindented(text string) string {
	text = strings.Trim(text, "\n")
	margin := text[:len(text)-len(strings.TrimLeft(text, "\t"))]
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, margin)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// show is an object, or whatever an API answers with, as YAML without its managed fields.
func (w *world) show(object any) string {
	tree := treeOf(object)
	scrub(tree)
	return w.yaml(tree)
}

// owners are who manages which fields of an object, each beginning on a line of its own:
// "tester Update apps/v1 spec{replicas template{...}}". A dot is the field itself.
func (w *world) owners(object any) string {
	var entries []string
	for _, entry := range must(meta.Accessor(object)).GetManagedFields() {
		manager := entry.Manager
		if entry.Subresource != "" {
			manager += "/" + entry.Subresource
		}
		var fields map[string]any
		done(json.Unmarshal(entry.FieldsV1.Raw, &fields))
		entries = append(entries, wrapped(fmt.Sprintf("%s %s %s %s", manager, entry.Operation, entry.APIVersion, fieldsText(fields))))
	}
	sort.Strings(entries)
	return strings.Join(entries, "\n")
}

func fieldsText(fields map[string]any) string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text := strings.TrimPrefix(name, "f:")
		if inside := fields[name].(map[string]any); len(inside) > 0 {
			text += "{" + fieldsText(inside) + "}"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// wrapped breaks a text into lines that fit on a screen.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+len(word) > 90 {
			lines = append(lines, line)
			line = " "
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// parsed is a YAML text as a tree.
func parsed(text string) (tree any, err error) {
	err = yaml.Unmarshal([]byte(unindented(text)), &tree)
	return tree, err
}

func (w *world) yaml(tree any) string {
	text := string(must(yaml.Marshal(tree)))
	if w.space != "" {
		text = strings.ReplaceAll(text, w.space, "SPACE")
	}
	return text
}

func treeOf(object any) any {
	var tree any
	done(json.Unmarshal(must(json.Marshal(object)), &tree))
	return tree
}

var (
	timePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
	named       = map[string]string{"uid": "UID", "resourceVersion": "VERSION", "continue": "CONTINUE"}
)

// scrub replaces what differs from run to run, and leaves out managed fields.
func scrub(tree any) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			scrub(element)
		}
	case map[string]any:
		delete(node, "managedFields")
		prefix, _ := node["generateName"].(string)
		for key, value := range node {
			text, isText := value.(string)
			switch replacement := named[key]; {
			case !isText:
				scrub(value)
			case replacement != "" && text != "":
				node[key] = replacement
			case timePattern.MatchString(text):
				node[key] = "TIME"
			case key == "name" && prefix != "" && len(text) == len(prefix)+5:
				node[key] = prefix + "-----"
			}
		}
	}
}

// refusal is what a call that must fail was told: code, reason, message and details.
func (w *world) refusal(_ any, err error) string {
	w.t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		w.t.Errorf("%s: not refused by the server: %v", caller(2), err)
		return ""
	}
	return w.statusText(status.Status())
}

func (w *world) statusText(status metav1.Status) string {
	lines := []string{fmt.Sprintf("%d %s: %s", status.Code, status.Reason, status.Message)}
	if details := status.Details; details != nil {
		if details.Kind != "" || details.Name != "" {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("of %s %s %s", details.Group, details.Kind, details.Name)))
		}
		for _, cause := range details.Causes {
			lines = append(lines, fmt.Sprintf("%s %s: %s", cause.Field, cause.Type, cause.Message))
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), w.space, "SPACE")
}

// inAnyOrder is a refusal of one that names its causes in any order.
func inAnyOrder(refusal string) string {
	lines := strings.Split(refusal, "\n")
	slices.Sort(lines[1:])
	return strings.Join(lines[1:], "\n")
}

// onlyError lets refusal take calls that return nothing else.
func onlyError(err error) (any, error) { return nil, err }

var latePattern = regexp.MustCompile(`late-[a-z0-9]{5}`)

// scrubbed is a text without what differs from run to run.
func scrubbed(text, what, replacement string) string {
	return strings.ReplaceAll(text, what, replacement)
}

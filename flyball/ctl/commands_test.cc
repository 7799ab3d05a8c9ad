// The verbs, each on an API server of its own.
#include <regex>
#include <sstream>

#include "flyball/ctl/apply.h"
#include "flyball/ctl/delete.h"
#include "flyball/ctl/describe.h"
#include "flyball/ctl/get.h"
#include "flyball/ctl/rollout.h"
#include "flyball/ctl/scale.h"
#include "flyball/sandbox/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kWeb = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
)";

constexpr std::string_view kMaps = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {tier: front}}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
)";

constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

/// What a command wrote: standard output, then standard error.
class Commands : public testing::Test {
 protected:
  template <typename Command, typename Options>
  std::string Run(Command command, const Options& options, std::string_view input = {}) {
    std::istringstream in{std::string(input)};
    std::ostringstream out;
    std::ostringstream err;
    Cluster cluster(sandbox_.client().rest(), {in, out, err}, {});
    const Errors errors = command(cluster, options);
    failed_ = !errors.empty();
    const std::string text = out.str() + err.str() + ErrorText(errors);
    // How old something is depends on how fast the machine is.
    return std::regex_replace(text, std::regex(R"(\b(\ds(?=\s) ?|\d\ds))"), "AGE");
  }

  std::string RunApply(std::string_view text, ApplyOptions options = {}) {
    options.files = {{"-"}};
    return Run(Apply, options, text);
  }
  std::string RunGet(std::vector<std::string> words, GetOptions options = {}) {
    options.words = std::move(words);
    return Run(Get, options);
  }
  std::string RunDelete(std::vector<std::string> words, DeleteOptions options = {}) {
    options.selection.words = std::move(words);
    return Run(Delete, options);
  }
  std::string RunDescribe(std::vector<std::string> words) {
    return Run(Describe, DescribeOptions{.selection = {.words = std::move(words)}});
  }

  sandbox::Sandbox sandbox_;
  bool failed_ = false;
};

TEST_F(Commands, ApplyCreatesThenConfiguresThenLeavesAlone) {
  EXPECT_EQ(RunApply(kWeb), "deployment.apps/web created\n");
  EXPECT_EQ(RunApply(kWeb), "deployment.apps/web unchanged\n");
  const std::string changed =
      std::regex_replace(std::string(kWeb), std::regex("nginx:1"), "nginx:2");
  EXPECT_EQ(RunApply(changed), "deployment.apps/web configured\n");
  EXPECT_EQ(RunGet({"deploy", "web"}, {.output = "jsonpath={..image}"}), "nginx:2");
}

TEST_F(Commands, ApplyRemovesWhatIsNoLongerWritten) {
  RunApply(kMaps);
  EXPECT_EQ(RunApply("{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: '3'}}"),
            "configmap/one configured\n");
  EXPECT_EQ(RunGet({"cm/one"}, {.output = "jsonpath={.data} {.metadata.labels}"}), R"({"a":"3"} )");
}

TEST_F(Commands, ApplyTakesCareOfCustomKinds) {
  EXPECT_EQ(RunApply(kWidgets),
            "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\n");
  EXPECT_EQ(RunApply("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, "
                     "spec: {size: 1, colour: red}}"),
            "widget.example.com/w created\n");
  EXPECT_EQ(RunApply("{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, "
                     "spec: {size: 2}}"),
            "widget.example.com/w configured\n");
  EXPECT_EQ(RunGet({"wd", "w"}, {.output = "jsonpath={.spec}"}), R"({"size":2})");
  EXPECT_EQ(Run(Scale, ScaleOptions{.selection = {.words = {"wd/w"}}, .replicas = 5}),
            "widget.example.com/w scaled\n");
  EXPECT_EQ(RunGet({"widgets.example.com"}, {.output = "jsonpath={.items[*].spec.size}"}), "5");
}

TEST_F(Commands, ApplySaysWhatTheServerHasAgainstIt) {
  EXPECT_EQ(RunApply("{apiVersion: v1, kind: Pot, metadata: {name: x}}"),
            "error: resource mapping not found for name: \"x\" namespace: \"\" from \"STDIN\": no "
            "matches for kind \"Pot\" in version \"v1\"\nensure CRDs are installed first\n");
  EXPECT_EQ(RunApply("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: nowhere}}"),
            "Error from server (NotFound): error when creating \"STDIN\": namespaces \"nowhere\" "
            "not found\n");
  EXPECT_THAT(
      RunApply("{apiVersion: v1, kind: ConfigMap, metadata: {name: UP}}"),
      StartsWith("The ConfigMap \"UP\" is invalid: metadata.name: Invalid value: \"UP\": "));
  EXPECT_TRUE(failed_);
  EXPECT_EQ(RunApply(""), "error: no objects passed to apply\n");
  EXPECT_EQ(Run(Apply, ApplyOptions()), "error: must specify one of -f and -k\n");
}

TEST_F(Commands, ApplyOnTheServerHasManagers) {
  EXPECT_EQ(RunApply(kMaps, {.server_side = true}),
            "configmap/one serverside-applied\nconfigmap/two serverside-applied\n");
  const std::string other =
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: '9'}}";
  EXPECT_THAT(
      RunApply(other, {.field_manager = "me", .server_side = true}),
      testing::AllOf(HasSubstr("conflict with \"kubectl\": .data.a"),
                     HasSubstr("re-run the apply\n  command with the `--force-conflicts`")));
  EXPECT_EQ(RunApply(other, {.field_manager = "me", .server_side = true, .force_conflicts = true}),
            "configmap/one serverside-applied\n");
}

TEST_F(Commands, DryRunsChangeNothing) {
  EXPECT_EQ(RunApply(kMaps, {.dry_run = "server"}),
            "configmap/one created (server dry run)\nconfigmap/two created (server dry run)\n");
  EXPECT_EQ(RunApply(kMaps, {.output = "name", .dry_run = "client"}),
            "configmap/one\nconfigmap/two\n");
  EXPECT_EQ(RunGet({"cm"}), "No resources found in default namespace.\n");
  EXPECT_EQ(RunApply(kMaps, {.dry_run = "maybe"}),
            "error: Invalid dry-run value (maybe). Must be \"none\", \"server\", or \"client\".\n");
}

TEST_F(Commands, GetShowsTables) {
  RunApply(kMaps);
  RunApply(kWeb);
  EXPECT_EQ(RunGet({"configmaps"}),
            "NAME   DATA   AGE\n"
            "one    2      AGE\n"
            "two    0      AGE\n");
  EXPECT_EQ(RunGet({"cm", "two"}, {.no_headers = true}), "two   0     AGE\n");
  EXPECT_EQ(RunGet({"cm"}, {.selector = "tier=front", .show_labels = true}),
            "NAME   DATA   AGE   LABELS\n"
            "one    2      AGE   tier=front\n");
  EXPECT_EQ(RunGet({"deploy,cm"}, {.selector = "tier!=front"}),
            "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
            "deployment.apps/web   0/2     0            0           AGE\n"
            "\n"
            "NAME            DATA   AGE\n"
            "configmap/two   0      AGE\n");
  EXPECT_EQ(RunGet({"deploy"}, {.output = "wide", .all_namespaces = true}),
            "NAMESPACE   NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES    "
            "SELECTOR\n"
            "default     web    0/2     0            0           AGE   c            nginx:1   "
            "app=web\n");
}

TEST_F(Commands, GetGoesOnAfterWhatIsNotThere) {
  RunApply(kMaps);
  EXPECT_EQ(RunGet({"cm", "one", "three", "two"}),
            "NAME   DATA   AGE\n"
            "one    2      AGE\n"
            "two    0      AGE\n"
            "Error from server (NotFound): configmaps \"three\" not found\n");
  EXPECT_EQ(RunGet({"cm", "three"}, {.ignore_not_found = true}), "");
  EXPECT_EQ(RunGet({"cm/three", "cm/four"}, {.output = "name"}),
            "Error from server (NotFound): configmaps \"three\" not found\n"
            "Error from server (NotFound): configmaps \"four\" not found\n");
}

TEST_F(Commands, GetReadsAListPageByPage) {
  RunApply(kMaps);
  EXPECT_EQ(RunGet({"cm"}, {.chunk_size = 1}),
            "NAME   DATA   AGE\n"
            "one    2      AGE\n"
            "two    0      AGE\n");
  EXPECT_EQ(RunGet({"cm"}, {.output = "name", .chunk_size = 1}), "configmap/one\nconfigmap/two\n");
}

TEST_F(Commands, GetRefusesWhatMakesNoSense) {
  EXPECT_EQ(RunGet({}),
            "error: Required resource not specified.\nSee 'flyball get -h' for help and "
            "examples\n");
  EXPECT_EQ(RunGet({"cm", "x"}, {.selector = "a=b"}),
            "error: name cannot be provided when a selector is specified\n");
  EXPECT_EQ(RunGet({"cm", "x"}, {.all_namespaces = true}),
            "error: a resource cannot be retrieved by name across all namespaces\n");
  EXPECT_EQ(RunGet({"cm"}, {.output = "json", .show_labels = true}),
            "error: --show-labels option cannot be used with json printer\n");
  EXPECT_EQ(RunGet({"cm,pods"}, {.watch = true}),
            "error: you may only specify a single resource type\n");
}

TEST_F(Commands, DeleteWaitsUntilItIsGone) {
  RunApply(kMaps);
  EXPECT_EQ(RunDelete({"cm", "one"}), "configmap \"one\" deleted from default namespace\n");
  EXPECT_EQ(RunDelete({"cm", "one"}),
            "Error from server (NotFound): configmaps \"one\" not found\n");
  EXPECT_EQ(RunDelete({"cm"}), "error: resource(s) were provided, but no name was specified\n");
  EXPECT_EQ(RunDelete({"cm"}, {.output = "name", .all = true}), "configmap/two\n");
  EXPECT_EQ(RunDelete({"cm"}, {.all = true}), "No resources found\n");
}

TEST_F(Commands, DeleteTellsHowLongItWaits) {
  RunApply(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, finalizers: [example.com/stay]}}");
  EXPECT_EQ(RunDelete({"cm/x"}, {.wait = false}),
            "configmap \"x\" deleted from default namespace\n");
  EXPECT_EQ(RunDelete({"cm/x"}, {.timeout = std::chrono::nanoseconds(1)}),
            "configmap \"x\" deleted from default namespace\n"
            "error: timed out waiting for the condition on configmaps/x\n");
}

TEST_F(Commands, DeleteByFile) {
  RunApply(kMaps);
  DeleteOptions options{.selection = {.files = {{"-"}}}};
  EXPECT_EQ(Run(Delete, options, kMaps),
            "configmap \"one\" deleted from default namespace\n"
            "configmap \"two\" deleted from default namespace\n");
  EXPECT_EQ(Run(Delete, options, kMaps),
            "Error from server (NotFound): error when deleting \"STDIN\": configmaps \"one\" not "
            "found\n"
            "Error from server (NotFound): error when deleting \"STDIN\": configmaps \"two\" not "
            "found\n");
}

TEST_F(Commands, DeleteByForceSaysWhatItMeans) {
  RunApply(kMaps);
  EXPECT_EQ(RunDelete({"cm/one"}, {.force = true}),
            "configmap \"one\" force deleted from default namespace\n"
            "Warning: Immediate deletion does not wait for confirmation that the running resource "
            "has been terminated. The resource may continue to run on the cluster indefinitely.\n");
  EXPECT_EQ(RunDelete({"cm/two"}, {.grace_period = 5, .force = true}),
            "error: --force and --grace-period greater than 0 cannot be specified together\n");
  EXPECT_EQ(RunDelete({"cm/two"}, {.cascade = "up"}),
            "error: invalid cascade value (up). Must be \"background\", \"foreground\", or "
            "\"orphan\"\n");
}

TEST_F(Commands, ScaleHoldsToItsConditions) {
  RunApply(kWeb);
  const auto scale = [this](ScaleOptions options) {
    options.selection.words = {"deploy/web"};
    return Run(Scale, options);
  };
  EXPECT_EQ(scale({.replicas = 3}), "deployment.apps/web scaled\n");
  EXPECT_EQ(scale({.replicas = 4, .current_replicas = 2}),
            "error: Expected replicas to be 2, was 3\n");
  EXPECT_EQ(scale({.replicas = 4, .current_replicas = 3}), "deployment.apps/web scaled\n");
  EXPECT_EQ(scale({.replicas = 9, .dry_run = "server"}),
            "deployment.apps/web scaled (server dry run)\n");
  EXPECT_EQ(RunGet({"deploy/web"}, {.output = "jsonpath={.spec.replicas}"}), "4");
  EXPECT_EQ(scale({}),
            "error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal "
            "to 0\n");
}

TEST_F(Commands, RolloutsArePausedAndResumedAndRestarted) {
  RunApply(kWeb);
  const RolloutOptions web{.selection = {.words = {"deployment/web"}}};
  EXPECT_EQ(Run(RolloutPause, web), "deployment.apps/web paused\n");
  EXPECT_EQ(Run(RolloutPause, web), "error: deployments.apps \"web\" is already paused\n");
  EXPECT_EQ(Run(RolloutRestart, web),
            "error: deployments.apps \"web\" can't restart paused deployment (run rollout resume "
            "first)\n");
  EXPECT_EQ(Run(RolloutResume, web), "deployment.apps/web resumed\n");
  EXPECT_EQ(Run(RolloutResume, web), "error: deployments.apps \"web\" is not paused\n");
  EXPECT_EQ(Run(RolloutRestart, web), "deployment.apps/web restarted\n");
  EXPECT_THAT(RunGet({"deploy/web"}, {.output = "jsonpath={.spec.template.metadata.annotations}"}),
              StartsWith("{\"kubectl.kubernetes.io/restartedAt\":\""));
  EXPECT_EQ(Run(RolloutHistory, web), "deployment.apps/web \nNo rollout history found.\n");
  EXPECT_EQ(
      Run(RolloutUndo, web),
      "Warning: resource deployments/web was previously managed with 'kubectl apply'. Rolling "
      "back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, "
      "which may cause unexpected behavior on future 'kubectl apply' operations. Consider "
      "using 'kubectl apply' with your previous configuration file instead.\n"
      "error: no rollout history found for deployment \"web\"\n");
  EXPECT_EQ(Run(RolloutStatus, RolloutOptions{.selection = web.selection, .watch = false}),
            "Waiting for deployment spec update to be observed...\n");
  EXPECT_EQ(Run(RolloutStatus, RolloutOptions()), "error: required resource not specified\n");
}

TEST_F(Commands, DescribeTellsAboutAnObject) {
  RunApply(kMaps);
  EXPECT_EQ(RunDescribe({"cm", "one"}),
            "Name:         one\n"
            "Namespace:    default\n"
            "Labels:       tier=front\n"
            "Annotations:  <none>\n"
            "\n"
            "Data\n"
            "====\n"
            "a:\n"
            "----\n"
            "1\n"
            "\n"
            "b:\n"
            "----\n"
            "2\n"
            "\n"
            "\n"
            "BinaryData\n"
            "====\n"
            "\n"
            "Events:  <none>\n");
  EXPECT_THAT(RunDescribe({"cm", "o"}), StartsWith("Name:         one\n"));
  EXPECT_EQ(RunDescribe({"cm", "x"}), "Error from server (NotFound): configmaps \"x\" not found\n");
  EXPECT_EQ(RunDescribe({"pods"}), "No resources found in default namespace.\n");
}

TEST_F(Commands, DescribeKnowsTheCommonKinds) {
  RunApply(kWeb);
  EXPECT_THAT(
      RunDescribe({"deploy/web"}),
      testing::AllOf(HasSubstr("Replicas:               2 desired | 0 updated | 0 total | 0 "
                               "available | 0 unavailable\n"),
                     HasSubstr("RollingUpdateStrategy:  25% max unavailable, 25% max surge\n"),
                     HasSubstr("  Containers:\n   c:\n    Image:         nginx:1\n")));
  EXPECT_EQ(RunDescribe({"ns", "default"}),
            "Name:         default\n"
            "Labels:       kubernetes.io/metadata.name=default\n"
            "Annotations:  <none>\n"
            "Status:       Active\n"
            "\n"
            "No resource quota.\n"
            "\n"
            "No LimitRange resource.\n");
  RunApply(kWidgets);
  EXPECT_THAT(RunDescribe({"crd", "widgets.example.com"}),
              HasSubstr("  Names:\n    Kind:       Widget\n"));
}

}  // namespace
}  // namespace flyball::ctl

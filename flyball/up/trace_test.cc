// `flyball trace` on clusters in which something is wrong: what it is has to stand in the first
// lines.
#include "flyball/ctl/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <sstream>

#include "flyball/api/core/v1.h"
#include "flyball/ctl/apply.h"
#include "flyball/ctl/delete.h"
#include "flyball/ctl/rollout.h"
#include "flyball/sandbox/faults.h"
#include "flyball/up/local_cluster.h"

namespace flyball::up {
namespace {

using namespace std::chrono_literals;
using sandbox::Faults;
using sandbox::Requests;
using testing::HasSubstr;

constexpr std::size_t kFirstLines = 6;

/// A Deployment, and what stands in its parts beside what must.
struct Web {
  std::string spec = "replicas: 1";
  std::string annotations = {};  ///< of the template
  std::string container = {};
  std::string pod = {};
  std::string metadata = {};
  std::string name = "web";
};

std::string Manifest(const Web& web) {
  return "apiVersion: apps/v1\nkind: Deployment\n"
         "metadata: {name: " +
         web.name + web.metadata +
         "}\n"
         "spec:\n"
         "  " +
         web.spec +
         "\n"
         "  selector: {matchLabels: {app: web}}\n"
         "  template:\n"
         "    metadata: {labels: {app: web}, annotations: {" +
         web.annotations +
         "}}\n"
         "    spec: {containers: [{name: c, image: 'nginx:1'" +
         web.container + "}]" + web.pod + "}\n";
}

class TraceTest : public testing::Test {
 protected:
  /// `rule` is for the way from the controllers to the server, and for nobody else.
  void Start(std::function<void(Faults&)> rule = {}) {
    std::vector<const controllers::Entry*> all;
    for (const controllers::Entry& entry : controllers::All()) all.push_back(&entry);
    LocalCluster::Options options{.timings = {.start = 1ms, .ready = 1ms}, .controllers = all};
    if (rule) {
      options.on_the_way = [this, rule](transport::Transport& server) -> transport::Transport& {
        Faults& faults = faults_.emplace_back(server, executor_);
        rule(faults);
        return faults;
      };
    }
    auto cluster = LocalCluster::Start(
        {.executor = executor_, .timers = timers_, .network = network_}, std::move(options), {});
    ASSERT_TRUE(cluster) << cluster.error().Describe();
    cluster_ = *std::move(cluster);
  }
  /// Pods are not taken before it is there.
  void WaitForAccount() {
    const auto accounts = cluster_->client().Of<core::v1::ServiceAccount>();
    ASSERT_TRUE(Eventually([&] { return accounts.Get({"default", "default"}).has_value(); }));
  }

  template <typename Command>
  std::string Run(Command command, std::string_view input = {}) {
    std::istringstream in{std::string(input)};
    std::ostringstream out;
    ctl::Cluster cluster(cluster_->client().rest(), {in, out, out}, {});
    const ctl::Errors errors = command(cluster);
    return out.str() + ctl::ErrorText(errors);
  }
  void Apply(const std::string& manifest) {
    const std::string said = Run(
        [](ctl::Cluster& cluster) {
          return ctl::Apply(cluster, ctl::ApplyOptions{.files = {{"-"}}});
        },
        manifest);
    ASSERT_THAT(said, testing::ContainsRegex("created|configured")) << manifest;
  }
  void Delete(const std::string& what) {
    Run([&](ctl::Cluster& cluster) {
      return ctl::Delete(cluster,
                         ctl::DeleteOptions{.selection = {.words = {what}}, .wait = false});
    });
  }
  std::string Trace(const std::string& what, const std::string& output = "") {
    return Run([&](ctl::Cluster& cluster) {
      return ctl::Trace(
          cluster, cluster.rest(),
          {.selection = {.words = {what}}, .output = output, .timeline = {.reconciles = 20}});
    });
  }
  /// Waits until the first lines have a text.
  void ExpectCause(const std::string& what, const std::string& cause) {
    std::string text;
    const bool found = Eventually([&] {
      text = Trace(what);
      return FirstLines(text).find(cause) != std::string::npos;
    });
    EXPECT_TRUE(found) << "wanted: " << cause << "\ngot:\n" << text;
    RecordProperty("trace", text);
  }
  static std::string FirstLines(const std::string& text) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < kFirstLines && end != std::string::npos; ++i) {
      end = text.find('\n', end + (i == 0 ? 0 : 1));
    }
    return text.substr(0, end);
  }
  bool Eventually(const std::function<bool()>& holds) {
    const SteadyTime deadline = clock_.DeadlineAfter(60s);
    while (!holds()) {
      if (clock_.SteadyNow() > deadline) return false;
      clock_.SleepFor(50ms);
    }
    return true;
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  transport::Network network_{executor_};
  std::list<Faults> faults_;
  std::unique_ptr<LocalCluster> cluster_;
};

TEST_F(TraceTest, OfAHealthyDeploymentTellsTheWholeStory) {
  Start();
  WaitForAccount();
  Apply(Manifest({.spec = "replicas: 2"}));
  ExpectCause("deployment/web", "2 of 2 pods are ready; nothing is wrong");
  const std::string text = Trace("deployment/web");
  EXPECT_THAT(text, HasSubstr("deployment web, by deployment-controller; now: "));
  EXPECT_THAT(text, HasSubstr("deployments.apps default/web added"));
  EXPECT_THAT(text, HasSubstr("decided: create web-"));
  EXPECT_THAT(text, HasSubstr(", by replicaset-controller; now: "));
  EXPECT_THAT(text, HasSubstr("did create pods web-"));
  EXPECT_THAT(text, HasSubstr("Running, ready, on node-"));
  // Of a pod the same is seen from below.
  const auto pods = cluster_->client().Of<core::v1::Pod>().ListIn("default");
  ASSERT_TRUE(pods);
  const std::string& pod = pods->items.at(0).metadata.name;
  EXPECT_THAT(Trace("pod/" + pod),
              testing::AllOf(HasSubstr("pod " + pod + " in default: ready"),
                             HasSubstr("deployment web, by deployment-controller")));
  EXPECT_THAT(Trace("deployment/web", "json"),
              testing::AllOf(testing::StartsWith("{"), HasSubstr("\"default/web\"")));
  EXPECT_THAT(Trace("deployment/web", "yaml"), HasSubstr("allowed formats are: json"));
  EXPECT_THAT(Trace("deployment/nobody"), HasSubstr("not found"));
}

TEST_F(TraceTest, BadImage) {
  Start();
  WaitForAccount();
  Apply(
      Manifest({.spec = "replicas: 2", .annotations = "simulation.flyball.dev/image-pull: error"}));
  ExpectCause("deployment/web", "The image \"nginx:1\" cannot be pulled (2 of 2 pods)");
}

TEST_F(TraceTest, NoNodeFits) {
  Start();
  WaitForAccount();
  Apply(Manifest({.container = ", resources: {requests: {cpu: '1000'}}"}));
  ExpectCause("deployment/web", "No node fits: 0/3 nodes are available: 3 Insufficient cpu");
}

TEST_F(TraceTest, Paused) {
  Start();
  WaitForAccount();
  Apply(Manifest({}));
  ExpectCause("deployment/web", "1 of 1 pod is ready; nothing is wrong");
  Apply(Manifest({.spec = "paused: true", .annotations = "changed: 'yes'"}));
  ExpectCause(
      "deployment/web",
      "deployment web is paused: its template has changed, and that waits to be rolled out");
}

TEST_F(TraceTest, DeadlineExceeded) {
  Start();
  WaitForAccount();
  Apply(Manifest({.spec = "progressDeadlineSeconds: 1",
                  .annotations = "simulation.flyball.dev/ready: 'false'"}));
  ExpectCause("deployment/web",
              "The rollout of deployment web has exceeded its progress deadline of 1s");
  ExpectCause("deployment/web", "The container c runs, but is not ready");
}

TEST_F(TraceTest, SelectorConflict) {
  Start();
  WaitForAccount();
  Apply(Manifest({}));
  Apply(Manifest({.name = "other"}));
  ExpectCause("deployment/web",
              "The selector of deployment web (app=web) also selects the pods of deployment other");
}

TEST_F(TraceTest, FinalizerStuck) {
  Start();
  WaitForAccount();
  Apply(Manifest({.metadata = ", finalizers: [example.com/hold]"}));
  ExpectCause("deployment/web", "1 of 1 pod is ready; nothing is wrong");
  Delete("deployment/web");
  ExpectCause("deployment/web", "deployment web cannot go: its finalizer example.com/hold");
}

TEST_F(TraceTest, FinalizerStuckInANamespace) {
  Start();
  Apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
  Apply(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: shop, finalizers: "
      "[example.com/hold]}}");
  Delete("namespace/shop");
  ExpectCause("namespace/shop", "example.com/hold in 1 resource instances");
}

TEST_F(TraceTest, CrashLoop) {
  Start();
  WaitForAccount();
  Apply(Manifest({.annotations = "simulation.flyball.dev/crash: 'true'"}));
  ExpectCause("deployment/web",
              "The container c crashes again and again: it ends with exit code 1");
}

TEST_F(TraceTest, InvalidTemplate) {
  meta::v1::Status invalid;
  invalid.status = "Failure";
  invalid.code = 422;
  invalid.reason = "Invalid";
  invalid.message = "Pod \"web-1\" is invalid: spec.containers[0].name: Required value";
  Start([&](Faults& faults) {
    faults.On(Requests::Creates().Of("pods")).Refuse(sandbox::ApiStatusError(invalid));
  });
  Apply(Manifest({}));
  ExpectCause("deployment/web",
              "The template is invalid: the API server does not take it: " + invalid.message);
}

TEST_F(TraceTest, TemplateWithAServiceAccountThatIsNotThere) {
  Start();
  Apply(Manifest({.pod = ", serviceAccountName: nobody"}));
  ExpectCause("deployment/web", "The pods' service account is not there");
}

TEST_F(TraceTest, CacheNotSyncedForLackOfPermission) {
  Start([](Faults& faults) { faults.On(Requests::Reads().Of("replicasets")).Refuse(403); });
  Apply(Manifest({}));
  ExpectCause("deployment/web",
              "deployment-controller does not run: it cannot read replicasets.apps");
}

TEST_F(TraceTest, ApiServerRefusingWrites) {
  Start([](Faults& faults) { faults.On(Requests::Writes()).Refuse(503); });
  Apply(Manifest({}));
  ExpectCause("deployment/web", "The API server refuses writes: ");
}

TEST_F(TraceTest, WithoutAManagerTheObjectsTellIt) {
  auto cluster = LocalCluster::Start(
      {.executor = executor_, .timers = timers_, .network = network_}, {.nodes = 0}, {});
  ASSERT_TRUE(cluster) << cluster.error().Describe();
  cluster_ = *std::move(cluster);
  Apply(Manifest({}));
  ExpectCause("deployment/web", "No controller has looked at deployment web yet");
}

}  // namespace
}  // namespace flyball::up

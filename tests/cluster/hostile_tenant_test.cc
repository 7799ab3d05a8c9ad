// Objects that a tenant may write, made to stop the manager for everybody else. Whatever they are,
// it lives, needs little memory, rolls out another tenant's Deployment meanwhile, and has given the
// memory back when they are gone.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json.h"
#include "flyball/api/policy/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/from_yaml.h"
#include "tests/cluster/process_usage.h"
#include "tests/hostile/colliding_labels.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using api::Json;
using api::ObjectKey;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using core::v1::Pod;
using core::v1::Service;
using policy::v1::PodDisruptionBudget;

constexpr std::string_view kVictim = R"(
metadata: {name: victim}
spec:
  replicas: 2
  selector: {matchLabels: {app: victim}}
  template:
    metadata: {labels: {app: victim}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: none}]}
)";
constexpr std::string_view kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: hostile}
spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: none}]}
)";

constexpr std::string_view kService = R"(
apiVersion: v1
kind: Service
metadata: {name: hostile}
spec: {ports: [{port: 80}]}
)";

constexpr double kMostMegabytes = 200;
constexpr double kMostKeptMegabytes = 20;
// Of an attack and two rollouts beside it. What stalls the others is work on a thread of theirs.
constexpr double kMostCpuSeconds = 10;

class HostileTenantTest : public BinaryTest {
 protected:
  void SetUp() override {
    BinaryTest::SetUp();
    hostile_ = NewNamespace();
    victim_ = NewNamespace();
    manager_.emplace(StartManager("manager"));
    AwaitHealthy(*manager_);
    Deployment victim = FromYaml<Deployment>(kVictim);
    victim.metadata.namespace_ = victim_;
    Must(All<Deployment>().Create(victim));
    ASSERT_TRUE(RollsOut()) << manager_->log();
    ResetPeak(pid());
    before_ = UsageOf({pid()});
  }

  pid_t pid() { return manager_->process().pid(); }

  /// Does what a tenant may do, and looks at the manager and at the other tenant.
  void Survives(const std::function<void()>& attack) {
    attack();
    for (int i = 0; i < 2; ++i) {
      Must(All<Deployment>().Patch(
          {victim_, "victim"},
          client::Patch::Merge(FromYaml("spec: {template: {metadata: {annotations: {version: \"" +
                                        std::to_string(++version_) + "\"}}}}"))));
      ASSERT_TRUE(RollsOut()) << manager_->process().Describe() << "\n" << manager_->log();
    }
    ASSERT_TRUE(manager_->process().Running()) << manager_->log();
    EXPECT_TRUE(manager_->Healthy());
    const ProcessUsage used = UsageOf({pid()});
    const double cpu_seconds = used.cpu_seconds - before_.cpu_seconds;
    RecordProperty("peak_mb", std::to_string(used.peak_mb));
    RecordProperty("cpu_seconds", std::to_string(cpu_seconds));
    if (!IsUpstream()) {
      EXPECT_LT(used.peak_mb, kMostMegabytes);
      EXPECT_LT(cpu_seconds, kMostCpuSeconds);  // lint: allow duration: CPU time, not real time
    }

    Must(All<core::v1::Namespace>().Delete({"", hostile_}));
    ASSERT_TRUE(Eventually([this] { return !Exists<core::v1::Namespace>({"", hostile_}); }, 120s))
        << manager_->log();
    double after = 0;
    const bool given_back = Eventually([&] {
      after = UsageOf({pid()}).resident_mb;
      return after < before_.resident_mb + kMostKeptMegabytes;
    });
    RecordProperty("kept_mb", std::to_string(after - before_.resident_mb));
    if (!IsUpstream()) {
      EXPECT_TRUE(given_back) << before_.resident_mb << " MB before, " << after << " MB after";
    }
  }

  /// As a tenant's client sends it: JSON, of which our own types are not asked what they think.
  template <typename T>
  void Create(const Json& object) {
    Json own = object;
    (*(*own.If<Json::Object>())["metadata"].If<Json::Object>())["namespace"] = hostile_;
    Must(admin().Dynamic(client::Resource::Of<T>()).Create(own));
  }

  std::string hostile_;

 private:
  /// Whether the other tenant's Deployment becomes what it says, with pods that somebody says are
  /// ready as soon as they are there.
  bool RollsOut() {
    return Eventually(
               [this] {
                 if (!manager_->process().Running()) return true;
                 for (const Pod& pod : Must(All<Pod>().ListIn(victim_)).items) {
                   if (!pod.status.conditions.empty()) continue;
                   static_cast<void>(All<Pod>().Patch(
                       ObjectKey::Of(pod),
                       client::Patch::Merge(FromYaml("status: {phase: Running, conditions: [{type: "
                                                     "Ready, status: \"True\"}]}")),
                       {}, "status"));
                 }
                 const auto victim = All<Deployment>().Get({victim_, "victim"});
                 return victim &&
                        victim->status.observedGeneration == victim->metadata.generation &&
                        victim->status.updatedReplicas == 2 &&
                        victim->status.availableReplicas == 2 && victim->status.replicas == 2;
               },
               60s) &&
           manager_->process().Running();
  }

  std::string victim_;
  std::optional<ManagerBinary> manager_;
  ProcessUsage before_;
  int version_ = 0;
};

Json& Member(Json& object, std::string_view name) {
  return (*object.If<Json::Object>())[std::string(name)];
}

Json ManyLabels(int count) {
  Json::Object labels;
  // In the order of their keys: each is put behind the last.
  for (int i = 0; i < count; ++i) labels["key-" + std::to_string(100'000 + i)] = "v";
  return labels;
}

TEST_F(HostileTenantTest, DeploymentWithARequestBeyondAllExponents) {
  Survives([this] {
    Create<Deployment>(FromYaml(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: hostile}
spec:
  selector: {matchLabels: {app: hostile}}
  template:
    metadata: {labels: {app: hostile}}
    spec: {containers: [{name: main, image: none, resources: {requests: {memory: "1e6000"}}}]}
)"));
    EXPECT_TRUE(
        Eventually([this] { return !Must(All<ReplicaSet>().ListIn(hostile_)).items.empty(); }));
  });
}

TEST_F(HostileTenantTest, DeploymentWithAnAnnotationThatIsNotUtf8) {
  Survives([this] {
    Deployment hostile = FromYaml<Deployment>(kVictim);
    hostile.metadata.namespace_ = hostile_;
    hostile.metadata.annotations["note"] = "\xff";
    hostile.spec.template_.spec.containers[0].args = {"\xfe"};
    Must(All<Deployment>().Create(hostile));
    EXPECT_TRUE(
        Eventually([this] { return !Must(All<ReplicaSet>().ListIn(hostile_)).items.empty(); }));
  });
}

TEST_F(HostileTenantTest, ReplicaSetWithTheLargestRevision) {
  Survives([this] {
    Deployment hostile = FromYaml<Deployment>(kVictim);
    hostile.metadata.namespace_ = hostile_;
    hostile.spec.replicas = 0;
    Must(All<Deployment>().Create(hostile));
    std::vector<ReplicaSet> sets;
    ASSERT_TRUE(Eventually([&] {
      sets = Must(All<ReplicaSet>().ListIn(hostile_)).items;
      return !sets.empty();
    }));
    Must(All<ReplicaSet>().Patch(
        ObjectKey::Of(sets[0]),
        client::Patch::Merge(
            FromYaml("metadata: {annotations: {deployment.kubernetes.io/revision: \"" +
                     std::to_string(std::numeric_limits<std::int64_t>::max()) + "\"}}"))));
    Must(All<Deployment>().Patch(
        {hostile_, "victim"},
        client::Patch::Merge(
            FromYaml("spec: {template: {metadata: {annotations: {version: \"2\"}}}}"))));
    EXPECT_TRUE(
        Eventually([this] { return Must(All<ReplicaSet>().ListIn(hostile_)).items.size() == 2; }));
  });
}

TEST_F(HostileTenantTest, PodWithTwentyThousandImagePullSecrets) {
  Survives([this] {
    Json pod = FromYaml(kPod);
    Json::Array secrets;
    for (int i = 0; i < 20'000; ++i)
      secrets.emplace_back(Json::Object{{"name", std::to_string(i)}});
    Member(Member(pod, "spec"), "imagePullSecrets") = std::move(secrets);
    Create<Pod>(pod);
  });
}

TEST_F(HostileTenantTest, ServiceAndPodWithThirtyOneThousandLabels) {
  Survives([this] {
    Json service = FromYaml(kService);
    Member(Member(service, "spec"), "selector") = ManyLabels(31'000);
    Create<Service>(service);
    Json pod = FromYaml(kPod);
    Member(Member(pod, "metadata"), "labels") = ManyLabels(31'000);
    Create<Pod>(pod);
  });
}

TEST_F(HostileTenantTest, ServiceAndPodWithLabelsWhoseHashesCollide) {
  Survives([this] {
    hostile_ = hostile::kCollidingNamespace;
    core::v1::Namespace shop;
    shop.metadata.name = hostile_;
    Must(All<core::v1::Namespace>().Create(shop));
    Json service = FromYaml(kService);
    Json pod = FromYaml(kPod);
    Json& selector = Member(Member(service, "spec"), "selector") = Json::Object();
    Json& labels = Member(Member(pod, "metadata"), "labels") = Json::Object();
    for (const auto& [of_selector, other] : hostile::CollidingLabels()) {
      Member(selector, of_selector.first) = of_selector.second;
      Member(labels, of_selector.first) = of_selector.second;
      Member(labels, other.first) = other.second;
    }
    Create<Service>(service);
    Create<Pod>(pod);
  });
}

TEST_F(HostileTenantTest, TenBudgetsWithSelectorsOfTwelveThousandLabels) {
  Survives([this] {
    for (int i = 0; i < 10; ++i) {
      Json budget = FromYaml(R"(
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: hostile}
spec: {maxUnavailable: 1, selector: {}}
)");
      Member(Member(budget, "metadata"), "name") = "hostile-" + std::to_string(i);
      Member(Member(Member(budget, "spec"), "selector"), "matchLabels") = ManyLabels(12'000);
      Create<PodDisruptionBudget>(budget);
    }
    Json pod = FromYaml(kPod);
    Member(Member(pod, "metadata"), "labels") = ManyLabels(12'000);
    Create<Pod>(pod);
    for (int i = 0; i < 3; ++i) {
      Must(All<Pod>().Patch({hostile_, "hostile"},
                            client::Patch::Merge(FromYaml("metadata: {annotations: {touched: \"" +
                                                          std::to_string(i) + "\"}}"))));
    }
  });
}

}  // namespace
}  // namespace flyball::cluster

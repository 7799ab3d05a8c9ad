// What managers do with what cannot be done: pods that admission refuses, claims and names that
// validation refuses, quotas that are used up, schedules that never come or were missed too often,
// budgets for pods that nobody can scale, claims for which there will never be a volume, drivers
// that do not answer. They say so and try again, ever less often: upstream's manager and ours get
// the same objects, and ours asks the server for no more than upstream's does.
//
// FLYBALL_BAD_INPUT_SECONDS sets for how long they are watched.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/storage/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/from_yaml.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/succession_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::StatefulSet;
using batch::v1::CronJob;
using batch::v1::Job;
using core::v1::Event;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using core::v1::ResourceQuota;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;
using testing::IsEmpty;

constexpr std::string_view kDeployment = R"(
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: none}]}
)";
constexpr std::string_view kDaemonSet = R"(
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: none}]}
)";
constexpr std::string_view kStatefulSet = R"(
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: main, image: none}]}
)";
constexpr std::string_view kJob = R"(
metadata: {name: work}
spec:
  completions: 5
  parallelism: 5
  completionMode: Indexed
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}
)";
constexpr std::string_view kCronJob = R"(
metadata: {name: often}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}
)";
constexpr std::string_view kClaim = R"(
metadata: {name: data}
spec:
  storageClassName: ""
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
)";
constexpr std::string_view kVolume = R"(
spec:
  persistentVolumeReclaimPolicy: Retain
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  csi: {driver: csi.example.com}
)";
/// On a node that nobody runs, with nothing that drives it away.
constexpr std::string_view kUser = R"(
metadata: {name: user}
spec:
  nodeName: node-0
  terminationGracePeriodSeconds: 0
  tolerations: [{operator: Exists}]
  containers: [{name: main, image: none}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
)";

/// What was asked for in a namespace, and of what has none but is called after it: writes of events
/// apart, since they are many where others are few, and have a limit of their own.
struct Counts {
  int requests = 0;
  int events = 0;
};

class BadInputTest : public SuccessionTest {
 protected:
  void SetUp() override {
    SuccessionTest::SetUp();
    for (int i = 0; i < 3; ++i) {
      core::v1::Node node;
      node.metadata.name = "node-" + std::to_string(i);
      node.metadata.annotations["volumes.kubernetes.io/controller-managed-attach-detach"] = "true";
      Must(All<core::v1::Node>().Create(node));
      // As it is given to each new one, and nobody is there to take it off.
      Must(All<core::v1::Node>().Patch({"", node.metadata.name},
                                       {client::PatchType::kMerge, R"({"spec":{"taints":null}})"}));
    }
  }
  void TearDown() override {
    for (int i = 0; i < 3; ++i) {
      Must(All<core::v1::Node>().Delete({"", "node-" + std::to_string(i)}));
    }
    SuccessionTest::TearDown();
  }

  template <typename T>
  static T In(const std::string& space, std::string_view text) {
    T object = FromYaml<T>(text);
    object.metadata.namespace_ = space;
    return object;
  }
  template <typename T>
  static core::v1::PodTemplateSpec& TemplateOf(T& object) {
    return object.spec.template_;
  }

  // Each is a case, and makes its objects in a namespace of its own.
  using Make = void (BadInputTest::*)(const std::string& space) const;

  /// Validation takes the template; admission refuses each pod.
  void RefusedPods(const std::string& space) const {
    const auto refuse = [](auto object) {
      TemplateOf(object).spec.priorityClassName = "no-such-class";
      return object;
    };
    Must(All<Deployment>().Create(refuse(In<Deployment>(space, kDeployment))));
    Must(All<DaemonSet>().Create(refuse(In<DaemonSet>(space, kDaemonSet))));
    Must(All<StatefulSet>().Create(refuse(In<StatefulSet>(space, kStatefulSet))));
    Must(All<Job>().Create(refuse(In<Job>(space, kJob))));
  }
  void UsedUpQuota(const std::string& space) const {
    Limit(space, {{"pods", "0"}});
    Must(All<Deployment>().Create(In<Deployment>(space, kDeployment)));
    Must(All<DaemonSet>().Create(In<DaemonSet>(space, kDaemonSet)));
    Must(All<StatefulSet>().Create(In<StatefulSet>(space, kStatefulSet)));
    Must(All<Job>().Create(In<Job>(space, kJob)));
  }
  void UsedUpClaims(const std::string& space) const {
    Limit(space, {{"persistentvolumeclaims", "0"}});
    StatefulSet set = In<StatefulSet>(space, kStatefulSet);
    auto& claim = set.spec.volumeClaimTemplates.emplace_back();
    claim.metadata.name = "data";
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = *api::Quantity::Parse("1Gi");
    Must(All<StatefulSet>().Create(set));
  }
  /// A label of each pod has its name, which is too long for one.
  void RefusedNames(const std::string& space) const {
    StatefulSet set = In<StatefulSet>(space, kStatefulSet);
    set.metadata.name = std::string(62, 'x');
    Must(All<StatefulSet>().Create(set));
  }
  void ImpossibleSchedules(const std::string& space) const {
    CronJob never = In<CronJob>(space, kCronJob);
    never.metadata.name = "never";
    never.spec.schedule = "0 0 30 2 *";
    Must(All<CronJob>().Create(never));
    CronJob late = In<CronJob>(space, kCronJob);
    late.metadata.name = "late";
    late.spec.startingDeadlineSeconds = 1;
    late.spec.schedule = "0 0 29 2 *";
    Must(All<CronJob>().Create(late));
  }
  /// Its last run is a week ago, which is more than anybody counts, and it may have no jobs.
  void MissedSchedules(const std::string& space) const {
    Limit(space, {{"count/jobs.batch", "0"}});
    CronJob often = Must(All<CronJob>().Create(In<CronJob>(space, kCronJob)));
    often.status.lastScheduleTime = api::Time(clock().WallNow() - 24h * 7);
    Must(All<CronJob>().UpdateStatus(often));
  }
  /// Which the server takes, and which is as good as every second. It may have no jobs either.
  void NegativeSchedule(const std::string& space) const {
    Limit(space, {{"count/jobs.batch", "0"}});
    CronJob back = In<CronJob>(space, kCronJob);
    back.spec.schedule = "@every -1h";
    Must(All<CronJob>().Create(back));
  }
  /// Of pods whose controller nobody knows, of none, and of all that there are.
  void UnknownScale(const std::string& space) const {
    core::v1::Pod pod = In<core::v1::Pod>(space, R"(
metadata:
  name: odd
  labels: {app: odd}
  ownerReferences:
  - {apiVersion: example.com/v1, kind: Nobody, name: x, uid: 1-2-3, controller: true}
spec: {containers: [{name: main, image: none}]}
)");
    Must(All<core::v1::Pod>().Create(pod));
    for (const std::string app : {"odd", "none", "all"}) {
      policy::v1::PodDisruptionBudget budget;
      budget.metadata.namespace_ = space;
      budget.metadata.name = app;
      budget.spec.maxUnavailable = api::IntOrString::Parse("50%");
      budget.spec.selector.emplace();
      if (app != "all") budget.spec.selector->matchLabels["app"] = app;
      Must(All<policy::v1::PodDisruptionBudget>().Create(budget));
    }
  }

  /// Too large for what there is, or with labels, modes or a name that it has not.
  void UnmatchedClaims(const std::string& space) const {
    Must(All<PersistentVolume>().Create(DescribeVolume(space, "small")));
    const std::vector<std::pair<const char*, void (*)(PersistentVolumeClaim&)>> ways = {
        {"large",
         [](auto& claim) {
           claim.spec.resources.requests["storage"] = *api::Quantity::Parse("2Gi");
         }},
        {"labelled", [](auto& claim) { claim.spec.selector.emplace().matchLabels["no"] = "such"; }},
        {"shared", [](auto& claim) { claim.spec.accessModes = {"ReadWriteMany"}; }},
        {"raw", [](auto& claim) { claim.spec.volumeMode = "Block"; }},
        {"named", [](auto& claim) { claim.spec.volumeName = "no-such-volume"; }}};
    for (const auto& [name, change] : ways) {
      PersistentVolumeClaim claim = In<PersistentVolumeClaim>(space, kClaim);
      claim.metadata.name = name;
      change(claim);
      Must(All<PersistentVolumeClaim>().Create(claim));
    }
  }
  void UnknownClass(const std::string& space) const { CreateClaim(space, "no-such-class"); }
  /// As far as the server takes them: parts of bytes, and more than anybody can have.
  void NonsenseSizes(const std::string& space) const {
    PersistentVolume tiny = DescribeVolume(space, "tiny");
    tiny.metadata.labels["of"] = space;
    tiny.spec.capacity["storage"] = *api::Quantity::Parse("1m");
    Must(All<PersistentVolume>().Create(tiny));
    const std::map<std::string, std::string> sizes = {
        {"part", "2m"}, {"odd", "1.5"}, {"huge", "9223372036854775807"}, {"huger", "8E"}};
    for (const auto& [name, size] : sizes) {
      PersistentVolumeClaim claim = In<PersistentVolumeClaim>(space, kClaim);
      claim.metadata.name = name;
      claim.spec.resources.requests["storage"] = *api::Quantity::Parse(size);
      // Those of other cases would do for the smaller ones.
      claim.spec.selector.emplace().matchLabels["of"] = space;
      Must(All<PersistentVolumeClaim>().Create(claim));
    }
  }
  void SilentProvisioner(const std::string& space) const {
    CreateClaim(space, CreateClass(space, "silent", "silent.example.com", "Immediate"));
  }
  void NoProvisioner(const std::string& space) const {
    constexpr const char* kNobody = "kubernetes.io/no-provisioner";
    CreateClaim(space, CreateClass(space, "now", kNobody, "Immediate"));
    PersistentVolumeClaim later = In<PersistentVolumeClaim>(space, kClaim);
    later.metadata.name = "later";
    later.spec.storageClassName = CreateClass(space, "late", kNobody, "WaitForFirstConsumer");
    Must(All<PersistentVolumeClaim>().Create(later));
  }
  /// Which had the claim's name, and is gone.
  void VolumeOfAnother(const std::string& space) const {
    PersistentVolumeClaim claim = In<PersistentVolumeClaim>(space, kClaim);
    claim.spec.volumeName = space + "-taken";
    Must(All<PersistentVolumeClaim>().Create(claim));
    auto volume = DescribeVolume(space, "taken");
    volume.spec.claimRef.emplace().namespace_ = space;
    volume.spec.claimRef->name = claim.metadata.name;
    volume.spec.claimRef->uid = "11111111-2222-3333-4444-555555555555";
    Must(All<PersistentVolume>().Create(volume));
  }
  /// Nobody attaches what it is asked to, and what said that somebody would is deleted.
  void VanishedDriver(const std::string& space) const {
    storage::v1::CSIDriver driver;
    driver.metadata.name = space + ".example.com";
    Must(All<storage::v1::CSIDriver>().Create(driver));
    storage::v1::CSINode node;
    node.metadata.name = "node-0";
    auto& has = node.spec.drivers.emplace_back();
    has.name = driver.metadata.name;
    has.nodeID = "0";
    Must(All<storage::v1::CSINode>().Create(node));
    CreateUser(space, driver.metadata.name);
    EXPECT_TRUE(Eventually([&] { return AttachmentOf(space).has_value(); }));
    Must(All<storage::v1::CSIDriver>().Delete({"", driver.metadata.name}));
    Must(All<storage::v1::CSINode>().Delete({"", node.metadata.name}));
  }
  void RefusingDriver(const std::string& space) const {
    CreateUser(space, "refuses.example.com");
    EXPECT_TRUE(Eventually([&] { return AttachmentOf(space).has_value(); }));
    auto attachment = AttachmentOf(space);
    if (!attachment) return;
    attachment->status.attachError.emplace().message = "no such disk";
    Must(All<VolumeAttachment>().UpdateStatus(*attachment));
  }

  static PersistentVolume DescribeVolume(const std::string& space, const std::string& name) {
    PersistentVolume volume = FromYaml<PersistentVolume>(kVolume);
    volume.metadata.name = volume.spec.csi->volumeHandle = space + "-" + name;
    return volume;
  }
  std::string CreateClass(const std::string& space, const std::string& name,
                          const std::string& provisioner, const std::string& mode) const {
    StorageClass made;
    made.metadata.name = space + "-" + name;
    made.provisioner = provisioner;
    made.volumeBindingMode = mode;
    return Must(All<StorageClass>().Create(made)).metadata.name;
  }
  void CreateClaim(const std::string& space, const std::string& storage_class) const {
    PersistentVolumeClaim claim = In<PersistentVolumeClaim>(space, kClaim);
    claim.spec.storageClassName = storage_class;
    Must(All<PersistentVolumeClaim>().Create(claim));
  }
  /// A pod whose claim is bound to a volume of the driver, which has to be attached.
  void CreateUser(const std::string& space, const std::string& driver) const {
    PersistentVolume volume = DescribeVolume(space, "disk");
    volume.spec.csi->driver = driver;
    volume.spec.claimRef.emplace().namespace_ = space;
    volume.spec.claimRef->name = "data";
    Must(All<PersistentVolume>().Create(volume));
    Must(All<PersistentVolumeClaim>().Create(In<PersistentVolumeClaim>(space, kClaim)));
    Must(All<Pod>().Create(In<Pod>(space, kUser)));
  }
  std::optional<VolumeAttachment> AttachmentOf(const std::string& space) const {
    for (const VolumeAttachment& one : Must(All<VolumeAttachment>().ListIn("")).items) {
      if (one.spec.source.persistentVolumeName == space + "-disk") return one;
    }
    return std::nullopt;
  }

  /// A quota, with the status that its controller would give it.
  void Limit(const std::string& space, const std::map<std::string, std::string>& hard) const {
    ResourceQuota quota;
    quota.metadata.namespace_ = space;
    quota.metadata.name = "none";
    for (const auto& [name, amount] : hard) quota.spec.hard[name] = *api::Quantity::Parse(amount);
    quota = Must(All<ResourceQuota>().Create(quota));
    quota.status.hard = quota.spec.hard;
    quota.status.used = quota.spec.hard;
    Must(All<ResourceQuota>().UpdateStatus(quota));
  }

  /// What one manager asks for, by case.
  std::map<std::string, Counts> Watch(bool upstream) {
    const std::vector<std::pair<const char*, Make>> cases = {
        {"pods that admission refuses", &BadInputTest::RefusedPods},
        {"a quota that is used up", &BadInputTest::UsedUpQuota},
        {"no claims left in a quota", &BadInputTest::UsedUpClaims},
        {"names that validation refuses", &BadInputTest::RefusedNames},
        {"impossible schedules", &BadInputTest::ImpossibleSchedules},
        {"schedules missed too often", &BadInputTest::MissedSchedules},
        {"a schedule with a negative number", &BadInputTest::NegativeSchedule},
        {"budgets without a scale", &BadInputTest::UnknownScale},
        {"claims that nothing matches", &BadInputTest::UnmatchedClaims},
        {"a class that is not there", &BadInputTest::UnknownClass},
        {"sizes that make no sense", &BadInputTest::NonsenseSizes},
        {"a provisioner that is silent", &BadInputTest::SilentProvisioner},
        {"a class without a provisioner", &BadInputTest::NoProvisioner},
        {"a volume of another claim", &BadInputTest::VolumeOfAnother},
        {"a driver that is gone", &BadInputTest::VanishedDriver},
        {"a driver that refuses", &BadInputTest::RefusingDriver},
    };
    ManagerBinary manager = Start(upstream, SilentFlags());
    std::map<std::string, std::string> names;  // by namespace
    for (const auto& [name, make] : cases) {
      const std::string space = NewNamespace();
      EXPECT_TRUE(Eventually([&] { return IsFurnished(space); })) << manager.log();
      names[space] = name;
    }
    (void)AwaitSignOfLife(manager);
    AuditLog log(real_plane().audit_log());
    (void)log.ReadOn();
    for (const auto& [name, make] : cases) (this->*make)(SpaceOf(names, name));
    const std::chrono::seconds span(seconds_);
    clock().SleepFor(span);  // lint: allow sleep: requests are counted meanwhile
    EXPECT_TRUE(manager.process().Running()) << manager.log();
    std::map<std::string, Counts> counts;
    for (const auto& [space, name] : names) counts[name];
    const auto attachments = CasesOfAttachments(names);
    for (const AuditedRequest& one : log.ReadOn()) {
      if (!one.IsManagers()) continue;
      const std::string name = CaseOf(one, names, attachments);
      if (name.empty()) continue;
      Counts& its = counts[name];
      ++(one.resource == "events" ? its.events : its.requests);
    }
    ExpectEvents(names);
    ExpectStates(names);
    for (const auto& [space, name] : names) Must(All<core::v1::Namespace>().Delete({"", space}));
    EXPECT_TRUE(Eventually(
        [&, &spaces = names] {
          return std::ranges::none_of(spaces, [this](const auto& one) {
            return Exists<core::v1::Namespace>({"", one.first});
          });
        },
        120s))
        << manager.log();
    CleanUp(names);
    return counts;
  }
  /// Where what has no namespace belongs to, by its name.
  std::map<std::string, std::string> CasesOfAttachments(
      const std::map<std::string, std::string>& names) const {
    std::map<std::string, std::string> cases;
    for (const auto& [space, name] : names) {
      if (const auto attachment = AttachmentOf(space)) cases[attachment->metadata.name] = name;
    }
    return cases;
  }
  /// Empty: a request is none of theirs.
  static std::string CaseOf(const AuditedRequest& one,
                            const std::map<std::string, std::string>& names,
                            const std::map<std::string, std::string>& attachments) {
    if (const auto found = names.find(one.space); found != names.end()) return found->second;
    if (const auto found = attachments.find(one.name); found != attachments.end()) {
      return found->second;
    }
    const auto called = std::ranges::find_if(
        names, [&](const auto& entry) { return one.name.starts_with(entry.first + "-"); });
    return called == names.end() ? "" : called->second;
  }
  /// What does not go with a namespace.
  void CleanUp(const std::map<std::string, std::string>& names) const {
    const auto is_theirs = [&](const std::string& name) {
      return std::ranges::any_of(
          names, [&](const auto& entry) { return name.starts_with(entry.first + "-"); });
    };
    // Upstream's goes on waiting for a driver for two minutes after nobody wants it any more.
    for (const auto& [space, name] : names) {
      const auto attachment = AttachmentOf(space);
      if (attachment) (void)All<VolumeAttachment>().Delete({"", attachment->metadata.name});
    }
    for (const StorageClass& one : Must(All<StorageClass>().ListIn("")).items) {
      if (is_theirs(one.metadata.name)) Must(All<StorageClass>().Delete({"", one.metadata.name}));
    }
    for (const PersistentVolume& one : Must(All<PersistentVolume>().ListIn("")).items) {
      if (!is_theirs(one.metadata.name)) continue;
      Must(All<PersistentVolume>().Delete({"", one.metadata.name}));
    }
    EXPECT_TRUE(Eventually([&] {
      return std::ranges::none_of(
          Must(All<PersistentVolume>().ListIn("")).items,
          [&](const PersistentVolume& one) { return is_theirs(one.metadata.name); });
    }));
  }
  static std::string SpaceOf(const std::map<std::string, std::string>& names,
                             std::string_view name) {
    return std::ranges::find(names, name, [](const auto& one) { return one.second; })->first;
  }
  /// That each was told of in its way, where there is something to tell.
  void ExpectEvents(const std::map<std::string, std::string>& names) const {
    const std::map<std::string, std::string> reasons = {
        {"pods that admission refuses", "FailedCreate"},
        {"a quota that is used up", "FailedCreate"},
        {"no claims left in a quota", "FailedCreate"},
        {"names that validation refuses", "FailedCreate"},
        {"schedules missed too often", "TooManyMissedTimes"},
        {"a schedule with a negative number", "FailedCreate"},
        {"claims that nothing matches", "FailedBinding"},
        {"a class that is not there", "ProvisioningFailed"},
        {"sizes that make no sense", "FailedBinding"},
        {"a provisioner that is silent", "ExternalProvisioning"},
        {"a class without a provisioner", "ProvisioningFailed"},
        {"a volume of another claim", "FailedBinding"},
        {"a driver that refuses", "FailedAttachVolume"},
    };
    for (const auto& [name, reason] : reasons) {
      const auto events = Must(All<Event>().ListIn(SpaceOf(names, name))).items;
      EXPECT_TRUE(std::ranges::any_of(events, [&wanted = reason](const Event& event) {
        return event.reason == wanted;
      })) << name;
    }
  }

  /// What claims and volumes say of themselves.
  void ExpectStates(const std::map<std::string, std::string>& names) const {
    for (const char* const name : {"claims that nothing matches", "a class that is not there",
                                   "sizes that make no sense", "a provisioner that is silent",
                                   "a class without a provisioner", "a volume of another claim"}) {
      const auto claims = Must(All<PersistentVolumeClaim>().ListIn(SpaceOf(names, name))).items;
      EXPECT_THAT(claims, testing::Not(IsEmpty())) << name;
      for (const PersistentVolumeClaim& claim : claims) {
        EXPECT_EQ(claim.status.phase, "Pending") << name << ": " << claim.metadata.name;
      }
    }
    const std::string taken = SpaceOf(names, "a volume of another claim") + "-taken";
    EXPECT_EQ(Must(All<PersistentVolume>().Get({"", taken})).status.phase, "Released");
    for (const char* const name : {"a driver that is gone", "a driver that refuses"}) {
      const auto attachment = AttachmentOf(SpaceOf(names, name));
      EXPECT_TRUE(attachment && !attachment->status.attached) << name;
    }
  }

  const int seconds_ = NumberFromEnvironment("FLYBALL_BAD_INPUT_SECONDS", 30);
};

TEST_F(BadInputTest, OursAsksTheServerForNoMoreThanUpstreams) {
  const auto theirs = Watch(/*upstream=*/true);
  const auto ours = Watch(/*upstream=*/false);
  std::printf("%-34s %10s %8s %10s %8s\n", ("in " + std::to_string(seconds_) + " s").c_str(),
              "upstream's", "events", "ours", "events");
  for (const auto& [name, their] : theirs) {
    const Counts& our = ours.at(name);
    std::printf("%-34s %10d %8d %10d %8d\n", name.c_str(), their.requests, their.events,
                our.requests, our.events);
    // A retry more or less is chance.
    constexpr int kChance = 3;
    EXPECT_LE(our.requests, their.requests + their.requests / 10 + kChance) << name;
    EXPECT_LE(our.events, their.events + their.events / 10 + kChance) << name;
  }
}

}  // namespace
}  // namespace flyball::cluster

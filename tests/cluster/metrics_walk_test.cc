// /metrics of our kube-controller-manager beside upstream's: the same controllers, the same things
// to do, and every metric that upstream's page has is on ours, with its type and labels. What may
// differ is in metric_excuses.tsv, each with its reason.

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/batch/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/policy/v1.h"
#include "flyball/api/storage/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/finished_jobs.h"
#include "tests/cluster/from_yaml.h"
#include "tests/cluster/metric_families.h"
#include "tests/cluster/our_controllers.h"
#include "tests/cluster/written_file.h"

namespace flyball::cluster {
namespace {

using core::v1::Namespace;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using testing::AnyOf;
using testing::IsEmpty;
using Row = std::vector<std::string>;

/// Rows of cells, without the heading.
std::vector<Row> ReadTable(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    Row& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
  }
  return rows;
}

std::string Joined(const std::set<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : ",") + label;
  return text;
}

/// What upstream's page has and ours has not, or has otherwise.
class Differences {
 public:
  Differences()
      : excuses_(ReadTable(SourceFolder() / "tests/cluster/metric_excuses.tsv")),
        used_(excuses_.size()) {}

  void Add(const std::string& family, const std::string& what) {
    for (std::size_t i = 0; i < excuses_.size(); ++i) {
      if (!Matches(excuses_[i].at(0), family)) continue;
      used_[i] = true;
      return;
    }
    found_.push_back(family + ": " + what);
  }

  const std::vector<std::string>& found() const { return found_; }
  /// Excuses that nothing needed: they are wrong, or no longer true.
  std::vector<std::string> Unneeded() const {
    std::vector<std::string> unneeded;
    for (std::size_t i = 0; i < excuses_.size(); ++i) {
      if (!used_[i]) unneeded.push_back(excuses_[i].at(0));
    }
    return unneeded;
  }

 private:
  static bool Matches(std::string_view pattern, std::string_view name) {
    if (!pattern.ends_with('*')) return pattern == name;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }

  const std::vector<Row> excuses_;
  std::vector<bool> used_;
  std::vector<std::string> found_;
};

struct Checked {
  int status = 0;
  std::set<std::string> remarks;
};

/// What Prometheus' own checker says of a page.
Checked CheckWithPromtool(const std::filesystem::path& page) {
  const std::string command = (SourceFolder() / "tests/cluster/promtool").string() +
                              " check metrics <'" + page.string() + "' 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> bytes{};
  for (std::size_t size = 0; (size = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
    text.append(bytes.data(), size);
  }
  Checked checked{.status = WEXITSTATUS(pclose(pipe)), .remarks = {}};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) checked.remarks.insert(line);
  return checked;
}

class MetricsWalkTest : public BinaryTest {
 protected:
  /// One that is to go and never had a node, which only a finalizer keeps.
  void CreateStuckPod(const std::string& space) const {
    Pod pod;
    pod.metadata.namespace_ = space;
    pod.metadata.name = "stuck";
    pod.metadata.finalizers = {"example.com/hold"};
    core::v1::Container& container = pod.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    Must(All<Pod>().Create(pod));
    Must(All<Pod>().Delete({space, "stuck"}));
  }
  /// Of each a kind of set that asks for no pods, and is looked at all the same; and a budget.
  void CreateSets(const std::string& space) const {
    constexpr std::string_view kSpec = R"(
metadata: {name: idle}
spec:
  selector: {matchLabels: {app: idle}}
  template:
    metadata: {labels: {app: idle}}
    spec: {nodeSelector: {which: none}, containers: [{name: only, image: none}]}
)";
    apps::v1::StatefulSet set = FromYaml<apps::v1::StatefulSet>(kSpec);
    set.metadata.namespace_ = space;
    set.spec.replicas = 0;
    Must(All<apps::v1::StatefulSet>().Create(set));
    apps::v1::DaemonSet daemons = FromYaml<apps::v1::DaemonSet>(kSpec);
    daemons.metadata.namespace_ = space;
    Must(All<apps::v1::DaemonSet>().Create(daemons));
    policy::v1::PodDisruptionBudget budget = FromYaml<policy::v1::PodDisruptionBudget>(R"(
metadata: {name: idle}
spec: {selector: {matchLabels: {app: idle}}}
)");
    budget.metadata.namespace_ = space;
    Must(All<policy::v1::PodDisruptionBudget>().Create(budget));
  }
  /// One without pods, whose slice says so.
  void CreateService(const std::string& space) const {
    core::v1::Service service;
    service.metadata.namespace_ = space;
    service.metadata.name = "near";
    service.spec.selector["app"] = "near";
    service.spec.trafficDistribution = "PreferClose";
    service.spec.ports.emplace_back().port = 80;
    Must(All<core::v1::Service>().Create(service));
  }

  template <typename T>
  bool IsSeen(const std::string& space) const {
    const auto one = All<T>().Get({space, "idle"});
    return one && one->status.observedGeneration > 0;
  }
  bool AllAreSeen(const std::string& space) const {
    return IsSeen<apps::v1::StatefulSet>(space) && IsSeen<apps::v1::DaemonSet>(space) &&
           IsSeen<policy::v1::PodDisruptionBudget>(space);
  }

  /// One that is due in a second.
  void CreateCronJob(const std::string& space) const {
    batch::v1::CronJob often = FromYaml<batch::v1::CronJob>(R"(
metadata: {name: often}
spec:
  schedule: "@every 1s"
  concurrencyPolicy: Forbid
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: only, image: none}]}}}
)");
    often.metadata.namespace_ = space;
    Must(All<batch::v1::CronJob>().Create(often));
  }
  bool HasStarted(const std::string& space) const {
    const auto often = All<batch::v1::CronJob>().Get({space, "often"});
    return often && often->status.lastScheduleTime.has_value();
  }

  bool IsCollected(const std::string& space) const {
    const auto pod = All<Pod>().Get({space, "stuck"});
    return pod && pod->status.phase == "Failed";
  }
  void LetGo(const std::string& space) const {
    Must(All<Pod>().Patch({space, "stuck"},
                          {client::PatchType::kMerge, R"({"metadata":{"finalizers":null}})"}));
  }

  /// One that nobody runs: it needs a range of addresses, and there is a zone to be counted.
  void CreateNode(const std::string& name) const {
    core::v1::Node node;
    node.metadata.name = name;
    node.metadata.annotations["volumes.kubernetes.io/controller-managed-attach-detach"] = "true";
    Must(All<core::v1::Node>().Create(node));
  }
  /// A pod on the node, with a volume for which nothing has to be done but to say that it is
  /// attached.
  void CreateDisk(const std::string& space) const {
    Pod pod = FromYaml<Pod>(R"(
metadata: {name: disk}
spec:
  terminationGracePeriodSeconds: 0
  tolerations: [{operator: Exists}]
  containers: [{name: only, image: none}]
  volumes: [{name: disk, iscsi: {targetPortal: 192.0.2.1, iqn: "iqn.2001-04.com.example:disk", lun: 0}}]
)");
    pod.metadata.namespace_ = space;
    pod.spec.nodeName = space;
    Must(All<Pod>().Create(pod));
  }
  bool HasDisk(const std::string& node) const {
    return !Must(All<core::v1::Node>().Get({"", node})).status.volumesAttached.empty();
  }
  bool HasRange(const std::string& node) const {
    return !Must(All<core::v1::Node>().Get({"", node})).spec.podCIDR.empty();
  }
  bool HasZones(const ManagerBinary& manager) const {
    return Must(manager.Get("/metrics", Master())).body.contains("node_collector_zone_size{");
  }

  /// Endpoints by hand, which are mirrored to a slice.
  void CreateEndpoints(const std::string& space) const {
    core::v1::Service service;
    service.metadata.namespace_ = space;
    service.metadata.name = "outside";
    service.spec.ports.emplace_back().port = 80;
    Must(All<core::v1::Service>().Create(service));
    core::v1::Endpoints endpoints;
    endpoints.metadata = service.metadata;
    auto& subset = endpoints.subsets.emplace_back();
    subset.addresses.emplace_back().ip = "192.0.2.1";
    subset.ports.emplace_back().port = 80;
    Must(All<core::v1::Endpoints>().Create(endpoints));
  }
  /// Of that one, and of the service that selects pods.
  bool HasSlices(const std::string& space) const {
    return Must(All<discovery::v1::EndpointSlice>().ListIn(space)).items.size() == 2;
  }

  /// One of two indexes, of which the second fails by a rule.
  void CreateJob(const std::string& space) const {
    batch::v1::Job job;
    job.metadata.namespace_ = space;
    job.metadata.name = "indexed";
    job.spec.completions = job.spec.parallelism = 2;
    job.spec.completionMode = "Indexed";
    job.spec.backoffLimitPerIndex = 3;
    auto& rule = job.spec.podFailurePolicy.emplace().rules.emplace_back();
    rule.action = "FailIndex";
    rule.onExitCodes.emplace().operator_ = "In";
    rule.onExitCodes->values = {1};
    job.spec.template_.spec.restartPolicy = "Never";
    core::v1::Container& container = job.spec.template_.spec.containers.emplace_back();
    container.name = "only";
    container.image = "none";
    Must(All<batch::v1::Job>().Create(job));
  }
  /// Ends its pods, as a node would. False until it has ended too.
  bool HasRun(const std::string& space) const {
    for (Pod pod : Must(All<Pod>().ListIn(space)).items) {
      if (pod.status.phase != "Pending" || !pod.spec.hostname.starts_with("indexed-")) continue;
      const bool fails = pod.spec.hostname == "indexed-1";
      pod.status.phase = fails ? "Failed" : "Succeeded";
      auto& status = pod.status.containerStatuses.emplace_back();
      status.name = "only";
      status.image = "none";
      status.state.terminated.emplace().exitCode = fails ? 1 : 0;
      // Somebody else may have written to it: the next look finds it again.
      [[maybe_unused]] const auto written = All<Pod>().UpdateStatus(pod);
    }
    const auto job = Must(All<batch::v1::Job>().Get({space, "indexed"}));
    return std::ranges::any_of(job.status.conditions, [](const auto& condition) {
      return condition.type == "Failed" && condition.status == "True";
    });
  }

  /// Claims of which one waits for good, and a volume that nobody can delete, though it is to be.
  void CreateClaims(const std::string& space) const {
    auto storage_class = FromYaml<storage::v1::StorageClass>(R"(
provisioner: example.com/disks
volumeBindingMode: Immediate
)");
    storage_class.metadata.name = space;
    Must(All<storage::v1::StorageClass>().Create(storage_class));
    for (const std::string name : {"made", "waiting"}) {
      PersistentVolumeClaim claim = FromYaml<PersistentVolumeClaim>(R"(
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
)");
      claim.metadata.namespace_ = space;
      claim.metadata.name = name;
      claim.spec.storageClassName = name == "made" ? space : "";
      Must(All<PersistentVolumeClaim>().Create(claim));
    }
    PersistentVolume left = DescribeVolume(space, "left");
    left.spec.hostPath.emplace().path = "/data";
    left.spec.claimRef->name = left.spec.claimRef->uid = "gone";
    Must(All<PersistentVolume>().Create(left));
  }
  static PersistentVolume DescribeVolume(const std::string& space, const std::string& name) {
    PersistentVolume volume = FromYaml<PersistentVolume>(R"(
spec:
  persistentVolumeReclaimPolicy: Delete
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
)");
    volume.metadata.name = space + "-" + name;
    volume.spec.claimRef.emplace().namespace_ = space;
    return volume;
  }
  /// Makes a volume as soon as somebody is asked to, as a provisioner would. False until its claim
  /// is bound, and the other volume has failed.
  bool HasVolumes(const std::string& space) const {
    const auto claim = Must(All<PersistentVolumeClaim>().Get({space, "made"}));
    PersistentVolume volume = DescribeVolume(space, "made");
    const bool asked =
        claim.metadata.annotations.find("volume.kubernetes.io/storage-provisioner") != nullptr;
    if (asked && !Exists<PersistentVolume>({"", volume.metadata.name})) {
      volume.spec.storageClassName = space;
      volume.spec.csi.emplace().driver = "disks.example.com";
      volume.spec.csi->volumeHandle = volume.metadata.name;
      volume.spec.claimRef->name = claim.metadata.name;
      volume.spec.claimRef->uid = claim.metadata.uid;
      Must(All<PersistentVolume>().Create(volume));
    }
    const auto left = Must(All<PersistentVolume>().Get({"", space + "-left"}));
    return claim.status.phase == "Bound" && left.status.phase == "Failed";
  }
  /// Storage is counted while it is there: it stays until the page has been read.
  std::string GiveStorage(const ManagerBinary& manager) const {
    std::string space = NewNamespace();
    CreateClaims(space);
    EXPECT_TRUE(Eventually([&] { return HasVolumes(space); })) << manager.log();
    return space;
  }
  void TakeStorage(const std::string& space, const ManagerBinary& manager) const {
    Must(All<storage::v1::StorageClass>().Delete({"", space}));
    Must(All<Namespace>().Delete({"", space}));
    for (const char* const name : {"-made", "-left"}) {
      Must(All<PersistentVolume>().Delete({"", space + name}));
    }
    EXPECT_TRUE(Eventually([&] {
      return !Exists<Namespace>({"", space}) &&
             Must(All<PersistentVolume>().ListIn("")).items.empty();
    })) << manager.log();
  }

  /// Something to do for each controller, waited for.
  void GiveWork(const ManagerBinary& manager) const {
    const std::string space = NewNamespace();
    ASSERT_TRUE(Eventually([&] { return IsFurnished(space); })) << manager.log();
    CreateToken(space);
    CreateStuckPod(space);
    CreateSets(space);
    CreateService(space);
    CreateJob(space);
    CreateNode(space);
    CreateDisk(space);
    CreateCronJob(space);
    CreateEndpoints(space);
    const FinishedJobs jobs(admin(), space);
    Must(jobs.Complete(Must(jobs.Create("done", 0)), clock().WallNow()));
    ASSERT_TRUE(Eventually([&] {
      const auto job = jobs.Get("done");
      return HasToken(space) && (!job || job->metadata.deletionTimestamp) && IsCollected(space) &&
             AllAreSeen(space) && HasRun(space) && HasStarted(space) && HasRange(space) &&
             HasZones(manager) && HasSlices(space) && HasDisk(space);
    })) << manager.log();
    LetGo(space);
    // Its range is free again long before the namespace is gone.
    Must(All<core::v1::Node>().Delete({"", space}));
    Must(All<Namespace>().Delete({"", space}));
    ASSERT_TRUE(Eventually([&] { return !Exists<Namespace>({"", space}); })) << manager.log();
  }

  /// What the pages of one say after some work; they are kept beside the logs.
  std::string PageOf(const std::string& name, const std::filesystem::path& program) {
    ForgetLeader();
    ManagerBinary manager = StartProgram(program, name, Hasty({ControllersFlag()}));
    AwaitHealthy(manager);
    if (HasFatalFailure()) return {};
    GiveWork(manager);
    const std::string storage = GiveStorage(manager);
    const auto verbose = manager.Get("/healthz?verbose");
    EXPECT_TRUE(verbose && verbose->status == 200);
    // One is turned away and one is let in, since there are metrics of both.
    EXPECT_EQ(Must(manager.Get("/metrics", {.token = "nobodys"})).status, 401);
    EXPECT_EQ(Must(manager.Get("/metrics")).status, 403);
    EXPECT_EQ(Must(manager.Get("/metrics", {.token = plane().admin_token()})).status, 200);
    std::string all;
    for (const std::string page : {"metrics", "metrics/slis"}) {
      const std::string text = Must(manager.Get("/" + page, Master())).body;
      Must(WriteFile(PathOf(name, page), text));
      all += text;
    }
    TakeStorage(storage, manager);
    return all;
  }

  static std::filesystem::path PathOf(const std::string& name, std::string page) {
    std::ranges::replace(page, '/', '-');
    return logs() / (name + "." + page + ".txt");
  }
};

TEST_F(MetricsWalkTest, EveryMetricOfUpstreamsPageIsOnOursWithItsTypeAndLabels) {
  const auto theirs = ParseMetrics(PageOf("upstream", Upstream()));
  const auto ours = ParseMetrics(PageOf("ours", ManagerProgram()));
  ASSERT_FALSE(theirs.empty());
  ASSERT_FALSE(ours.empty());

  Differences differences;
  for (const auto& [name, family] : theirs) {
    const auto found = ours.find(name);
    if (found == ours.end()) {
      differences.Add(name, "is a " + family.type + " of upstream's, and not on our page");
    } else if (found->second.type != family.type) {
      differences.Add(name, "is a " + found->second.type + ", and " + family.type + " upstream");
    } else if (found->second.labels != family.labels) {
      differences.Add(name, "has the labels " + Joined(found->second.labels) + ", and " +
                                Joined(family.labels) + " upstream");
    }
  }
  EXPECT_THAT(differences.found(), IsEmpty());
  EXPECT_THAT(differences.Unneeded(), IsEmpty());

  int walked = 0;
  for (const Row& row : ReadTable(SourceFolder() / "tests/contract/metrics.tsv")) {
    const auto found = ours.find(row.at(0));
    if (found == ours.end()) continue;  // another controller's, or nothing has happened to it
    ++walked;
    EXPECT_EQ(found->second.type, row.at(1)) << row.at(0);
    std::set<std::string> labels;
    std::istringstream cells(row.at(2) == "-" ? "" : row.at(2));
    for (std::string label; std::getline(cells, label, ',');) labels.insert(label);
    EXPECT_EQ(found->second.labels, labels) << row.at(0);
  }
  std::cout << walked << " metrics of the contract are on our page, " << theirs.size()
            << " on upstream's altogether, " << ours.size() << " on ours\n";

  for (const char* const page : {"metrics", "metrics/slis"}) {
    const Checked check = CheckWithPromtool(PathOf("ours", page));
    if (check.status == 75) GTEST_SKIP() << "there is no promtool to be had";
    EXPECT_THAT(check.status, AnyOf(0, 3)) << page;  // 3: there are remarks, and nothing worse
    const Checked upstreams = CheckWithPromtool(PathOf("upstream", page));
    for (const std::string& remark : check.remarks) {
      EXPECT_TRUE(upstreams.remarks.contains(remark)) << remark;
    }
  }
}

}  // namespace
}  // namespace flyball::cluster

// Nodes fall silent, one, a zone, all, under upstream's manager and then under ours: which taints
// they get, at which rate, and what becomes of their pods has to be the same.
#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

#include "flyball/simulation/annotations.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/our_controllers.h"
#include "tests/cluster/simulated_cluster.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using core::v1::Node;
using core::v1::Pod;

constexpr int kNodes = 20;
constexpr int kInZone = 10;

std::string NodeName(int i) { return "node-" + std::to_string(i); }

/// What became of nodes and pods.
struct Account {
  using Taints = std::map<std::string, std::string>;  ///< "key:effect ..." by node
  Taints one_lost, zone_lost, all_back;
  bool hasty_is_gone = false;
  double seconds_until_lost = 0;
  double seconds_a_node = 0;  ///< from one node of the zone to the next
  int evicting_of_all = 0;    ///< of nodes that get that taint when all are lost
  int pods_that_stayed = 0;
};

class LostNodesTest : public BinaryTest {
 protected:
  LostNodesTest() : simulated_(plane(), executor(), network(), {.nodes = kNodes, .lease = 2s}) {}

  void SetUp() override {
    BinaryTest::SetUp();
    Must(simulated_.Start());
    for (int i = 0; i < kNodes; ++i) {
      Patch(NodeName(i), R"({"metadata":{"labels":{"topology.kubernetes.io/zone":")" +
                             std::string(i < kInZone ? "a" : "b") + R"("}}})");
    }
  }

  void Patch(const std::string& node, const std::string& merge) const {
    Must(All<Node>().Patch({"", node}, {client::PatchType::kMerge, merge}));
  }
  void Silence(int from, int to, bool silent = true) const {
    for (int i = from; i < to; ++i) {
      Patch(NodeName(i), R"({"metadata":{"annotations":{")" + std::string(simulation::kSilent) +
                             R"(":)" + (silent ? R"("true")" : "null") + "}}}");
    }
  }

  static bool IsReady(const Node& node, const std::string& status) {
    return std::ranges::any_of(node.status.conditions, [&](const auto& condition) {
      return condition.type == "Ready" && condition.status == status;
    });
  }
  int Count(const std::function<bool(const Node&)>& is) const {
    return static_cast<int>(std::ranges::count_if(Must(All<Node>().ListIn("")).items, is));
  }
  int Unknown() const {
    return Count([](const Node& node) { return IsReady(node, "Unknown"); });
  }
  static const core::v1::Taint* EvictingTaint(const Node& node) {
    const auto found = std::ranges::find(node.spec.taints, "NoExecute", &core::v1::Taint::effect);
    return found == node.spec.taints.end() ? nullptr : &*found;
  }
  int Evicting() const {
    return Count([](const Node& node) { return EvictingTaint(node) != nullptr; });
  }
  Account::Taints Taints() const {
    Account::Taints taints;
    for (const Node& node : Must(All<Node>().ListIn("")).items) {
      std::vector<std::string> texts;
      for (const auto& taint : node.spec.taints) texts.push_back(taint.key + ":" + taint.effect);
      std::ranges::sort(texts);
      for (const auto& text : texts) taints[node.metadata.name] += text + " ";
    }
    return taints;
  }
  /// By when the taints were added, which is known to the second.
  double SecondsANode() const {
    std::vector<std::int64_t> times;
    for (const Node& node : Must(All<Node>().ListIn("")).items) {
      const auto* const taint = EvictingTaint(node);
      if (taint != nullptr && taint->timeAdded) times.push_back(taint->timeAdded->unix_seconds());
    }
    std::ranges::sort(times);
    // Without the first, which was lost before the others.
    return static_cast<double>(times.back() - times[1]) / static_cast<double>(times.size() - 2);
  }

  void CreatePod(const std::string& space, const std::string& name, const std::string& node,
                 std::optional<std::int64_t> tolerates = {}) const {
    Pod pod;
    pod.metadata.namespace_ = space;
    pod.metadata.name = name;
    pod.spec.nodeName = node;
    pod.spec.terminationGracePeriodSeconds = 0;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "app";
    if (tolerates) {
      auto& toleration = pod.spec.tolerations.emplace_back();
      toleration.key = "node.kubernetes.io/unreachable";
      toleration.operator_ = "Exists";
      toleration.effect = "NoExecute";
      toleration.tolerationSeconds = *tolerates;
    }
    Must(All<Pod>().Create(pod));
  }
  int ReadyPods(const std::string& space) const {
    return static_cast<int>(
        std::ranges::count_if(Must(All<Pod>().ListIn(space)).items, [](const Pod& pod) {
          return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
            return condition.type == "Ready" && condition.status == "True";
          });
        }));
  }

  Account Play(const std::string& name, const std::filesystem::path& program) {
    ForgetLeader();
    ManagerBinary manager =
        StartProgram(program, name,
                     Hasty({ControllersFlag(), "--node-monitor-grace-period=8s",
                            "--node-monitor-period=1s", "--node-eviction-rate=0.5"}));
    AwaitHealthy(manager);
    const std::string space = NewNamespace();
    EXPECT_TRUE(Eventually([&] { return IsFurnished(space); })) << manager.log();
    for (int i = 0; i < kNodes; ++i) CreatePod(space, "pod-" + std::to_string(i), NodeName(i));
    CreatePod(space, "hasty", NodeName(3), 3);
    EXPECT_TRUE(Eventually([&] { return ReadyPods(space) == kNodes + 1; }));

    Account account;
    LoseOne(space, account);
    LoseZone(account);
    LoseAll(account);
    BringBack(space, account);
    Must(All<core::v1::Namespace>().Delete({"", space}));
    EXPECT_TRUE(Eventually([&] { return !Exists<core::v1::Namespace>({"", space}); }, 60s));
    return account;
  }

  void LoseOne(const std::string& space, Account& account) const {
    const SteadyTime start = clock().SteadyNow();
    Silence(3, 4);
    EXPECT_TRUE(Eventually([&] { return Unknown() == 1; }));
    account.seconds_until_lost = std::chrono::duration<double>(clock().SteadyNow() - start).count();
    EXPECT_TRUE(Eventually([&] { return Evicting() == 1; }));
    account.hasty_is_gone = Eventually([&] { return !Exists<Pod>({space, "hasty"}); });
    account.one_lost = Taints();
  }
  void LoseZone(Account& account) const {
    Silence(0, kInZone);
    EXPECT_TRUE(Eventually([&] { return Unknown() == kInZone; }));
    EXPECT_TRUE(Eventually([&] { return Evicting() == kInZone; }, 60s));
    account.zone_lost = Taints();
    account.seconds_a_node = SecondsANode();
  }
  void LoseAll(Account& account) const {
    Silence(kInZone, kNodes);
    EXPECT_TRUE(Eventually([&] { return Unknown() == kNodes; }));
    clock().SleepFor(6s);
    account.evicting_of_all = Evicting();
  }
  void BringBack(const std::string& space, Account& account) const {
    Silence(0, kNodes, false);
    EXPECT_TRUE(Eventually([&] { return ReadyPods(space) == kNodes && Taints().empty(); }));
    account.all_back = Taints();
    account.pods_that_stayed = ReadyPods(space);
  }

  SimulatedCluster simulated_;
};

void Tell(const char* who, const Account& account) {
  std::cout << who << ": a node is lost after " << account.seconds_until_lost
            << " s, then a node of its zone every " << account.seconds_a_node
            << " s, and when all are " << account.evicting_of_all << " are evicted from; "
            << account.pods_that_stayed << " pods stay\n";
}

TEST_F(LostNodesTest, OneOfTwentyThenAZoneThenAllAsUnderUpstreamsManager) {
  const Account theirs = Play("upstream", Upstream());
  if (HasFatalFailure()) return;
  const Account ours = Play("ours", ManagerProgram());
  Tell("upstream", theirs);
  Tell("ours", ours);
  EXPECT_EQ(ours.one_lost, theirs.one_lost);
  EXPECT_EQ(ours.one_lost.size(), 1);
  EXPECT_EQ(ours.zone_lost, theirs.zone_lost);
  EXPECT_EQ(ours.zone_lost.size(), kInZone);
  EXPECT_EQ(ours.all_back, theirs.all_back);
  EXPECT_TRUE(ours.hasty_is_gone);
  EXPECT_TRUE(theirs.hasty_is_gone);
  EXPECT_EQ(ours.pods_that_stayed, theirs.pods_that_stayed);
  EXPECT_NEAR(ours.seconds_until_lost, theirs.seconds_until_lost, 3);
  EXPECT_NEAR(ours.seconds_a_node, theirs.seconds_a_node, 0.5);
  EXPECT_NEAR(ours.seconds_a_node, 2, 0.5);
  // Upstream may be too late to spare the first of the second zone.
  EXPECT_EQ(ours.evicting_of_all, 0);
  EXPECT_LE(theirs.evicting_of_all, 2);
}

}  // namespace
}  // namespace flyball::cluster

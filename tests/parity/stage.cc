#include "tests/parity/stage.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "flyball/api/base64.h"
#include "flyball/api/kubelet_views.h"
#include "tests/parity/manager_flags.h"
#include "tests/parity/player.h"

namespace flyball::parity {
namespace {

using namespace std::chrono_literals;
using cluster::RealControlPlane;

constexpr int kNodes = 3;
/// So many at a time: more would only wait for each other.
constexpr std::size_t kSideBySide = 6;
constexpr auto kPatience = 90s;
constexpr const char* kManagerLog = "manager.log";
constexpr std::string_view kGiveRanges = "--allocate-node-cidrs=true";

constexpr std::string_view kNodePrefix = "parity-node-";

std::string NodeName(int number) { return std::string(kNodePrefix) + std::to_string(number); }

}  // namespace

Stage::Identity::Identity(const Stage& stage, const Deps& deps, const std::string& user)
    : transport(deps.network, stage.plane_->TransportOptions(
                                  stage.plane_->IssueClientCertificate(user, {"system:masters"}))),
      rest({.transport = transport, .clock = deps.executor.clock()}, {.user_agent = user}) {}

Stage::Stage(const Deps& deps, Options options, std::unique_ptr<RealControlPlane> plane)
    : deps_(deps),
      options_(std::move(options)),
      timers_(deps.executor),
      plane_(std::move(plane)),
      people_(*this, deps, "people"),
      simulation_(*this, deps, "simulation"),
      mapper_(people_.rest),
      mirror_({.client = people_.client, .executor = deps.executor, .timers = timers_}),
      informers_({.client = simulation_.client,
                  .executor = deps.executor,
                  .timers = timers_,
                  .random = [] { return 0.5; }}) {}

Stage::~Stage() {
  if (manager_) manager_->process().Stop(deps_.executor.clock(), 10s);
  scheduler_.reset();
  nodes_.reset();
  informers_.Stop();
}

Result<std::unique_ptr<Stage>> Stage::Open(const Deps& deps, const Options& options) {
  FLYBALL_TRY(auto plane,
              RealControlPlane::Start(deps.executor.clock(), deps.network,
                                      {.programs = options.programs, .logs = options.logs}));
  std::unique_ptr<Stage> stage(new Stage(deps, options, std::move(plane)));
  FLYBALL_TRY(stage->mirror_.Start());
  FLYBALL_TRY(stage->StartNodes());
  FLYBALL_TRY(stage->StartManager({}));
  FLYBALL_TRY(stage->AwaitNodes());
  return stage;
}

runtime::Controller::Deps Stage::Harness() {
  return {.client = simulation_.client,
          .informers = informers_,
          .executor = deps_.executor,
          .timers = timers_};
}

void Stage::AddNodes() {
  nodes_ = std::make_unique<simulation::SimulatedNodes>(
      simulation::SimulatedNodes::Deps{.harness = Harness()},
      simulation::SimulatedNodes::Options{.heartbeats = {.lease = kLeaseRenewal}});
  for (int i = 0; i < kNodes; ++i) nodes_->Add(NodeName(i));
}

Result<> Stage::StartNodes() {
  AddNodes();
  scheduler_ = simulation::MakeScheduler(Harness(), {});
  informers_.Start();
  informers_.WaitForSync({});
  nodes_->Start();
  scheduler_->Start();
  return {};
}

/// A node keeps the ranges that it has, and a manager with ranges of another kind would not start
/// where there is such a node. So they are made anew, without any.
Result<> Stage::RenewNodes() {
  nodes_.reset();
  const auto nodes = people_.client.Of<core::v1::Node>();
  for (int i = 0; i < kNodes; ++i) {
    const auto deleted = nodes.Delete({"", NodeName(i)});
    if (!deleted && deleted.error().code() != ErrorCode::kNotFound) return deleted;
  }
  AddNodes();
  const auto known = informers_.Of<views::KubeletNode>().lister();
  for (int i = 0; i < kNodes; ++i) {
    while (known.Get({"", NodeName(i)})) deps_.executor.clock().SleepFor(20ms);
  }
  nodes_->Start();
  for (int i = 0; i < kNodes; ++i) {
    while (!nodes.Get({"", NodeName(i)})) deps_.executor.clock().SleepFor(20ms);
  }
  return {};
}

Result<> Stage::StartManager(const std::vector<std::string>& more_flags) {
  std::vector<std::string> flags = ManagerFlags(without_, more_flags);
  as_usual_ = more_flags.empty() && without_.empty();
  gives_ranges_ = gives_ranges_ || std::ranges::find(more_flags, kGiveRanges) != more_flags.end();
  FLYBALL_TRY(auto manager,
              cluster::ManagerBinary::Start(*plane_, deps_.executor.clock(), deps_.network,
                                            {.program = options_.manager,
                                             .log = options_.logs / kManagerLog,
                                             .flags = std::move(flags)}));
  manager_.emplace(std::move(manager));
  if (auto ready = AwaitManager(); !ready) {
    return std::unexpected(ready.error().Wrap((options_.logs / kManagerLog).string()));
  }
  return {};
}

Result<> Stage::RestartManager(const std::vector<std::string>& more_flags) {
  if (!manager_->process().Stop(deps_.executor.clock(), kPatience)) {
    return Fail(ErrorCode::kTimeout, "the manager does not end");
  }
  return StartManager(more_flags);
}

/// It is at work when what every namespace gets from it is there.
Result<> Stage::AwaitManager() {
  const auto accounts = people_.client.Of<core::v1::ServiceAccount>();
  const SteadyTime deadline = deps_.executor.clock().DeadlineAfter(kPatience);
  while (!accounts.Get({"default", "default"})) {
    if (!manager_->process().Running()) {
      return Fail(ErrorCode::kUnavailable, "the manager " + manager_->process().Describe());
    }
    if (deps_.executor.clock().SteadyNow() > deadline) {
      return Fail(ErrorCode::kTimeout, "the manager does nothing");
    }
    deps_.executor.clock().SleepFor(50ms);
  }
  return {};
}

/// A node is made with a taint, which the manager takes away when it comes to it: until then no pod
/// would find a place, and would say so for ever in its managed fields.
Result<> Stage::AwaitNodes() {
  const auto known = informers_.Of<views::KubeletNode>().lister();
  const SteadyTime deadline = deps_.executor.clock().DeadlineAfter(kPatience);
  for (int i = 0; i < kNodes; ++i) {
    while (true) {
      const auto node = known.Get({"", NodeName(i)});
      if (node && node->spec.taints.empty() && !node->spec.unschedulable) break;
      if (deps_.executor.clock().SteadyNow() > deadline) {
        return Fail(ErrorCode::kTimeout, NodeName(i) + " takes no pods");
      }
      deps_.executor.clock().SleepFor(20ms);
    }
  }
  return {};
}

Stage::Records Stage::Play(const std::vector<Scenario>& scenarios) {
  Records records;
  std::vector<const Scenario*> together;
  for (const Scenario& each : scenarios) {
    records.emplace(each.name, Record());
    if (!each.alone) together.push_back(&each);
  }
  PlayTogether(together, records);
  for (const Scenario& each : scenarios) {
    if (each.alone) records.at(each.name) = PlayOne(each);
  }
  cluster::Process& process = manager_->process();
  if (process.Running()) return records;
  for (auto& [name, record] : records) {
    if (!record) record = std::unexpected(record.error().Wrap("the manager " + process.Describe()));
  }
  return records;
}

void Stage::PlayTogether(const std::vector<const Scenario*>& scenarios, Records& records) {
  const std::size_t players = std::min(kSideBySide, scenarios.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  for (std::size_t i = 0; i < players; ++i) {
    deps_.executor.Start("player-" + std::to_string(i), [&] {
      for (std::size_t mine = next++; mine < scenarios.size(); mine = next++) {
        records.at(scenarios[mine]->name) = PlayOne(*scenarios[mine]);
      }
      ++done;
    });
  }
  while (done < players) deps_.executor.clock().SleepFor(20ms);
}

Result<Record> Stage::PlayOne(const Scenario& scenario) {
  if (scenario.alone) without_ = scenario.without;
  if (!scenario.without.empty()) FLYBALL_TRY(RestartManager({}));
  std::function<Result<>(const std::vector<std::string>&)> restart;
  if (scenario.alone) restart = [this](const auto& flags) { return RestartManager(flags); };
  Player player({.client = people_.client,
                 .mapper = mapper_,
                 .witness = mirror_,
                 .clock = deps_.executor.clock(),
                 .texts = TextsOf(scenario),
                 .restart_manager = std::move(restart),
                 .least_settle = kLeastSettle},
                scenario);
  auto record = player.Play();
  if (scenario.alone) {
    player.CleanUp();
    without_.clear();
  }
  if (!as_usual_) FLYBALL_TRY(RestartManager({}));
  if (std::exchange(gives_ranges_, false)) FLYBALL_TRY(RenewNodes());
  if (scenario.alone) FLYBALL_TRY(AwaitNodes());
  return record;
}

std::vector<std::pair<std::string, std::string>> Stage::TextsOf(const Scenario& scenario) const {
  std::vector<std::pair<std::string, std::string>> texts = {
      {plane_->authority(), "<authority>"},
      {api::EncodeBase64(plane_->authority()), "<authority in base64>"}};
  // On which node a pod comes to be is chance, unless the scenario sees to it.
  for (int i = 0; i < kNodes; ++i) {
    if (scenario.text.find(kNodePrefix) != std::string::npos) break;
    texts.emplace_back(NodeName(i), "<node>");
  }
  return texts;
}

}  // namespace flyball::parity

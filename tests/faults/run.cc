#include "tests/faults/run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "flyball/api/coordination/v1.h"
#include "tests/parity/player.h"

namespace flyball::faults {
namespace {

using namespace std::chrono_literals;
using Unseen = std::vector<std::string_view>;

constexpr int kNodes = 3;
constexpr std::string_view kNodePrefix = "parity-node-";
/// Between the end of one manager and the start of the next: others do not stand still.
constexpr auto kVacancy = 2s;
/// From the loss of a lease to the end of who led by it: a renewal, and its deadline.
constexpr auto kLongestEnd = 30s;
/// Of virtual time: scenarios give up long before.
constexpr auto kLongestRun = std::chrono::hours(2);

/// Where nobody says anything else.
Result<ManagerSetup> SetupFor(const parity::Scenario& scenario,
                              const std::vector<std::string>& flags) {
  if (!flags.empty()) return Fail(ErrorCode::kUnsupported, "there are no flags here");
  controllers::Settings settings;
  settings.service_account_token.private_key = kSigningKey;
  settings.service_account_token.root_ca = kRootCa;
  settings.root_ca_publisher.root_ca = kRootCa;
  // Which range a node gets depends on who came before it, so only for who asks. There are seven
  // parts of each family: the nodes that are there have three, and a scenario may use up the
  // others.
  settings.node_ipam.allocate = scenario.text.contains("node-ipam-controller");
  settings.node_ipam.cluster_ranges = "10.244.0.0/21,fd00:10:244::/61";
  settings.node_ipam.service_ranges = "10.244.0.0/24,fd00:10:244::/64";
  // Less than others have: a node that is heard of late is to be a trial.
  settings.node_lifecycle.monitor.grace.running = 25s;
  // Those that scenarios make have no kubelet that would ever say how they are.
  settings.node_lifecycle.monitor.grace.startup = std::chrono::hours(1);
  return ManagerSetup::OfAll(std::move(settings));
}

std::string NodeName(int number) { return std::string(kNodePrefix) + std::to_string(number); }

std::vector<std::pair<std::string, std::string>> TextsOf(
    const parity::Scenario& scenario, std::vector<std::pair<std::string, std::string>> texts) {
  // On which node a pod comes to be is chance, unless the scenario sees to it.
  for (int i = 0; i < kNodes && !scenario.text.contains(kNodePrefix); ++i) {
    texts.emplace_back(NodeName(i), "<node>");
  }
  return texts;
}

/// Has the invariants know what people delete.
class PeoplesTransport final : public transport::Transport {
 public:
  PeoplesTransport(std::unique_ptr<transport::Transport> next, Invariants& invariants)
      : next_(std::move(next)), invariants_(invariants) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    const auto target = sandbox::RequestInfo::Parse(request.target);
    if (request.method == "DELETE" && target && target->plural == "pods") {
      invariants_.PeopleDelete({target->namespace_, target->name});
    }
    return next_->Send(std::move(request), std::move(handler));
  }

 private:
  const std::unique_ptr<transport::Transport> next_;
  Invariants& invariants_;
};

}  // namespace

Run::Identity::Identity(Run& run, const std::string& user)
    : Identity(run, user, run.sandbox_.server().As({.name = user, .groups = {"system:masters"}})) {}

Run::Identity::Identity(Run& run, const std::string& user,
                        std::unique_ptr<transport::Transport> its_transport)
    : transport(std::move(its_transport)),
      rest({.transport = *transport, .clock = run.executor_.clock()}, {.user_agent = user}) {}

Run::Run(const Options& options)
    : options_(options),
      executor_(options.seed, {.start = options.start, .max_steps = 10'000'000}),
      timers_(executor_),
      log_(options.log ? Logger(options.logging, executor_.clock(), options.log) : Logger()),
      dice_(options.seed),
      sandbox_({executor_, timers_}, {.seed = options.seed}),
      invariants_(executor_.clock()),
      chronicle_({.server = sandbox_.server(),
                  .clock = executor_.clock(),
                  .tell = [this](const Happening& each) { Tell(each); },
                  .unseen = options.invariants ? Unseen{"events", "leases"} : Unseen()},
                 options.served),
      manager_identity_(*this, "system:kube-controller-manager"),
      people_(
          *this, "people",
          std::make_unique<PeoplesTransport>(
              sandbox_.server().As({.name = "people", .groups = {"system:masters"}}), invariants_)),
      simulation_(*this, "simulation"),
      mapper_(people_.rest),
      informers_(
          {.client = simulation_.client, .executor = executor_, .timers = timers_, .random = [] {
             return 0.5;
           }}) {
  const Mishap::Deps deps{.executor = executor_, .managers = *this};
  for (const Point& point : options.points) {
    mishaps_.push_back(std::make_unique<Mishap>(deps, point));
  }
  if (mishaps_.empty()) mishaps_.push_back(std::make_unique<Mishap>(deps, std::nullopt));
}

std::vector<client::ServedResource> Run::Served() {
  sandbox::Sandbox sandbox;
  std::vector<client::ServedResource> served;
  auto discovered = client::Discover(sandbox.client().rest());
  if (!discovered) return served;
  for (client::ServedResource& each : discovered->resources) {
    if (each.preferred) served.push_back(std::move(each));
  }
  return served;
}

Outcome Run::Play(const Options& options) {
  auto run = std::make_unique<Run>(options);
  if (run->RunToEnd()) return std::move(run->outcome_);
  Outcome outcome = std::move(run->outcome_);
  // Its tasks wait for each other, and what they use cannot be taken from under them.
  static_cast<void>(run.release());
  return outcome;
}

bool Run::RunToEnd() {
  executor_.Start("run", [this] { PlayAndWindUp(); });
  const auto report = executor_.RunFor(kLongestRun);
  if (!done_) outcome_.record = Fail(ErrorCode::kTimeout, "it does not end: " + report.Describe());
  return done_;
}

void Run::StartTask(const std::string& name, std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    ++tasks_;
  }
  executor_.Start(name, [this, task = std::move(task)] {
    task();
    const MutexLock lock(mutex_);
    --tasks_;
    task_ended_.NotifyAll();
  });
}

void Run::PlayAndWindUp() {
  StartNodes();
  for (const auto& mishap : mishaps_) StartTask("mishap", [&mishap] { mishap->KeepWatch(); });
  outcome_.record = PlayScenario();
  for (const auto& mishap : mishaps_) mishap->End();
  {
    MutexLock lock(mutex_);
    executor_.clock().Wait(lock, task_ended_,
                           [this]() FLYBALL_REQUIRES(mutex_) { return tasks_ == 0; });
  }
  if (options_.invariants) {
    JudgeHolds();
    invariants_.Finish(chronicle_.WorldOf(options_.scenario.name));
  }
  std::ranges::copy(invariants_.violations(), std::back_inserter(outcome_.violations));
  outcome_.writes = mishaps_.front()->writes();
  outcome_.events = mishaps_.front()->events();
  for (const auto& mishap : mishaps_) outcome_.met += mishap->met() ? 1 : 0;
  if (!managers_.empty()) managers_.back()->Stop();
  managers_.clear();
  scheduler_.reset();
  nodes_.reset();
  informers_.Stop();
  done_ = true;
}

void Run::Tell(const Happening& happening) {
  if (!options_.invariants) return;
  invariants_.Tell(happening);
  const auto leaders = std::ranges::count_if(managers_, [this](const auto& manager) {
    return manager->leads() && !killed_.contains(manager.get());
  });
  if (leaders > 1) outcome_.violations.emplace_back("two managers may write at once");
}

bool Run::disturbed() const {
  return std::ranges::any_of(mishaps_, [](const auto& mishap) { return mishap->disturbs(); });
}

/// No key is held for long after all is over.
void Run::JudgeHolds() {
  constexpr int kSeconds = 60;
  std::vector<std::string> holds;
  for (int i = 0; i < kSeconds; ++i) {
    holds = managers_.back()->Holds();
    if (holds.empty()) return;
    executor_.clock().SleepFor(1s);
  }
  for (const std::string& each : holds) {
    outcome_.violations.push_back("keys are held for a minute after all is over: " + each);
  }
}

Result<parity::Record> Run::PlayScenario() {
  FLYBALL_TRY(StartManager({}));
  // What it finds to do on an empty server is not the scenario's.
  executor_.clock().SleepFor(kVacancy);
  for (const auto& mishap : mishaps_) mishap->Begin();
  parity::Player player(
      {.client = people_.client,
       .mapper = mapper_,
       .witness = chronicle_,
       .clock = executor_.clock(),
       .texts = TextsOf(options_.scenario, options_.texts),
       .restart_manager = [this](const auto& flags) { return RestartManager(flags); },
       .disturbed = [this] { return disturbed(); },
       .least_settle = options_.least_settle,
       .at_checkpoint =
           [this] {
             if (options_.invariants) invariants_.Checkpoint();
           }},
      options_.scenario);
  return player.Play();
}

void Run::StartNodes() {
  const runtime::Controller::Deps harness{.client = simulation_.client,
                                          .informers = informers_,
                                          .executor = executor_,
                                          .timers = timers_};
  nodes_ = std::make_unique<simulation::SimulatedNodes>(
      simulation::SimulatedNodes::Deps{.harness = harness},
      simulation::SimulatedNodes::Options{.heartbeats = options_.heartbeats});
  for (int i = 0; i < kNodes; ++i) nodes_->Add(NodeName(i));
  scheduler_ = simulation::MakeScheduler(harness, {});
  informers_.Start();
  informers_.WaitForSync({});
  nodes_->Start();
  scheduler_->Start();
}

Result<> Run::StartManager(const std::vector<std::string>& flags) {
  FLYBALL_TRY(ManagerSetup setup,
              options_.setup ? options_.setup(flags) : SetupFor(options_.scenario, flags));
  const std::string name = "manager-" + std::to_string(managers_.size() + 1);
  managers_.push_back(
      std::make_unique<Incarnation>(Incarnation::Deps{.executor = executor_,
                                                      .server = *manager_identity_.transport,
                                                      .random = [this] { return dice_(); },
                                                      .setup = std::move(setup),
                                                      .candidate = options_.invariants ? name : "",
                                                      .log = log_.With({{"manager", name}})}));
  Incarnation& manager = *managers_.back();
  for (const auto& mishap : mishaps_) mishap->LookAt(manager.line());
  const auto has_no_timeout = [this](const sandbox::Asked& asked) {
    if (!asked.target.query.Get("timeout").empty()) return false;
    outcome_.violations.push_back("a write has no timeout=: " + asked.method + " " +
                                  asked.target.plural + " " + asked.target.name);
    return true;
  };
  manager.line().On(sandbox::Requests::Writes().Where(has_no_timeout)).Delay({});
  return manager.Start();
}

Result<> Run::RestartManager(const std::vector<std::string>& flags) {
  Incarnation& last = *managers_.back();
  followed_.insert(&last);
  last.Stop();
  return StartManager(flags);
}

Incarnation& Run::ManagerOf(const sandbox::Faults& line) {
  const auto found =
      std::ranges::find_if(managers_, [&](const auto& each) { return &each->line() == &line; });
  return **found;
}

void Run::StartSuccessorOf(const Incarnation& manager) {
  if (managers_.back().get() != &manager) return;
  if (auto started = StartManager({}); !started) log_.Error(started.error(), "No manager");
}

void Run::Bury(Incarnation& manager) {
  StartTask("burial", [&manager] { manager.Stop(); });
}

void Run::Replace(sandbox::Faults& line) {
  Incarnation& dead = ManagerOf(line);
  killed_.insert(&dead);
  if (!followed_.insert(&dead).second) return;
  Bury(dead);
  executor_.clock().SleepFor(kVacancy);
  StartSuccessorOf(dead);
}

void Run::Restart(sandbox::Faults& line) {
  Incarnation& manager = ManagerOf(line);
  if (!followed_.insert(&manager).second) return;
  manager.Stop();
  StartSuccessorOf(manager);
}

void Run::Succeed(sandbox::Faults& line) {
  const Incarnation& manager = ManagerOf(line);
  if (followed_.insert(&manager).second) StartSuccessorOf(manager);
}

void Run::AwaitEnd(sandbox::Faults& line) {
  Incarnation& manager = ManagerOf(line);
  if (!manager.WaitUntilEnded(executor_.clock().DeadlineAfter(kLongestEnd))) {
    outcome_.violations.emplace_back("a manager goes on without its lease");
  }
  Bury(manager);
}

DeterministicExecutor::Process& Run::ProcessOf(sandbox::Faults& line) {
  return ManagerOf(line).process();
}

void Run::DeleteLease() {
  static_cast<void>(people_.client.Of<coordination::v1::Lease>().Delete(Incarnation::Lease()));
}

}  // namespace flyball::faults

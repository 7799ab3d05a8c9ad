#include "tests/faults/run.h"

#include <utility>

#include "tests/parity/player.h"

namespace flyball::faults {
namespace {

using namespace std::chrono_literals;

constexpr int kNodes = 3;
constexpr std::string_view kNodePrefix = "parity-node-";
/// Between the end of one manager and the start of the next: others do not stand still.
constexpr auto kVacancy = 2s;
constexpr auto kLeastSettle = 5s;
/// Of virtual time: scenarios give up long before.
constexpr auto kLongestRun = std::chrono::hours(2);

/// For tests: nobody else has seen it.
constexpr const char* kSigningKey =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEICTbXeVSv3xxaAlMS1pRDvyvzXEJAu/feKFqPnKASgj5oAoGCCqGSM49\n"
    "AwEHoUQDQgAER8UZLURWJE4+jR/K79oKoODprursFFKLWs7XdV8wT0nNZlec4M0c\n"
    "mRgFu8mfAhlNmm2b9HZol5OBBya9vdaxHA==\n"
    "-----END EC PRIVATE KEY-----\n";
constexpr const char* kRootCa = "-----BEGIN CERTIFICATE-----\nflyball\n-----END CERTIFICATE-----\n";

controllers::Settings MakeSettings(const parity::Scenario& scenario) {
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
  return settings;
}

std::string NodeName(int number) { return std::string(kNodePrefix) + std::to_string(number); }

std::vector<std::pair<std::string, std::string>> TextsOf(const parity::Scenario& scenario) {
  std::vector<std::pair<std::string, std::string>> texts;
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
    const auto target = sandbox::Target::Parse(request.target);
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
      executor_(options.seed, {.max_steps = 10'000'000}),
      timers_(executor_),
      log_(options.log ? Logger({.verbosity = 4}, executor_.clock(), options.log) : Logger()),
      dice_(options.seed),
      sandbox_({executor_, timers_}, {.seed = options.seed}),
      invariants_(executor_.clock()),
      chronicle_({.server = sandbox_.server(),
                  .clock = executor_.clock(),
                  .tell = [this](const Happening& each) { invariants_.Tell(each); }},
                 options.served),
      manager_identity_(*this, "system:kube-controller-manager"),
      people_(
          *this, "people",
          std::make_unique<PeoplesTransport>(
              sandbox_.server().As({.name = "people", .groups = {"system:masters"}}), invariants_)),
      simulation_(*this, "simulation"),
      mapper_(people_.rest),
      informers_({.client = simulation_.client,
                  .executor = executor_,
                  .timers = timers_,
                  .random = [] { return 0.5; }}),
      settings_(MakeSettings(options.scenario)),
      mishap_({.executor = executor_, .replace_manager = [this] { ReplaceManager(); }},
              options.point) {}

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
  StartTask("mishap", [this] { mishap_.KeepWatch(); });
  outcome_.record = PlayScenario();
  mishap_.End();
  {
    MutexLock lock(mutex_);
    executor_.clock().Wait(lock, task_ended_,
                           [this]() FLYBALL_REQUIRES(mutex_) { return tasks_ == 0; });
  }
  invariants_.Finish(chronicle_.WorldOf(options_.scenario.name));
  outcome_.violations = invariants_.violations();
  outcome_.writes = mishap_.writes();
  outcome_.events = mishap_.events();
  outcome_.met = mishap_.met();
  if (!managers_.empty()) managers_.back()->Stop();
  managers_.clear();
  scheduler_.reset();
  nodes_.reset();
  informers_.Stop();
  done_ = true;
}

Result<parity::Record> Run::PlayScenario() {
  FLYBALL_TRY(StartManager());
  // What it finds to do on an empty server is not the scenario's.
  executor_.clock().SleepFor(kVacancy);
  mishap_.Begin();
  parity::Player player(
      {.client = people_.client,
       .mapper = mapper_,
       .witness = chronicle_,
       .clock = executor_.clock(),
       .texts = TextsOf(options_.scenario),
       .restart_manager = [this](const std::vector<std::string>& flags) -> Result<> {
         if (flags.empty()) return RestartManager();
         return Fail(ErrorCode::kUnsupported, "there are no flags here");
       },
       .disturbed = [this] { return mishap_.disturbs(); },
       .least_settle = kLeastSettle,
       .at_checkpoint = [this] { invariants_.Checkpoint(); }},
      options_.scenario);
  return player.Play();
}

void Run::StartNodes() {
  const runtime::Controller::Deps harness{.client = simulation_.client,
                                          .informers = informers_,
                                          .executor = executor_,
                                          .timers = timers_};
  nodes_ = std::make_unique<simulation::SimulatedNodes>(
      simulation::SimulatedNodes::Deps{.harness = harness}, simulation::SimulatedNodes::Options());
  for (int i = 0; i < kNodes; ++i) nodes_->Add(NodeName(i));
  scheduler_ = simulation::MakeScheduler(harness, {});
  informers_.Start();
  informers_.WaitForSync({});
  nodes_->Start();
  scheduler_->Start();
}

Result<> Run::StartManager() {
  managers_.push_back(std::make_unique<Incarnation>(
      Incarnation::Deps{.executor = executor_,
                        .timers = timers_,
                        .server = *manager_identity_.transport,
                        .random = [this] { return dice_(); },
                        .settings = settings_,
                        .log = log_.With({{"manager", std::to_string(managers_.size() + 1)}})}));
  mishap_.LookAt(managers_.back()->line());
  return managers_.back()->Start();
}

Result<> Run::RestartManager() {
  managers_.back()->Stop();
  return StartManager();
}

void Run::ReplaceManager() {
  Incarnation& dead = *managers_.back();
  StartTask("burial", [&dead] { dead.Stop(); });
  executor_.clock().SleepFor(kVacancy);
  if (auto started = StartManager(); !started) log_.Error(started.error(), "No manager");
}

}  // namespace flyball::faults

#include "flyball/manager/controller_host.h"

#include <algorithm>
#include <utility>

#include "flyball/base/randomness.h"
#include "flyball/runtime/core_event_recorder.h"

namespace flyball::manager {
namespace {

using namespace std::chrono_literals;
using controllers::Entry;

GaugeFamily RunningMetric(MetricRegistry& metrics) {
  return metrics.Gauges({.name = "running_managed_controllers",
                         .help = "[ALPHA] Whether a controller runs in this process now.",
                         .labels = {"name", "manager"}});
}

bool IsServed(std::string_view group_version, const client::Served& served) {
  return std::ranges::any_of(served.resources, [&](const client::ServedResource& candidate) {
    return candidate.resource.group + "/" + candidate.resource.version == group_version;
  });
}

}  // namespace

ControllerHost::ControllerHost(Deps deps, Options options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      running_(RunningMetric(deps_.metrics)),
      informers_({.client = deps_.own.client(),
                  .executor = deps_.executor,
                  .timers = deps_.timers,
                  .random = Fraction(deps_.random),
                  .log = deps_.log,
                  .metrics = &deps_.metrics,
                  .name = "kube-controller-manager"}),
      group_({.executor = deps_.executor,
              .informers = informers_,
              .random = deps_.random,
              .running =
                  [this](std::string_view name, bool running) {
                    running_.With({name, "kube-controller-manager"}).Set(running ? 1 : 0);
                  },
              .log = deps_.log},
             options_.start_interval) {}

ControllerHost::~ControllerHost() = default;

Result<> ControllerHost::Start(const std::stop_token& stop) {
  FLYBALL_TRY(const client::Served served, WaitForServer(stop));
  FLYBALL_TRY(Build(served));
  group_.Start();
  return {};
}

// DIVERGES: upstream gives up after ten seconds, and is started again by whoever looks after it.
Result<client::Served> ControllerHost::WaitForServer(const std::stop_token& stop) {
  while (true) {
    auto served = client::Discover(deps_.own.rest());
    if (served) return served;
    if (!stop.stop_requested()) {
      deps_.log.Error(served.error(), "Waiting for the API server");
      deps_.executor.clock().SleepFor(1s, stop);
    }
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "asked to stop");
  }
}

Result<> ControllerHost::Build(const client::Served& served) {
  for (const Entry* const entry : options_.controllers) {
    if (!entry->needs.empty() && !IsServed(entry->needs, served)) {
      deps_.log.Info("Skipping a controller, since the server does not have its API",
                     {{"controller", entry->name}, {"api", entry->needs}});
      continue;
    }
    FLYBALL_TRY(auto account, deps_.open_account(*entry));
    auto controller = entry->make({.client = account->client(),
                                   .informers = informers_,
                                   .executor = deps_.executor,
                                   .timers = deps_.timers,
                                   .events = runtime::CoreEventsTo(account->events()),
                                   .metrics = &deps_.metrics,
                                   .log = deps_.log.With({{"controller", entry->name}})},
                                  options_.settings);
    if (!controller) return std::unexpected(controller.error().Wrap(entry->name));
    if (!*controller) {
      deps_.log.Info("A controller is off, since it is not given what it needs",
                     {{"controller", entry->name}});
      continue;
    }
    group_.Add(*std::move(controller), std::move(account));
  }
  return {};
}

bool ControllerHost::Stop(SteadyTime deadline) { return group_.Stop(deadline); }

std::vector<endpoints::ControllerReport> ControllerHost::Report(std::size_t most_keys) const {
  std::vector<endpoints::ControllerReport> reports;
  for (const runtime::Controller* const controller : group_.Controllers()) {
    reports.push_back({controller->name(), controller->Queues(most_keys)});
  }
  return reports;
}

std::vector<runtime::ControllerTrace> ControllerHost::Trace(
    const runtime::TraceQuery& query) const {
  std::vector<runtime::ControllerTrace> traces;
  for (const runtime::Controller* const controller : group_.Controllers()) {
    const auto& asked = query.controllers;
    if (!asked.empty() && std::ranges::find(asked, controller->name()) == asked.end()) continue;
    traces.push_back(controller->Trace(query.keys));
  }
  return traces;
}

}  // namespace flyball::manager

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
                         .help = "[ALPHA] State of a controller in this process: 1 if the "
                                 "controller is running, 0 if not.",
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
      deps_.log.Error(served.error(), "APIServer isn't healthy yet");
      deps_.executor.clock().SleepFor(1s, stop);
    }
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "asked to stop");
  }
}

Result<> ControllerHost::Build(const client::Served& served) {
  for (const Entry* const entry : options_.controllers) {
    if (!entry->needs.empty() && !IsServed(entry->needs, served)) {
      deps_.log.Info("Warning: skipping controller",
                     {{"controller", entry->name},
                      {"reason", "the API server does not serve " + std::string(entry->needs)}});
      continue;
    }
    FLYBALL_TRY(auto identity, deps_.open_identity(*entry));
    auto controller = entry->make({.client = identity->client(),
                                   .informers = informers_,
                                   .executor = deps_.executor,
                                   .timers = deps_.timers,
                                   .events = runtime::CoreEventsTo(identity->events()),
                                   .metrics = &deps_.metrics,
                                   .log = deps_.log.With({{"logger", entry->name}}),
                                   .random = deps_.random},
                                  options_.settings);
    if (!controller) {
      deps_.log.Error(controller.error(), "Error initializing a controller",
                      {{"controller", entry->name}});
      return std::unexpected(controller.error().Wrap(entry->name));
    }
    if (!*controller) {
      deps_.log.Info("Warning: skipping controller",
                     {{"controller", entry->name}, {"reason", "not configured, see its flags"}});
      continue;
    }
    group_.Add(*std::move(controller), std::move(identity));
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

#include <algorithm>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {
namespace {

struct Responsible {
  std::string_view resource;
  std::string_view controller;
};
constexpr Responsible kResponsible[] = {
    {"deployments.apps", "deployment-controller"},
    {"replicasets.apps", "replicaset-controller"},
    {"replicationcontrollers", "replicationcontroller-controller"},
    {"statefulsets.apps", "statefulset-controller"},
    {"daemonsets.apps", "daemonset-controller"},
    {"jobs.batch", "job-controller"},
    {"cronjobs.batch", "cronjob-controller"},
    {"namespaces", "namespace-controller"},
};

/// So many failures in a row are more than two who write at a time.
constexpr int kManyRetries = 5;

/// "pods: forbidden: ...", of each cache that something is wrong with.
std::vector<std::string> ProblemsOf(const ReportedController& controller) {
  std::vector<std::string> problems;
  for (const ReportedCache& cache : controller.caches) {
    if (!cache.problem.empty()) problems.push_back(cache.resource + ": " + cache.problem);
  }
  return problems;
}

Finding CannotRead(const ReportedController& controller, std::vector<std::string> problems) {
  const std::string first = problems.front();
  return {.cause = controller.name + " does not run: it cannot read " + first,
          .evidence = std::move(problems),
          .advice =
              "let its service account, or the manager's, list and watch that; it starts by "
              "itself then"};
}

Finding IsStarting(const ReportedController& controller) {
  std::vector<std::string> missing;
  for (const ReportedCache& cache : controller.caches) {
    if (!cache.synced) missing.push_back("it has not read all of " + cache.resource + " yet");
  }
  return {.cause = controller.name + " does not run" +
                   (missing.empty() ? ": it was stopped, or is just starting"
                                    : " yet: it reads what it needs first"),
          .evidence = std::move(missing)};
}

void AddStateOf(const ReportedController& controller, Findings& findings) {
  auto problems = ProblemsOf(controller);
  if (!controller.running) {
    findings.push_back(problems.empty() ? IsStarting(controller)
                                        : CannotRead(controller, std::move(problems)));
  } else if (!problems.empty()) {
    findings.push_back({.cause = controller.name +
                                 " goes by an old copy of the cluster: it cannot read " +
                                 problems.front(),
                        .evidence = std::move(problems),
                        .advice = "it goes on by itself as soon as it can read that again"});
  }
}

void AddMissing(const Observation& observation, std::string_view name, std::string_view resource,
                Findings& findings) {
  const auto& controllers = *observation.controllers;
  const auto found = std::ranges::find(controllers, name, &ReportedController::name);
  if (found != controllers.end()) return AddStateOf(*found, findings);
  findings.push_back({.cause = "No " + std::string(name) +
                               " runs in this manager: nobody looks after " + std::string(resource),
                      .advice = "see --controllers of the manager, or ask the one that has it"});
}

bool IsOrdinary(ErrorCode code) {
  return code == ErrorCode::kConflict || code == ErrorCode::kAlreadyExists ||
         code == ErrorCode::kNotFound;
}

std::string WhatOf(const ReportedWrite& write) {
  std::string what = write.verb + " " + write.resource;
  if (!write.subresource.empty()) what += "/" + write.subresource;
  return what;
}

std::string TriedText(const KeyAtController& at, const Link& link) {
  const ReportedReconcile& last = at.key->reconciles.back();
  return at.controller->name + " fails on " + link.Title() +
         (last.times > 1 ? ", " + std::to_string(last.times) + " times in a row" : "") +
         (last.GaveUp() ? ", and has given up until it changes" : "");
}

/// What the last turn came to, if it came to nothing.
void AddFailure(const KeyAtController& at, const Link& link, Findings& findings) {
  if (at.key->reconciles.empty()) return;
  const ReportedReconcile& last = at.key->reconciles.back();
  if (!last.Failed()) return;
  const bool often = at.key->retries >= kManyRetries || last.GaveUp();
  const auto refused = std::ranges::find_if(last.writes, [&](const ReportedWrite& write) {
    return write.refused && (often || !IsOrdinary(*write.refused));
  });
  if (refused != last.writes.end()) {
    Finding finding = MeaningOf({.by_whom = at.controller->name,
                                 .what = WhatOf(*refused),
                                 .resource = refused->resource,
                                 .code = refused->refused,
                                 .message = refused->error});
    finding.evidence.push_back(TriedText(at, link));
    findings.push_back(std::move(finding));
  } else if (last.writes.empty() || often) {
    findings.push_back({.cause = TriedText(at, link) + ": " + last.error,
                        .evidence = {},
                        .advice = "the manager's log has more of it"});
  }
}

/// A reconcile that does not come to an end.
void AddStuck(const KeyAtController& at, const Link& link, Findings& findings) {
  constexpr std::chrono::minutes kLong{1};
  if (at.key->state != "processing" || at.key->in_state_for < kLong) return;
  findings.push_back(
      {.cause = at.controller->name + " has been at " + link.Title() + " for more than a minute",
       .evidence = {},
       .advice = "look at what it waits for: the API server, mostly"});
}

/// A key is an object's name or, at garbage collection, its uid.
std::vector<KeyAtController> KeysOf(const Observation& observation, std::string_view resource,
                                    std::string_view name, std::string_view uid) {
  std::vector<KeyAtController> found;
  if (!observation.controllers) return found;
  for (const ReportedController& controller : *observation.controllers) {
    for (const ReportedQueue& queue : controller.queues) {
      for (const ReportedKey& key : queue.keys) {
        const bool named = queue.resource == resource && key.key == name;
        if (named || key.key == uid) found.push_back({&controller, &queue, &key});
      }
    }
  }
  return found;
}

}  // namespace

std::string_view ControllerFor(std::string_view resource) {
  const auto* const found = std::ranges::find(kResponsible, resource, &Responsible::resource);
  return found == std::end(kResponsible) ? std::string_view() : found->controller;
}

std::vector<KeyAtController> KeysOf(const Observation& observation, const Link& link) {
  return KeysOf(observation, link.resource, link.key(), link.uid());
}

std::vector<KeyAtController> KeysOf(const Observation& observation, const core::v1::Pod& pod) {
  return KeysOf(observation, "pods", api::ObjectKey::Of(pod).ToString(), pod.metadata.uid);
}

Findings ControllerFindings(const Observation& observation) {
  Findings findings;
  if (!observation.controllers) return findings;
  if (observation.controllers->empty()) {
    findings.push_back(
        {.cause = "The manager runs no controllers: it does not lead, or has not reached the API "
                  "server yet",
         .evidence = {},
         .advice =
             "ask the one that leads; the lease kube-system/kube-controller-manager names it"});
    return findings;
  }
  std::vector<std::string_view> seen;
  const auto look = [&](std::string_view name, std::string_view resource) {
    if (name.empty() || std::ranges::find(seen, name) != seen.end()) return;
    seen.push_back(name);
    AddMissing(observation, name, resource, findings);
  };
  const auto links = observation.chain.SetsAndOwners();
  for (const Link* const link : links) {
    look(ControllerFor(link->resource), link->resource);
    // A Deployment that has made nothing yet needs both.
    if (link->resource == "deployments.apps") {
      look(ControllerFor("replicasets.apps"), "replicasets.apps");
    }
  }
  for (const Link* const link : links) {
    for (const KeyAtController& at : KeysOf(observation, *link)) {
      AddFailure(at, *link, findings);
      AddStuck(at, *link, findings);
    }
  }
  return findings;
}

}  // namespace flyball::ctl::trace

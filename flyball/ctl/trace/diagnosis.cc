#include "flyball/ctl/trace/diagnosis.h"

#include <algorithm>
#include <utility>

#include "flyball/ctl/json_field.h"

namespace flyball::ctl::trace {
namespace {

/// How many pods it is to have; nothing if that is no question of numbers.
std::optional<std::int64_t> WantedPods(const Link& link) {
  const auto number = [&](Path path) { return NumberAt(link.object, path, 1); };
  if (link.resource == "daemonsets.apps") {
    return NumberAt(link.object, {"status", "desiredNumberScheduled"});
  }
  if (link.resource == "jobs.batch") return number({"spec", "parallelism"});
  if (link.resource == "deployments.apps" || link.resource == "replicasets.apps" ||
      link.resource == "statefulsets.apps" || link.resource == "replicationcontrollers") {
    return number({"spec", "replicas"});
  }
  return std::nullopt;
}

struct Progress {
  std::size_t ready = 0;
  std::optional<std::int64_t> wanted = {};
  std::size_t old = 0;  ///< ready pods of earlier templates are ready too, and not what is wanted

  bool IsComplete() const { return wanted && static_cast<std::int64_t>(ready - old) >= *wanted; }
};

Progress ProgressOf(const Chain& chain) {
  Progress progress{.wanted = WantedPods(chain.asked)};
  progress.ready = static_cast<std::size_t>(std::ranges::count_if(chain.pods, IsReady));
  if (chain.asked.resource != "deployments.apps" || !progress.wanted) return progress;
  const auto updated = NumberAt(chain.asked.object, {"status", "updatedReplicas"});
  const auto all = NumberAt(chain.asked.object, {"status", "replicas"});
  progress.old =
      std::min(progress.ready, static_cast<std::size_t>(std::max<std::int64_t>(all - updated, 0)));
  return progress;
}

std::string StateText(const Chain& chain, const Progress& progress) {
  const Link& asked = chain.asked;
  const std::string namespace_ = TextAt(asked.object, {"metadata", "namespace"});
  std::string text = asked.Title() + (namespace_.empty() ? "" : " in " + namespace_);
  if (chain.IsAboutPod()) {
    const auto& pod = chain.pods;
    if (pod.empty()) return text;
    return text + ": " + (IsReady(pod[0]) ? "ready" : "not ready") + ", " + pod[0].status.phase;
  }
  if (DeletedAt(asked.object)) return text + ": being deleted";
  if (!progress.wanted) return text;
  text += ": " + std::to_string(progress.ready) + " of " +
          Counted(static_cast<std::size_t>(*progress.wanted), "pod") +
          (*progress.wanted == 1 ? " is ready" : " are ready");
  if (progress.old > 0) text += ", " + std::to_string(progress.old) + " of an earlier template";
  return text;
}

/// What several say is told once, with all that speaks for it.
void Merge(Findings more, Findings& into) {
  for (Finding& finding : more) {
    const auto same = std::ranges::find_if(into, [&](const Finding& each) {
      return each.cause == finding.cause || (!finding.heard.empty() && each.heard == finding.heard);
    });
    if (same == into.end()) {
      into.push_back(std::move(finding));
      continue;
    }
    for (std::string& evidence : finding.evidence) {
      if (std::ranges::find(same->evidence, evidence) == same->evidence.end()) {
        same->evidence.push_back(std::move(evidence));
      }
    }
  }
}

/// Pods that are missing though nothing says why: what was last complained of may be it.
void AddUnexplained(const Observation& observation, const Progress& progress, Findings& findings) {
  const Chain& chain = observation.chain;
  if (!findings.empty() || !progress.wanted || DeletedAt(chain.asked.object)) return;
  if (static_cast<std::int64_t>(chain.pods.size()) >= *progress.wanted) return;
  for (const Link* const link : chain.Sets()) {
    for (const core::v1::Event* const event : EventsOf(chain, link->uid())) {
      if (event->type != "Warning") continue;
      findings.push_back({.cause = "Pods are missing, and the last complaint is " + event->reason +
                                   ": " + event->message,
                          .evidence = {"an event about " + link->Title()}});
      return;
    }
  }
}

std::string NothingWrong(const Chain& chain, const Progress& progress) {
  if (chain.IsAboutPod()) {
    const bool up = !chain.pods.empty() &&
                    (IsReady(chain.pods[0]) || chain.pods[0].status.phase == "Succeeded");
    return up ? "; nothing is wrong" : "; nothing is wrong so far, it is on its way";
  }
  if (!progress.wanted) return "; nothing is wrong with it as far as can be seen";
  if (*progress.wanted == 0) return "; nothing is wrong, it asks for none";
  if (progress.IsComplete()) return "; nothing is wrong";
  return "; nothing is wrong so far, it is on its way";
}

}  // namespace

Diagnosis Diagnose(const Observation& observation) {
  const Progress progress = ProgressOf(observation.chain);
  Diagnosis diagnosis{.state = StateText(observation.chain, progress)};
  Findings& findings = diagnosis.findings;
  Merge(DeletionFindings(observation), findings);
  Merge(ControllerFindings(observation), findings);
  Merge(WorkloadFindings(observation), findings);
  Merge(PodFindings(observation), findings);
  Merge(ProgressFindings(observation), findings);
  AddUnexplained(observation, progress, findings);
  if (findings.empty()) diagnosis.state += NothingWrong(observation.chain, progress);
  return diagnosis;
}

std::string ToText(const Diagnosis& diagnosis) {
  std::string text = diagnosis.state + "\n";
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    text += std::to_string(i + 1) + ". " + finding.cause + "\n";
    for (const std::string& evidence : finding.evidence) text += "   seen: " + evidence + "\n";
    if (!finding.advice.empty()) text += "   do: " + finding.advice + "\n";
  }
  return text;
}

}  // namespace flyball::ctl::trace

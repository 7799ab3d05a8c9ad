#include <algorithm>

#include "flyball/api/duration.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/label_selector.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/rollout_history.h"
#include "flyball/ctl/trace/findings.h"

namespace flyball::ctl::trace {
namespace {

using api::Json;

/// The labels that its pods have.
api::Map<std::string> LabelsOfPods(const Link& link) {
  api::Map<std::string> labels;
  for (const auto& [key, value] :
       MembersAt(link.object, {"spec", "template", "metadata", "labels"})) {
    labels[key] = TextAt(value, {});
  }
  return labels;
}

/// What it chooses pods by; nothing if it does not, or not in a way that can be read.
std::optional<api::Selector> SelectorOf(const Link& link) {
  const Json* const field = FieldAt(link.object, {"spec", "selector"});
  if (field == nullptr) return std::nullopt;
  Json message = *field;
  if (link.resource == "replicationcontrollers") {
    message = Json::Object{};
    MakeField(message, {"matchLabels"}) = *field;
  }
  const auto selector = api::DecodeJson<meta::v1::LabelSelector>(message.ToString());
  if (!selector) return std::nullopt;
  auto parsed = api::Selector::FromMessage(*selector);
  return parsed ? std::optional(*std::move(parsed)) : std::nullopt;
}

void AddSelectorConflicts(const Chain& chain, Findings& findings) {
  const auto ours = SelectorOf(chain.asked);
  if (!ours) return;
  for (const Link& other : chain.neighbours) {
    const auto theirs = SelectorOf(other);
    const bool we_choose = ours->Matches(LabelsOfPods(other));
    const bool they_choose = theirs && theirs->Matches(LabelsOfPods(chain.asked));
    if (!we_choose && !they_choose) continue;
    const Link& chooser = we_choose ? chain.asked : other;
    const Link& chosen = we_choose ? other : chain.asked;
    findings.push_back(
        {.cause = "The selector of " + chooser.Title() + " (" +
                  (we_choose ? *ours : *theirs).ToString() + ") also selects the pods of " +
                  chosen.Title(),
         .evidence = {we_choose && they_choose
                          ? "each selects the other's pods"
                          : "the pods of " + chosen.Title() + " have all labels that it asks for"},
         .advice = "give the two different labels and selectors: pods that nobody owns go to "
                   "either, and budgets and autoscalers count them twice"});
  }
}

/// A change of its template that no ReplicaSet has yet.
bool HasPendingChange(const Chain& chain) {
  return std::ranges::none_of(chain.owned, [&](const Link& set) {
    return set.resource == "replicasets.apps" && SameTemplate(chain.asked.object, set.object);
  });
}

void AddPaused(const Chain& chain, Findings& findings) {
  const Json* const paused = FieldAt(chain.asked.object, {"spec", "paused"});
  if (chain.asked.resource != "deployments.apps" || paused == nullptr || *paused != Json(true)) {
    return;
  }
  const bool pending = HasPendingChange(chain);
  findings.push_back(
      {.cause = chain.asked.Title() + " is paused: " +
                (pending ? "its template has changed, and that waits to be rolled out"
                         : "what is changed in its template waits to be rolled out"),
       .evidence = {"spec.paused is true"},
       .advice = "flyball rollout resume deployment/" + chain.asked.name()});
}

void AddSuspended(const Link& link, Findings& findings) {
  const Json* const suspended = FieldAt(link.object, {"spec", "suspend"});
  if (suspended == nullptr || *suspended != Json(true)) return;
  findings.push_back({.cause = link.Title() + " is suspended: it starts nothing",
                      .evidence = {"spec.suspend is true"},
                      .advice = "set spec.suspend to false"});
}

/// What a set says of pods, or a Deployment of sets, that it could not make.
void AddRefusals(const Link& link, Findings& findings) {
  struct Said {
    std::string_view condition;
    std::string_view reason;  ///< empty: any
    std::string_view status;
    std::string_view what;
    std::string_view resource;
  };
  constexpr Said kSaid[] = {{"ReplicaFailure", "FailedCreate", "True", "create pods", "pods"},
                            {"ReplicaFailure", "FailedDelete", "True", "delete pods", "pods"},
                            {"Progressing", "ReplicaSetCreateError", "False",
                             "create replicasets.apps", "replicasets.apps"}};
  for (const Said& said : kSaid) {
    // A Deployment's ReplicaFailure is told where it comes from.
    const auto condition = ConditionOf(link.object, said.condition);
    if (!condition || condition->status != said.status || condition->reason != said.reason) {
      continue;
    }
    const std::string controller(ControllerFor(link.resource));
    Finding finding = MeaningOf({.by_whom = controller.empty() ? "the controller" : controller,
                                 .what = std::string(said.what),
                                 .resource = std::string(said.resource),
                                 .message = condition->message});
    finding.evidence.push_back(link.Title() + " has the condition " + std::string(said.condition) +
                               " (" + condition->reason + ")");
    findings.push_back(std::move(finding));
  }
}

void AddFailedJob(const Link& link, Findings& findings) {
  const auto failed = ConditionOf(link.object, "Failed");
  if (link.resource != "jobs.batch" || !failed || failed->status != "True") return;
  findings.push_back({.cause = link.Title() + " has failed: " + failed->message,
                      .evidence = {"condition Failed, reason " + failed->reason},
                      .advice = "look at its pods, and create it anew"});
}

/// Of kinds that nothing is known of, conditions that by custom say that something is wrong.
void AddConditions(const Link& link, Findings& findings) {
  if (!ControllerFor(link.resource).empty()) return;
  constexpr std::string_view kGood[] = {"Ready", "Available", "Established", "Healthy"};
  constexpr std::string_view kBad[] = {"Degraded", "Stalled", "Failed", "NamesConflict"};
  const auto add = [&](std::string_view type, std::string_view wrong) {
    const auto condition = ConditionOf(link.object, type);
    if (!condition || condition->status != wrong) return;
    findings.push_back(
        {.cause = link.Title() + " says that it is " + (wrong == "False" ? "not " : "") +
                  std::string(type) + ": " + condition->message,
         .evidence = {"condition " + std::string(type) + ", reason " + condition->reason}});
  };
  for (const std::string_view type : kGood) add(type, "False");
  for (const std::string_view type : kBad) add(type, "True");
}

void AddDeadline(const Link& link, Findings& findings) {
  const auto progressing = ConditionOf(link.object, "Progressing");
  if (link.resource != "deployments.apps" || !progressing ||
      progressing->reason != "ProgressDeadlineExceeded") {
    return;
  }
  const std::chrono::seconds deadline(
      NumberAt(link.object, {"spec", "progressDeadlineSeconds"}, 600));
  findings.push_back({.cause = "The rollout of " + link.Title() +
                               " has exceeded its progress deadline of " +
                               api::FormatDuration(deadline),
                      .evidence = {progressing->message},
                      .advice = "correct what keeps its pods from being ready, or go back: flyball "
                                "rollout undo deployment/" +
                                link.name()});
}

void AddUnobserved(const Observation& observation, const Link& link, Findings& findings) {
  const std::int64_t generation = NumberAt(link.object, {"metadata", "generation"});
  const std::int64_t observed = NumberAt(link.object, {"status", "observedGeneration"}, generation);
  const bool never = FieldAt(link.object, {"status", "observedGeneration"}) == nullptr &&
                     !ControllerFor(link.resource).empty() && link.resource != "jobs.batch" &&
                     link.resource != "cronjobs.batch" && link.resource != "namespaces";
  if (observed >= generation && !never) return;
  Finding finding{
      .cause = never ? "No controller has looked at " + link.Title() + " yet"
                     : "The last change of " + link.Title() + " has not been looked at yet",
      .evidence = {"its generation is " + std::to_string(generation) + ", and " +
                   (never ? "none" : std::to_string(observed)) + " has been observed"},
      .advice = observation.controllers ? "" : "see whether a controller manager runs"};
  for (const KeyAtController& at : KeysOf(observation, link)) {
    if (at.key->state == "waiting") {
      finding.evidence.push_back("it waits for its turn at " + at.controller->name);
    }
    if (at.key->state == "held") {
      finding.evidence.push_back(at.controller->name +
                                 " waits until its caches show what it wrote last");
    }
  }
  findings.push_back(std::move(finding));
}

}  // namespace

Findings WorkloadFindings(const Observation& observation) {
  const Chain& chain = observation.chain;
  Findings findings;
  AddPaused(chain, findings);
  for (const Link* const link : chain.Sets()) {
    AddSuspended(*link, findings);
    AddRefusals(*link, findings);
    AddFailedJob(*link, findings);
    AddConditions(*link, findings);
  }
  AddSelectorConflicts(chain, findings);
  return findings;
}

Findings ProgressFindings(const Observation& observation) {
  Findings findings;
  for (const Link* const link : observation.chain.Sets()) {
    AddDeadline(*link, findings);
    if (!DeletedAt(link->object)) AddUnobserved(observation, *link, findings);
  }
  return findings;
}

}  // namespace flyball::ctl::trace

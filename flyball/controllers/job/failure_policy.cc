#include "flyball/controllers/job/failure_policy.h"

#include <algorithm>
#include <array>

namespace flyball::controllers::job {
namespace {

using batch::v1::PodFailurePolicyOnExitCodesRequirement;
using batch::v1::PodFailurePolicyRule;
using views::Pod;

/// The actions that there are; texts that outlive any job.
constexpr std::array<std::string_view, 4> kActions = {"FailJob", "FailIndex", "Ignore", "Count"};

bool Fits(std::int32_t exit_code, const PodFailurePolicyOnExitCodesRequirement& wanted) {
  const bool listed = std::ranges::find(wanted.values, exit_code) != wanted.values.end();
  if (wanted.operator_ == "In") return listed;
  return wanted.operator_ == "NotIn" && !listed;
}

const Pod::ContainerStatus* FindIn(const auto& statuses,
                                   const PodFailurePolicyOnExitCodesRequirement& wanted) {
  for (const Pod::ContainerStatus& status : statuses) {
    const auto* const terminated = status.state.terminated;
    if (terminated == nullptr || terminated->exitCode == 0) continue;
    if (wanted.containerName && status.name != *wanted.containerName) continue;
    if (Fits(terminated->exitCode, wanted)) return &status;
  }
  return nullptr;
}

/// What of the pod fits the rule, in words up to the rule's own; none if nothing does.
std::optional<std::string> Finding(const Pod& pod, const PodFailurePolicyRule& rule) {
  const std::string name =
      std::string(pod.metadata.namespace_) + "/" + std::string(pod.metadata.name);
  if (rule.onExitCodes) {
    const auto* found = FindIn(pod.status.containerStatuses, *rule.onExitCodes);
    if (found == nullptr) found = FindIn(pod.status.initContainerStatuses, *rule.onExitCodes);
    if (found == nullptr) return std::nullopt;
    return "Container " + std::string(found->name) + " for pod " + name +
           " failed with exit code " + std::to_string(found->state.terminated->exitCode);
  }
  for (const auto& condition : pod.status.conditions) {
    for (const auto& pattern : rule.onPodConditions) {
      if (condition.type != pattern.type || condition.status != pattern.status) continue;
      return "Pod " + name + " has condition " + pattern.type;
    }
  }
  return std::nullopt;
}

}  // namespace

FailureHandling HandlingOf(const Pod& failed, const batch::v1::Job& job) {
  if (!job.spec.podFailurePolicy) return {};
  const auto& rules = job.spec.podFailurePolicy->rules;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const auto* const action = std::ranges::find(kActions, rules[i].action);
    if (action == kActions.end()) continue;  // of a release to come
    const auto finding = Finding(failed, rules[i]);
    if (!finding) continue;
    FailureHandling handling{.counts = *action != "Ignore", .action = *action};
    if (*action == "FailJob") {
      handling.fails_job =
          *finding + " matching " + rules[i].action + " rule at index " + std::to_string(i);
    }
    return handling;
  }
  return {};
}

}  // namespace flyball::controllers::job

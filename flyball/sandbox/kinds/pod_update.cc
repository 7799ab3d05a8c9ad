#include "flyball/sandbox/kinds/pod_update.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/label_validation.h"

namespace flyball::sandbox {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::Toleration;

constexpr std::string_view kMayChange =
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Says whether the lists are such that the rest can be compared at all.
bool CheckContainers(const std::vector<Container>& now, const std::vector<Container>& before,
                     const std::string& path, FieldErrors& errors) {
  if (now.size() != before.size()) {
    errors.push_back(FieldError::Forbidden(path, "pod updates may not add or remove containers"));
    return false;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string& image = now[i].image;
    const std::string at = path + "[" + std::to_string(i) + "].image";
    if (image.empty()) {
      errors.push_back(FieldError::Required(at, ""));
    } else if (std::string_view(" \t\n\r").contains(image.front()) ||
               std::string_view(" \t\n\r").contains(image.back())) {
      errors.push_back(
          FieldError::Invalid(at, image, "must not have leading or trailing whitespace"));
    }
  }
  return true;
}

/// It may be set, and shortened; says whether to go on.
bool CheckDeadline(const PodSpec& now, const PodSpec& before, FieldErrors& errors) {
  const std::string field = "spec.activeDeadlineSeconds";
  if (!now.activeDeadlineSeconds) {
    if (before.activeDeadlineSeconds) {
      errors.push_back({FieldError::Kind::kInvalid, field, "null",
                        "must not update from a positive integer to nil value"});
    }
    return true;
  }
  const std::int64_t seconds = *now.activeDeadlineSeconds;
  if (seconds < 0 || seconds > std::numeric_limits<std::int32_t>::max()) {
    errors.push_back(
        FieldError::InvalidNumber(field, seconds, "must be between 0 and 2147483647, inclusive"));
    return false;
  }
  if (before.activeDeadlineSeconds && *before.activeDeadlineSeconds < seconds) {
    errors.push_back(
        FieldError::InvalidNumber(field, seconds, "must be less than or equal to previous value"));
    return false;
  }
  return true;
}

void CheckTolerations(const PodSpec& now, const PodSpec& before, FieldErrors& errors) {
  for (const Toleration& old : before.tolerations) {
    const auto same = [&](const Toleration& each) {
      Toleration like = old;
      like.tolerationSeconds = each.tolerationSeconds;
      return like == each;
    };
    if (std::ranges::any_of(now.tolerations, same)) continue;
    errors.push_back(FieldError::Forbidden("spec.tolerations",
                                           "existing toleration can not be modified except its "
                                           "tolerationSeconds"));
    return;
  }
}

void CheckGates(const PodSpec& now, const PodSpec& before, FieldErrors& errors) {
  for (std::size_t i = 0; i < now.schedulingGates.size(); ++i) {
    const std::string& gate = now.schedulingGates[i].name;
    if (std::ranges::find(before.schedulingGates, gate, &core::v1::PodSchedulingGate::name) !=
        before.schedulingGates.end()) {
      continue;
    }
    errors.push_back(FieldError::Forbidden(
        "spec.schedulingGates[" + std::to_string(i) + "].name",
        "only deletion is allowed, but found new scheduling gate '" + gate + "'"));
  }
}

void TakeImages(std::vector<Container>& to, const std::vector<Container>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i].image = from[i].image;
}

/// A pod that waits at a gate may still narrow down where it goes.
void LeaveGated(PodSpec& spec, const PodSpec& before, FieldErrors& errors) {
  for (const auto& [key, value] : before.nodeSelector) {
    const std::string* const kept = spec.nodeSelector.find(key);
    if (kept != nullptr && *kept == value) continue;
    api::Json::Object shown;
    for (const auto& [name, text] : spec.nodeSelector) shown[name] = text;
    errors.push_back({FieldError::Kind::kInvalid, "spec.nodeSelector", api::Json(shown).ToString(),
                      "only additions to spec.nodeSelector are allowed (no mutations or "
                      "deletions)"});
    break;
  }
  spec.nodeSelector = before.nodeSelector;
  if (!spec.affinity && !before.affinity) return;
  // DIVERGES: any change of the node affinity is taken, where upstream takes additions only.
  auto& affinity = spec.affinity.get_or_emplace();
  affinity.nodeAffinity.reset();
  if (before.affinity) affinity.nodeAffinity = before.affinity->nodeAffinity;
  if (!before.affinity && !affinity.podAffinity && !affinity.podAntiAffinity) spec.affinity.reset();
}

FieldErrors CheckSpecChange(const PodSpec& now, const PodSpec& before) {
  FieldErrors errors;
  if (!CheckContainers(now.containers, before.containers, "spec.containers", errors) ||
      !CheckContainers(now.initContainers, before.initContainers, "spec.initContainers", errors) ||
      !CheckDeadline(now, before, errors)) {
    return errors;
  }
  CheckTolerations(now, before, errors);
  CheckGates(now, before, errors);
  if (now == before) return errors;
  PodSpec rest = now;
  TakeImages(rest.containers, before.containers);
  TakeImages(rest.initContainers, before.initContainers);
  rest.activeDeadlineSeconds = before.activeDeadlineSeconds;
  rest.schedulingGates = before.schedulingGates;
  rest.tolerations = before.tolerations;
  if (before.terminationGracePeriodSeconds.value_or(0) < 0 &&
      rest.terminationGracePeriodSeconds == 1) {
    rest.terminationGracePeriodSeconds = before.terminationGracePeriodSeconds;
  }
  if (!before.schedulingGates.empty()) LeaveGated(rest, before, errors);
  if (rest != before) {
    // DIVERGES: upstream goes on with a diff of the two as Go prints them.
    errors.push_back(FieldError::Forbidden(
        "spec", "pod updates may not change fields other than " + std::string(kMayChange) + "\n"));
  }
  return errors;
}

FieldErrors CheckStatusChange(const Pod& now, const Pod& before) {
  FieldErrors errors;
  for (std::size_t i = 0; i < now.status.conditions.size(); ++i) {
    const std::string& type = now.status.conditions[i].type;
    if (const auto valid = api::ValidateQualifiedName(type); !valid) {
      errors.push_back(FieldError::Invalid("status.conditions[" + std::to_string(i) + "].Type",
                                           type, valid.error().message()));
    }
  }
  const std::string& nominated = now.status.nominatedNodeName;
  if (!before.spec.nodeName.empty() && !nominated.empty() &&
      nominated != before.status.nominatedNodeName) {
    errors.push_back(FieldError::Forbidden("status.nominatedNodeName",
                                           "may not be set on pods that are already bound to a "
                                           "node"));
  }
  if (now.status.observedGeneration < 0) {
    errors.push_back(FieldError::InvalidNumber("status.observedGeneration",
                                               now.status.observedGeneration,
                                               "must be a non-negative integer"));
  }
  if (now.status.qosClass != before.status.qosClass) {
    errors.push_back(
        FieldError::Invalid("status.qosClass", now.status.qosClass, "field is immutable"));
  }
  return errors;
}

FieldErrors CheckEphemeralContainers(const PodSpec& now, const PodSpec& before) {
  FieldErrors errors;
  const std::string path = "spec.ephemeralContainers";
  for (const auto& old : before.ephemeralContainers) {
    const auto kept =
        std::ranges::find(now.ephemeralContainers, old.name, &core::v1::EphemeralContainer::name);
    if (kept != now.ephemeralContainers.end() && *kept == old) continue;
    const bool removed = kept == now.ephemeralContainers.end();
    errors.push_back(FieldError::Forbidden(
        path, "existing ephemeral containers " + api::Json(old.name).ToString() + " may not be " +
                  (removed ? "removed\n" : "changed\n")));
  }
  return errors;
}

}  // namespace

FieldErrors CheckPodChange(const Pod& now, const Pod& before, std::string_view subresource) {
  if (subresource == "status") return CheckStatusChange(now, before);
  if (subresource == "ephemeralcontainers") {
    return CheckEphemeralContainers(now.spec, before.spec);
  }
  if (subresource == "resize") return {};
  return CheckSpecChange(now.spec, before.spec);
}

}  // namespace flyball::sandbox

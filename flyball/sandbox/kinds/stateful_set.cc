#include <charconv>
#include <string>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json.h"
#include "flyball/base/wrapping.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/kinds/workload_checks.h"

namespace flyball::sandbox {
namespace {

using apps::v1::DaemonSet;
using apps::v1::StatefulSet;
using apps::v1::StatefulSetSpec;

/// The template with a volume for each claim, as its pods will have them.
core::v1::PodTemplateSpec WithClaims(const StatefulSetSpec& spec) {
  core::v1::PodTemplateSpec pod = spec.template_;
  pod.spec.subdomain.clear();
  pod.spec.hostname.clear();
  for (const auto& claim : spec.volumeClaimTemplates) {
    const std::string& name = claim.metadata.name;
    std::erase_if(pod.spec.volumes,
                  [&](const core::v1::Volume& volume) { return volume.name == name; });
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = name;
    volume.persistentVolumeClaim.emplace().claimName = name;
  }
  return pod;
}

class StatefulSetKind final : public StrategyFor<StatefulSet> {
  /// What its claims are goes without saying, and is not stored.
  static void UnnameClaims(StatefulSet& set) {
    for (auto& claim : set.spec.volumeClaimTemplates) {
      claim.kind.clear();
      claim.apiVersion.clear();
    }
  }
  StatusOr<> AdmitNew(StatefulSet& set, const Write&) const override {
    UnnameClaims(set);
    return {};
  }
  StatusOr<> AdmitChange(StatefulSet& now, const StatefulSet&, const Write&) const override {
    UnnameClaims(now);
    return {};
  }

  FieldErrors CheckNew(const StatefulSet& set, const Write&) const override {
    FieldErrors errors;
    const StatefulSetSpec& spec = set.spec;
    if (spec.podManagementPolicy != "OrderedReady" && spec.podManagementPolicy != "Parallel") {
      errors.push_back(FieldError::Invalid("spec.podManagementPolicy", spec.podManagementPolicy,
                                           "must be 'OrderedReady' or 'Parallel'"));
    }
    if (spec.updateStrategy.type == "OnDelete" && spec.updateStrategy.rollingUpdate) {
      errors.push_back({FieldError::Kind::kInvalid, "spec.updateStrategy.rollingUpdate",
                        Shown(*spec.updateStrategy.rollingUpdate),
                        "only allowed for updateStrategy 'RollingUpdate'"});
    } else if (spec.updateStrategy.type != "OnDelete" &&
               spec.updateStrategy.type != "RollingUpdate") {
      errors.push_back({FieldError::Kind::kInvalid, "spec.updateStrategy",
                        Shown(spec.updateStrategy), "must be 'RollingUpdate' or 'OnDelete'"});
    }
    CheckNotNegative(spec.replicas, "spec.replicas", errors);
    CheckNotNegative(std::int64_t{spec.minReadySeconds}, "spec.minReadySeconds", errors);
    if (!spec.serviceName.empty()) CheckLabelName(spec.serviceName, "spec.serviceName", errors);
    const core::v1::PodTemplateSpec pod = WithClaims(spec);
    CheckTemplateSelector(spec.selector, pod, "statefulset", errors);
    CheckLastingTemplate(pod, "StatefulSet", errors);
    return errors;
  }

  FieldErrors CheckChange(const StatefulSet& now, const StatefulSet& before,
                          const Write& write) const override {
    if (write.subresource == "status") return CheckStatus(now);
    FieldErrors errors = CheckNew(now, write);
    CheckSelectorUnchanged(now.spec.selector, before.spec.selector, errors);
    const std::string immutable = "field is immutable";
    if (now.spec.volumeClaimTemplates != before.spec.volumeClaimTemplates) {
      std::string shown;
      for (const auto& each : now.spec.volumeClaimTemplates) {
        shown += (shown.empty() ? "" : ",") + Shown(each);
      }
      errors.push_back(
          {FieldError::Kind::kInvalid, "spec.volumeClaimTemplates", "[" + shown + "]", immutable});
    }
    if (now.spec.serviceName != before.spec.serviceName) {
      errors.push_back(FieldError::Invalid("spec.serviceName", now.spec.serviceName, immutable));
    }
    if (now.spec.podManagementPolicy != before.spec.podManagementPolicy) {
      errors.push_back(
          FieldError::Invalid("spec.podManagementPolicy", now.spec.podManagementPolicy, immutable));
    }
    return errors;
  }

  static FieldErrors CheckStatus(const StatefulSet& now) {
    FieldErrors errors;
    const auto& status = now.status;
    CheckNotNegative(std::int64_t{status.replicas}, "status.replicas", errors);
    CheckPart(status.readyReplicas, status.replicas, "status.readyReplicas", "status.replicas",
              errors);
    CheckPart(status.currentReplicas, status.replicas, "status.currentReplicas", "status.replicas",
              errors);
    CheckPart(status.updatedReplicas, status.replicas, "status.updatedReplicas", "status.replicas",
              errors);
    CheckPart(status.availableReplicas, status.replicas, "status.availableReplicas",
              "status.replicas", errors);
    CheckPart(status.availableReplicas, status.readyReplicas, "status.availableReplicas",
              "status.readyReplicas", errors);
    return errors;
  }
};

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

std::int64_t TemplateGenerationOf(const DaemonSet& set) {
  std::int64_t number = 0;
  const std::string* const text = set.metadata.annotations.find(kTemplateGeneration);
  if (text != nullptr) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

/// It counts its templates in an annotation, from the time when that was a field.
class DaemonSetKind final : public StrategyFor<DaemonSet> {
  void Settle(DaemonSet& set) const override {
    set.metadata.annotations[kTemplateGeneration] = std::to_string(TemplateGenerationOf(set));
  }

  void PrepareNew(DaemonSet& set, const Write&) const override {
    const std::int64_t given = TemplateGenerationOf(set);
    set.metadata.annotations[kTemplateGeneration] = std::to_string(given < 1 ? 1 : given);
  }

  void PrepareChange(DaemonSet& now, const DaemonSet& before, const Write& write) const override {
    if (write.subresource == "status") return;
    const std::int64_t counted = TemplateGenerationOf(before);
    const bool changed = now.spec.template_ != before.spec.template_;
    // PARITY: whoever creates a set may have it begin with any number, and it wraps.
    now.metadata.annotations[kTemplateGeneration] =
        std::to_string(WrappingAdd(counted, changed ? 1 : 0));
  }

  FieldErrors CheckNew(const DaemonSet& set, const Write&) const override {
    FieldErrors errors;
    const auto& spec = set.spec;
    CheckTemplateSelector(spec.selector, spec.template_, "daemonset", errors);
    CheckLastingTemplate(spec.template_, "DaemonSet", errors);
    CheckNotNegative(std::int64_t{spec.minReadySeconds}, "spec.minReadySeconds", errors);
    if (spec.updateStrategy.type != "OnDelete" && spec.updateStrategy.type != "RollingUpdate") {
      errors.push_back({FieldError::Kind::kNotSupported, "spec.updateStrategy",
                        Shown(spec.updateStrategy),
                        "supported values: \"RollingUpdate\", \"OnDelete\""});
    }
    CheckNotNegative(spec.revisionHistoryLimit, "spec.revisionHistoryLimit", errors);
    return errors;
  }

  FieldErrors CheckChange(const DaemonSet& now, const DaemonSet& before,
                          const Write& write) const override {
    if (write.subresource == "status") return {};
    FieldErrors errors;
    CheckSelectorUnchanged(now.spec.selector, before.spec.selector, errors);
    for (FieldError& error : CheckNew(now, write)) errors.push_back(std::move(error));
    return errors;
  }
};

}  // namespace

const RestStrategy& StatefulSetRestStrategy() {
  static const StatefulSetKind kStrategy;
  return kStrategy;
}

const RestStrategy& DaemonSetRestStrategy() {
  static const DaemonSetKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

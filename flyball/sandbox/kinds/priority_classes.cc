#include "flyball/sandbox/kinds/priority_classes.h"

#include <string>
#include <string_view>

#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/pod_admission.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using scheduling::v1::PriorityClass;

constexpr std::int32_t kHighestForUsers = 1'000'000'000;
constexpr std::int32_t kClusterCritical = 2 * kHighestForUsers;
constexpr std::int32_t kNodeCritical = kClusterCritical + 1000;

PriorityClass SystemClass(std::string name, std::int32_t value, std::string description) {
  PriorityClass made;
  made.metadata.name = std::move(name);
  made.value = value;
  made.description = std::move(description);
  made.preemptionPolicy = "PreemptLowerPriority";
  return made;
}

class PriorityClassKind final : public StrategyFor<PriorityClass> {
  StatusOr<> AdmitNew(PriorityClass& made, const Write& write) const override {
    return CheckDefault(made, write);
  }
  StatusOr<> AdmitChange(PriorityClass& now, const PriorityClass&,
                         const Write& write) const override {
    return CheckDefault(now, write);
  }

  /// There is one default at most.
  static StatusOr<> CheckDefault(const PriorityClass& wanted, const Write& write) {
    if (!wanted.globalDefault) return {};
    for (const RecordPtr& record : write.context.List("scheduling.k8s.io/priorityclasses", "")) {
      const api::AnyObject object = record->Decode();
      const auto& each = *object.As<PriorityClass>();
      if (!each.globalDefault || each.metadata.name == wanted.metadata.name) continue;
      return std::unexpected(NotAdmitted(write, wanted.metadata,
                                         "PriorityClass " + each.metadata.name +
                                             " is already marked as default. Only one default "
                                             "can exist"));
    }
    return {};
  }

  FieldErrors CheckNew(const PriorityClass& made, const Write&) const override {
    FieldErrors errors;
    if (made.metadata.name.starts_with("system-") && made.metadata.name != "system-node-critical" &&
        made.metadata.name != "system-cluster-critical") {
      errors.push_back(FieldError::Forbidden(
          "metadata.name",
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
              made.metadata.name + " is not a known system priority class"));
    } else if (made.value > kHighestForUsers && !made.metadata.name.starts_with("system-")) {
      errors.push_back(
          FieldError::Forbidden("value", "maximum allowed value of a user defined priority is " +
                                             std::to_string(kHighestForUsers)));
    }
    CheckOneOf(made.preemptionPolicy.value_or("Never"), {"PreemptLowerPriority", "Never"},
               "preemptionPolicy", errors);
    return errors;
  }

  FieldErrors CheckChange(const PriorityClass& now, const PriorityClass& before,
                          const Write&) const override {
    FieldErrors errors;
    if (now.value != before.value) {
      errors.push_back(FieldError::Forbidden("value", "may not be changed in an update."));
    }
    if (now.preemptionPolicy != before.preemptionPolicy) {
      errors.push_back(FieldError::Invalid("preemptionPolicy", now.preemptionPolicy.value_or(""),
                                           "field is immutable"));
    }
    return errors;
  }
};

}  // namespace

std::vector<PriorityClass> SystemPriorityClasses() {
  return {
      SystemClass("system-node-critical", kNodeCritical,
                  "Used for system critical pods that must not be moved from their current node."),
      SystemClass("system-cluster-critical", kClusterCritical,
                  "Used for system critical pods that must run in the cluster, but can be moved to "
                  "another node if necessary."),
  };
}

const RestStrategy& PriorityClassRestStrategy() {
  static const PriorityClassKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

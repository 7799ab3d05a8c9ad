#include <algorithm>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::Node;
using core::v1::Taint;

void CheckTaints(const Node& node, FieldErrors& errors) {
  // PARITY: upstream puts them under the metadata.
  const std::string path = "metadata.taints";
  for (std::size_t i = 0; i < node.spec.taints.size(); ++i) {
    const Taint& taint = node.spec.taints[i];
    const std::string at = At(path, i);
    api::Map<std::string> as_label;
    as_label[taint.key] = taint.value;
    CheckLabels(as_label, at + ".key", errors);
    CheckOneOf(taint.effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"}, at + ".effect",
               errors);
    for (std::size_t j = 0; j < i; ++j) {
      const Taint& other = node.spec.taints[j];
      if (other.key != taint.key || other.effect != taint.effect) continue;
      FieldError error = FieldError::Duplicate(at, "");
      error.value = Shown(taint);
      error.detail = "taints must be unique by key and effect pair";
      errors.push_back(std::move(error));
    }
  }
}

/// Nothing is scheduled on a node until somebody has seen that it is ready.
class NodeKind final : public StrategyFor<Node> {
  /// The first range has a member of its own, from when there was only one.
  void Settle(Node& node) const override {
    auto& spec = node.spec;
    if (spec.podCIDR.empty()) {
      if (!spec.podCIDRs.empty()) spec.podCIDR = spec.podCIDRs.front();
    } else if (spec.podCIDRs.empty() || spec.podCIDRs.front() != spec.podCIDR) {
      spec.podCIDRs = {spec.podCIDR};
    }
  }

  StatusOr<> AdmitNew(Node& node, const Write&) const override {
    const auto is_it = [](const Taint& taint) {
      return taint.key == "node.kubernetes.io/not-ready" && taint.effect == "NoSchedule";
    };
    if (std::ranges::any_of(node.spec.taints, is_it)) return {};
    Taint& taint = node.spec.taints.emplace_back();
    taint.key = "node.kubernetes.io/not-ready";
    taint.effect = "NoSchedule";
    return {};
  }

  FieldErrors CheckNew(const Node& node, const Write&) const override {
    FieldErrors errors;
    CheckTaints(node, errors);
    return errors;
  }

  FieldErrors CheckChange(const Node& now, const Node& before, const Write&) const override {
    FieldErrors errors;
    if (!before.spec.podCIDRs.empty() && now.spec.podCIDRs != before.spec.podCIDRs) {
      errors.push_back(FieldError::Forbidden(
          "spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
    }
    const std::string& provider = before.spec.providerID;
    if (!provider.empty() && now.spec.providerID != provider) {
      errors.push_back({FieldError::Kind::kInvalid, "spec.providerID", "null",
                        now.spec.providerID.empty() ? "field cannot be cleared once set"
                                                    : "field cannot be modified once set"});
    }
    CheckTaints(now, errors);
    return errors;
  }
};

}  // namespace

const RestStrategy& NodeRestStrategy() {
  static const NodeKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

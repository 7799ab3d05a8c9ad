#include <algorithm>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using core::v1::Namespace;

constexpr std::string_view kFinalizer = "kubernetes";
constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

/// Those that the system itself lives in.
bool IsImmortal(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

/// A namespace ends in two steps. A DELETE marks it, and from then on nothing new comes in; the
/// namespace controller empties it and takes the finalizers out of its spec, through the `finalize`
/// subresource and nowhere else. Without any it goes.
class NamespaceKind final : public StrategyFor<Namespace> {
  NameRule names() const override { return NameRule::kLabel; }

  void PrepareNew(Namespace& space, const Write&) const override {
    space.status.phase = "Active";
    auto& finalizers = space.spec.finalizers;
    if (std::ranges::find(finalizers, kFinalizer) == finalizers.end()) {
      finalizers.emplace_back(kFinalizer);
    }
    space.metadata.labels[kNameLabel] = space.metadata.name;
  }

  void PrepareChange(Namespace& now, const Namespace& before, const Write& write) const override {
    if (write.subresource == "finalize") {
      now.status = before.status;
    } else {
      now.spec.finalizers = before.spec.finalizers;
    }
    now.metadata.labels[kNameLabel] = now.metadata.name;
  }

  FieldErrors CheckChange(const Namespace& now, const Namespace&,
                          const Write& write) const override {
    if (write.subresource != "status") return {};
    const std::string& phase = now.status.phase;
    const bool ending = now.metadata.deletionTimestamp.has_value();
    if (!ending && phase != "Active") {
      return {FieldError::Invalid("status.Phase", phase,
                                  "may only be 'Active' if `deletionTimestamp` is empty")};
    }
    if (ending && phase != "Terminating") {
      return {FieldError::Invalid("status.Phase", phase,
                                  "may only be 'Terminating' if `deletionTimestamp` is not empty")};
    }
    return {};
  }

  StatusOr<> AdmitEnd(const Namespace& space, const Write& write) const override {
    if (!IsImmortal(space.metadata.name)) return {};
    return std::unexpected(
        Forbidden(write.resource.name(), space.metadata.name, "this namespace may not be deleted"));
  }

  StatusOr<std::optional<Deletion>> End(Namespace& space, const meta::v1::DeleteOptions& options,
                                        const Write& write) const override {
    FLYBALL_TRY(CheckPreconditions(space, options, write));
    if (!space.metadata.deletionTimestamp) {
      space.metadata.deletionTimestamp = api::Time(write.context.Now()).WholeSeconds();
      space.status.phase = "Terminating";
      SetCollectorFinalizers(*write.resource.kind, space.metadata, options);
      return Deletion{DeletionResult::kMarked, /*changed=*/true};
    }
    if (!space.spec.finalizers.empty()) return Deletion{DeletionResult::kNothing};
    return std::nullopt;
  }

  bool IsFree(const Namespace& space) const override { return space.spec.finalizers.empty(); }

  static StatusOr<> CheckPreconditions(const Namespace& space,
                                       const meta::v1::DeleteOptions& options, const Write& write) {
    if (!options.preconditions) return {};
    const auto& wanted = *options.preconditions;
    const auto differs = [&](std::string_view what, const std::string& asked,
                             const std::string& has) {
      return std::unexpected(Conflict(write.resource.name(), space.metadata.name,
                                      "Precondition failed: " + std::string(what) +
                                          " in precondition: " + asked + ", " + std::string(what) +
                                          " in object meta: " + has));
    };
    if (wanted.uid && *wanted.uid != space.metadata.uid) {
      return differs("UID", *wanted.uid, space.metadata.uid);
    }
    if (wanted.resourceVersion && *wanted.resourceVersion != space.metadata.resourceVersion) {
      return differs("ResourceVersion", *wanted.resourceVersion, space.metadata.resourceVersion);
    }
    return {};
  }
};

}  // namespace

const RestStrategy& NamespaceRestStrategy() {
  static const NamespaceKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/controllers/stateful_set/plan.h"
#include "flyball/runtime/context.h"

namespace flyball::controllers::stateful_set {

/// Carries out what was decided on a set, and tells those who look at it. For one reconcile.
class Writer {
 public:
  /// What a pod with an ordinal is made of.
  using MakePodFor = std::function<Result<core::v1::Pod>(std::int64_t ordinal)>;

  Writer(runtime::Context& context, const apps::v1::StatefulSet& set, MakePodFor make)
      : context_(context), set_(set), make_(std::move(make)) {}

  /// One after the other, or, of a set that allows that, in batches that grow for as long as all
  /// goes well. The error is the first one.
  Result<> DoTasks(std::span<const PodTask> tasks);
  Result<> AdjustClaims(std::span<const ClaimPlan::Adjustment> adjustments);
  struct Deleted {
    std::size_t count = 0;  ///< gone before they could be among them
    Result<> all = {};
  };
  Deleted DeletePods(std::span<const PodRef> pods);

 private:
  struct Attempt;

  Result<> DoBatch(std::span<const PodTask> tasks);
  void CreateClaims(std::span<Attempt> attempts);
  void CreatePods(std::span<Attempt> attempts);
  Result<> Finish(Attempt& attempt);
  Result<> RepairIdentity(const PodTask& task);

  void TellOfPod(std::string_view verb, std::string_view pod, const std::optional<Error>& error);
  void TellOfClaim(std::string_view claim, std::string_view pod, const std::optional<Error>& error);

  runtime::Context& context_;
  const apps::v1::StatefulSet& set_;
  const MakePodFor make_;
};

}  // namespace flyball::controllers::stateful_set

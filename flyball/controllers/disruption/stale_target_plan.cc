#include "flyball/controllers/disruption/stale_target_plan.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "flyball/api/time.h"

namespace flyball::controllers::disruption {
namespace {

constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
constexpr std::string_view kTerminationByKubelet = "TerminationByKubelet";

}  // namespace

std::optional<std::chrono::nanoseconds> StaleIn(const views::Pod& pod, WallTime now) {
  if (pod.metadata.deletionTimestamp) return std::nullopt;
  if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") return std::nullopt;
  const auto* const target = std::ranges::find(pod.status.conditions, kDisruptionTarget,
                                               [](const auto& its) { return its.type.view(); });
  if (target == pod.status.conditions.end() || target->status != "True") return std::nullopt;
  if (target->reason == kTerminationByKubelet) return std::nullopt;
  const api::Time stale_from = target->lastTransitionTime.ToTime() + kStaleAfter;
  return std::max(stale_from - api::Time(now), std::chrono::nanoseconds::zero());
}

api::Json TakeBackPatch(const views::Pod& pod, WallTime now) {
  using api::Json;
  // Whatever else was said of it goes with it.
  const Json condition = Json::Object{{"type", std::string(kDisruptionTarget)},
                                      {"status", "False"},
                                      {"observedGeneration", pod.metadata.generation},
                                      {"lastTransitionTime", api::Time(now).ToString()},
                                      {"lastProbeTime", Json()},
                                      {"reason", Json()},
                                      {"message", Json()}};
  return Json::Object{
      {"metadata", Json::Object{{"uid", std::string(pod.metadata.uid)},
                                {"resourceVersion", std::string(pod.metadata.resourceVersion)}}},
      {"status", Json::Object{{"conditions", Json::Array{condition}}}}};
}

}  // namespace flyball::controllers::disruption

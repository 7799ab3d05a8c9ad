#include "flyball/controllers/node_lifecycle/pod_plan.h"

#include <algorithm>
#include <string>

#include "flyball/api/time.h"

namespace flyball::controllers::node_lifecycle {

std::optional<api::Json> NotReadyPatch(const views::Pod& pod, WallTime now) {
  using api::Json;
  const auto* const ready = std::ranges::find_if(
      pod.status.conditions, [](const auto& condition) { return condition.type == "Ready"; });
  if (ready == pod.status.conditions.end() || ready->status == "False") return std::nullopt;
  const Json condition = Json::Object{
      {"type", "Ready"}, {"status", "False"}, {"lastTransitionTime", api::Time(now).ToString()}};
  return Json::Object{
      {"metadata", Json::Object{{"uid", std::string(pod.metadata.uid)},
                                {"resourceVersion", std::string(pod.metadata.resourceVersion)}}},
      {"status", Json::Object{{"conditions", Json::Array{condition}}}}};
}

}  // namespace flyball::controllers::node_lifecycle

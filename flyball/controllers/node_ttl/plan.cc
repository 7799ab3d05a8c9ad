#include "flyball/controllers/node_ttl/plan.h"

#include <array>
#include <limits>

#include "flyball/api/json.h"
#include "flyball/controllers/common/go_number.h"

namespace flyball::controllers::node_ttl {
namespace {

using api::Json;

constexpr const char* kAnnotation = "node.alpha.kubernetes.io/ttl";

struct Step {
  int fewest;
  int most;
  int ttl_seconds;
};
constexpr std::array kSteps = {
    Step{0, 100, 0},
    Step{90, 500, 15},
    Step{450, 1000, 30},
    Step{900, 2000, 60},
    Step{1800, std::numeric_limits<int>::max(), 300},
};

}  // namespace

void ClusterSize::Grow() {
  if (++nodes_ > kSteps.at(step_).most) ++step_;
}

void ClusterSize::Shrink() {
  if (--nodes_ < kSteps.at(step_).fewest) --step_;
}

int ClusterSize::ttl_seconds() const { return kSteps.at(step_).ttl_seconds; }

std::optional<client::Patch> PlanFor(const views::Node& node, int ttl_seconds) {
  const auto told = node.metadata.annotations.find(kAnnotation);
  if (told && common::ParseGoNumber(*told) == ttl_seconds) return std::nullopt;
  return client::Patch::Strategic(Json::Object{
      {"metadata", Json::Object{{"annotations", Json::Object{{std::string(kAnnotation),
                                                              std::to_string(ttl_seconds)}}}}}});
}

}  // namespace flyball::controllers::node_ttl

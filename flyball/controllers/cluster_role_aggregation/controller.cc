#include "flyball/controllers/cluster_role_aggregation/controller.h"

#include <string>
#include <utility>

#include "flyball/api/rbac/v1.h"
#include "flyball/controllers/cluster_role_aggregation/plan.h"

namespace flyball::controllers::cluster_role_aggregation {
namespace {

using api::ObjectKey;
using queue::Priority;
using rbac::v1::ClusterRole;
using runtime::Context;
using runtime::Outcome;

/// Finds the roles that are made of others.
constexpr const char* kAggregating = "aggregating";

class Reconciler {
 public:
  explicit Reconciler(cache::Lister<ClusterRole> roles) : roles_(std::move(roles)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto role = roles_.Get(key);
    if (!role) return Outcome::Done();
    FLYBALL_TRY(const auto rules, PlanFor(*role, roles_.List()));
    if (!rules) return Outcome::Done();

    meta::v1::PatchOptions options;
    options.fieldManager = "clusterrole-aggregation-controller";
    options.force = true;
    FLYBALL_TRY(context.Patch<ClusterRole>(
        key, {client::PatchType::kApply, ApplyConfiguration(key.name, *rules).ToString()},
        options));
    return Outcome::Done();
  }

 private:
  const cache::Lister<ClusterRole> roles_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  constexpr std::size_t kWorkers = 5;
  auto controller =
      std::make_unique<runtime::Controller>("clusterrole-aggregation-controller", deps);
  const auto roles = controller->Reads<ClusterRole>();
  roles.AddIndex(kAggregating, [](const ClusterRole& role, cache::IndexValues& values) {
    if (role.aggregationRule) values.emplace_back("yes");
  });
  auto& queue = controller->AddQueue<>({.name = "ClusterRoleAggregator", .workers = kWorkers},
                                       Reconciler(roles.lister()));

  // Any role may be part of any that aggregates. Those are few, and to look at one again is cheap.
  const auto add_all = [&queue, lister = roles.lister()](Priority priority) {
    for (const auto& role : lister.ByIndex(kAggregating, "yes")) {
      queue.Add(ObjectKey::Of(*role), priority);
    }
  };
  controller->On<ClusterRole>(
      roles, {.added =
                  [add_all](const auto&, bool initial) {
                    add_all(initial ? Priority::kBackground : Priority::kLive);
                  },
              .updated = [add_all](const auto&, const auto&) { add_all(Priority::kLive); },
              .deleted = [add_all](const auto&, bool) { add_all(Priority::kLive); }});
  return controller;
}

}  // namespace flyball::controllers::cluster_role_aggregation

#pragma once

#include <memory>
#include <utility>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/common/pods_of_services.h"
#include "flyball/controllers/common/trigger_times.h"
#include "flyball/controllers/endpoints/plan.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::endpoints {

/// Brings the Endpoints of a service into line with its pods. Reads services, pods and Endpoints;
/// writes Endpoints. Any thread, never two for the same service.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<Service> services;
    std::shared_ptr<const common::PodsOfServices> pods;
    cache::Lister<Endpoints> endpoints;
  };
  explicit Reconciler(Deps deps) : deps_(std::move(deps)) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  /// Endpoints go with the service that they are called after.
  Result<runtime::Outcome> CleanUp(runtime::Context& context, const api::ObjectKey& key) const;
  static Result<runtime::Outcome> Create(runtime::Context& context, const Endpoints& endpoints);
  static Result<runtime::Outcome> Update(runtime::Context& context, const Endpoints& endpoints);

  const Deps deps_;
  const std::shared_ptr<common::TriggerTimes> times_ = std::make_shared<common::TriggerTimes>();
};

}  // namespace flyball::controllers::endpoints

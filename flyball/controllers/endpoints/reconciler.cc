#include "flyball/controllers/endpoints/reconciler.h"

#include <string>

#include "flyball/controllers/common/namespace_terminating.h"

namespace flyball::controllers::endpoints {

using api::ObjectKey;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;

Result<Outcome> Reconciler::operator()(Context& context, const ObjectKey& key) const {
  const auto service = deps_.services.Get(key);
  if (!service) return CleanUp(context, key);
  // Somebody else's: those of a service without a selector are made by hand.
  if (!IsKept(*service)) return Outcome::Done();

  const auto pods = deps_.pods->Of(key);
  // Asked for also where nothing comes of it: what is new the next time goes by it.
  const api::Time triggered = times_->Next(*service, pods);
  const auto current = deps_.endpoints.Get(key);
  const Plan plan = PlanFor(*service, pods, current.get(), triggered);
  context.Decided(plan.ToString());
  if (plan.action == Plan::Action::kCreate) return Create(context, plan.endpoints);
  if (plan.action == Plan::Action::kUpdate) return Update(context, plan.endpoints);
  return Outcome::Done();
}

Result<Outcome> Reconciler::CleanUp(Context& context, const ObjectKey& key) const {
  // DIVERGES: upstream also asks for the deletion of those that are not there.
  if (const auto orphaned = deps_.endpoints.Get(key)) {
    context.Decided("delete them, the service is gone");
    const auto deleted = context.Delete(*orphaned);
    if (!deleted && deleted.error().code() != ErrorCode::kNotFound) FLYBALL_TRY(deleted);
  }
  times_->Forget(key);
  return Outcome::Done();
}

Result<Outcome> Reconciler::Create(Context& context, const Endpoints& endpoints) {
  const auto created = context.Create(endpoints);
  if (created) return Outcome::Done();
  if (common::IsNamespaceTerminating(created.error())) return Outcome::Done();
  // PARITY: it is about an object that is in no namespace, and thus is in "default".
  Endpoints about = endpoints;
  about.metadata.namespace_.clear();
  context.events().Event(about, EventType::kWarning, "FailedToCreateEndpoint",
                         "Failed to create endpoint for service " +
                             ObjectKey::Of(endpoints).ToString() + ": " +
                             created.error().message());
  return std::unexpected(created.error());
}

Result<Outcome> Reconciler::Update(Context& context, const Endpoints& endpoints) {
  const auto updated = context.Update(endpoints);
  if (updated) return Outcome::Done();
  context.events().Event(endpoints, EventType::kWarning, "FailedToUpdateEndpoint",
                         "Failed to update endpoint " + ObjectKey::Of(endpoints).ToString() + ": " +
                             updated.error().message());
  return std::unexpected(updated.error());
}

}  // namespace flyball::controllers::endpoints

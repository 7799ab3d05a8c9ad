#include "flyball/controllers/service_cidr/controller.h"

#include <string>
#include <utility>
#include <vector>

#include "flyball/api/networking/v1.h"
#include "flyball/controllers/service_cidr/plan.h"

namespace flyball::controllers::service_cidr {
namespace {

using api::Json;
using api::ObjectKey;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

constexpr std::size_t kWorkers = 5;
constexpr int kMaxRetries = 15;
constexpr const char* kFieldManager = "service-cidr-controller";

/// Adds the finalizer, or with "$deleteFromPrimitiveList/finalizers" takes it away. False if there
/// is no such range any more.
Result<bool> PatchFinalizers(Context& context, const ObjectKey& key, const std::string& member) {
  const Json patch =
      Json::Object{{"metadata", Json::Object{{member, Json::Array{std::string(kFinalizer)}}}}};
  const auto patched = context.Patch<ServiceCIDR>(key, client::Patch::Strategic(patch));
  if (patched) return true;
  if (patched.error().code() == ErrorCode::kNotFound) return false;
  return std::unexpected(patched.error());
}

Result<> Say(Context& context, const ObjectKey& key, const meta::v1::Condition& condition) {
  meta::v1::PatchOptions options;
  options.fieldManager = kFieldManager;
  options.force = true;
  FLYBALL_TRY(context.Patch<ServiceCIDR>(
      key, {client::PatchType::kApply, ApplyConfiguration(key.name, condition).ToString()}, options,
      "status"));
  return {};
}

class Reconciler {
 public:
  Reconciler(cache::Lister<ServiceCIDR> ranges, cache::Lister<IPAddress> addresses)
      : ranges_(std::move(ranges)), addresses_(std::move(addresses)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto range = ranges_.Get(key);
    if (!range) return Outcome::Done();
    // Only for one that is to go it matters which addresses there are, which may be many.
    std::vector<cache::Ref<IPAddress>> addresses;
    if (range->metadata.deletionTimestamp) addresses = addresses_.List();
    const Plan plan = PlanFor(*range, ranges_.List(), addresses, context.now());
    if (plan == Plan()) return Outcome::Done();
    context.Decided(plan.ToString());
    context.log().V(4).Info("syncing ServiceCIDR",
                            {{"ServiceCIDR", key.name}, {"plan", plan.ToString()}});

    if (plan.add_finalizer) {
      FLYBALL_TRY(const bool there, PatchFinalizers(context, key, "finalizers"));
      if (!there) return Outcome::Done();
      context.log().V(4).Info("Added protection finalizer to ServiceCIDR",
                              {{"ServiceCIDR", key.name}});
    }
    if (plan.condition) FLYBALL_TRY(Tell(context, *range, *plan.condition));
    if (plan.wait.count() > 0) return Outcome::RequeueAfter(plan.wait);
    if (plan.remove_finalizer) {
      FLYBALL_TRY(PatchFinalizers(context, key, "$deleteFromPrimitiveList/finalizers"));
      context.log().V(4).Info("Removed protection finalizer from ServiceCIDRs",
                              {{"ServiceCIDR", key.name}});
    }
    return Outcome::Done();
  }

 private:
  static Result<> Tell(Context& context, const ServiceCIDR& range,
                       const meta::v1::Condition& condition) {
    context.log().V(2).Info("Updating ServiceCIDR condition", {{"ServiceCIDR", range.metadata.name},
                                                               {"conditionType", condition.type},
                                                               {"newStatus", condition.status},
                                                               {"newReason", condition.reason}});
    auto said = Say(context, ObjectKey::Of(range), condition);
    if (!said && condition.status == "True") {
      context.events().Event(range, runtime::EventType::kWarning, "KubernetesServiceCIDRError",
                             "The ServiceCIDR Status can not be set to Ready=True");
    }
    return said;
  }

  const cache::Lister<ServiceCIDR> ranges_;
  const cache::Lister<IPAddress> addresses_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps) {
  auto controller = std::make_unique<runtime::Controller>("service-cidr-controller", deps);
  const auto ranges = controller->Reads<ServiceCIDR>();
  const auto addresses = controller->Reads<IPAddress>();
  auto& queue = controller->AddQueue<>(
      {.name = "ipaddresses", .workers = kWorkers, .max_retries = kMaxRetries},
      Reconciler(ranges.lister(), addresses.lister()));

  const auto add = [&queue](const std::vector<std::string>& names) {
    for (const std::string& name : names) queue.Add({"", name});
  };
  controller->On<ServiceCIDR>(
      ranges,
      {.added =
           [&queue, add, lister = ranges.lister()](const auto& range, bool initial) {
             queue.Add(ObjectKey::Of(*range), initial ? Priority::kBackground : Priority::kLive);
             add(WaitingFor(*range, lister.List()));
           },
       .updated = [&queue](const auto&, const auto& range) { queue.Add(ObjectKey::Of(*range)); }});
  // What is not to go does not mind which addresses there are.
  const auto tell = [add, lister = ranges.lister()](const IPAddress& address) {
    add(WaitingFor(address, lister.List()));
  };
  controller->On<IPAddress>(addresses,
                            {.added = [tell](const auto& address, bool) { tell(*address); },
                             .deleted = [tell](const auto& address, bool) { tell(*address); }});
  return controller;
}

}  // namespace flyball::controllers::service_cidr

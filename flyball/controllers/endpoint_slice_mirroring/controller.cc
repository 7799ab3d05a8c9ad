#include "flyball/controllers/endpoint_slice_mirroring/controller.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/controllers/common/slice_index.h"
#include "flyball/controllers/endpoint_slice_mirroring/metrics.h"
#include "flyball/controllers/endpoint_slice_mirroring/plan.h"
#include "flyball/controllers/endpoint_slice_mirroring/reconciler.h"

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

using api::ObjectKey;
using queue::Priority;
using Queue = runtime::ReconcileQueue<ObjectKey>;

/// After so many failures in a row Endpoints wait for their next change.
constexpr int kMaxRetries = 15;
/// Longer than others' between two tries: one may be many writes.
constexpr queue::BackOff kBackOff{.first = std::chrono::seconds(1),
                                  .longest = std::chrono::seconds(100)};

Priority PriorityOf(bool initial) { return initial ? Priority::kBackground : Priority::kLive; }

void FollowEndpoints(runtime::Controller& controller, const cache::Informer<Endpoints>& endpoints,
                     Queue& queue) {
  const auto add = [&queue](const Endpoints& its, Priority priority) {
    if (MayBeMirrored(its)) queue.Add(ObjectKey::Of(its), priority);
  };
  controller.On<Endpoints>(
      endpoints, {.added = [add](const auto& its, bool initial) { add(*its, PriorityOf(initial)); },
                  .updated =
                      [&queue](const auto& old, const auto& now) {
                        if (MayBeMirrored(*old) || MayBeMirrored(*now))
                          queue.Add(ObjectKey::Of(*now));
                      },
                  .deleted = [add](const auto& its, bool) { add(*its, Priority::kLive); }});
}

void FollowServices(runtime::Controller& controller, const cache::Informer<Service>& services,
                    Queue& queue) {
  const auto add = [&queue](const Service& service, Priority priority) {
    if (IsByHand(service)) queue.Add(ObjectKey::Of(service), priority);
  };
  controller.On<Service>(
      services,
      {.added = [add](const auto& service, bool initial) { add(*service, PriorityOf(initial)); },
       .updated =
           [&queue](const auto& old, const auto& now) {
             if (IsByHand(*old) != IsByHand(*now)) queue.Add(ObjectKey::Of(*now));
           },
       .deleted = [add](const auto& service, bool) { add(*service, Priority::kLive); }});
}

/// Whoever changes a mirror, or takes it away, finds it put right.
void FollowSlices(runtime::Controller& controller, const cache::Informer<EndpointSlice>& slices,
                  Queue& queue, std::chrono::nanoseconds batch_period) {
  const auto add = [&queue, batch_period](const EndpointSlice& slice, Priority priority) {
    const ObjectKey key = common::ServiceOf(slice);
    if (key.name.empty()) return;
    if (batch_period > std::chrono::nanoseconds::zero()) {
      queue.AddAfter(key, batch_period);
    } else {
      queue.Add(key, priority);
    }
  };
  controller.On<EndpointSlice>(
      slices, {.added =
                   [add](const auto& slice, bool initial) {
                     if (IsMirror(*slice)) add(*slice, PriorityOf(initial));
                   },
               .updated =
                   [add](const auto& old, const auto& now) {
                     if (common::ServiceOf(*old) != common::ServiceOf(*now)) {
                       add(*old, Priority::kLive);
                       add(*now, Priority::kLive);
                       return;
                     }
                     // PARITY: annotations, which are not in the generation, may be changed until
                     // the next time that there is anything to do.
                     const bool changed = old->metadata.generation != now->metadata.generation;
                     if (IsMirror(*old) != IsMirror(*now) || (IsMirror(*now) && changed)) {
                       add(*now, Priority::kLive);
                     }
                   },
               .deleted =
                   [add](const auto& slice, bool) {
                     if (IsMirror(*slice)) add(*slice, Priority::kLive);
                   }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>(
      "endpointslice-mirroring-controller", deps, "endpoint-slice-mirroring-controller");
  const auto endpoints = controller->Reads<Endpoints>();
  const auto slices = controller->Reads<EndpointSlice>();
  const auto services = controller->Reads<Service>();
  common::IndexByService(slices);
  Queue& queue =
      controller->AddQueue<>({.name = "endpoint_slice_mirroring",
                              .workers = options.workers,
                              .back_off = kBackOff,
                              .max_retries = kMaxRetries},
                             Reconciler({.endpoints = endpoints.lister(),
                                         .services = services.lister(),
                                         .slices = slices.lister(),
                                         .clock = deps.executor.clock(),
                                         .metrics = std::make_shared<Metrics>(deps.metrics)},
                                        options.most_per_subset));
  FollowEndpoints(*controller, endpoints, queue);
  FollowServices(*controller, services, queue);
  FollowSlices(*controller, slices, queue, options.batch_period);
  return controller;
}

}  // namespace flyball::controllers::endpoint_slice_mirroring

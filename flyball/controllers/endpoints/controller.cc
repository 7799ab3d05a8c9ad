#include "flyball/controllers/endpoints/controller.h"

#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/label_selector.h"
#include "flyball/controllers/common/pods_of_services.h"
#include "flyball/controllers/endpoints/plan.h"
#include "flyball/controllers/endpoints/reconciler.h"

namespace flyball::controllers::endpoints {
namespace {

using api::ObjectKey;
using common::PodsOfServices;
using queue::Priority;
using views::Pod;
using Queue = runtime::ReconcileQueue<ObjectKey>;

/// After so many failures in a row a service waits for its next change.
constexpr int kMaxRetries = 15;

Priority PriorityOf(bool initial) { return initial ? Priority::kBackground : Priority::kLive; }

void FollowServices(runtime::Controller& controller, const cache::Informer<Service>& services,
                    const std::shared_ptr<PodsOfServices>& pods, Queue& queue) {
  const auto put = [pods, &queue](const Service& service, bool initial) {
    pods->Put(service);
    queue.Add(ObjectKey::Of(service), PriorityOf(initial));
  };
  controller.On<Service>(
      services, {.added = [put](const auto& service, bool initial) { put(*service, initial); },
                 .updated = [put](const auto&, const auto& service) { put(*service, false); },
                 .deleted =
                     [pods, &queue](const auto& service, bool) {
                       pods->Remove(ObjectKey::Of(*service));
                       queue.Add(ObjectKey::Of(*service));
                     }});
}

void FollowPods(runtime::Controller& controller, const cache::Informer<Pod>& informer,
                const std::shared_ptr<PodsOfServices>& pods, Queue& queue,
                std::chrono::nanoseconds batch_period) {
  const auto add = [&queue, batch_period](const std::vector<ObjectKey>& services, bool initial) {
    for (const ObjectKey& service : services) {
      if (batch_period > batch_period.zero()) {
        queue.AddAfter(service, batch_period);
      } else {
        queue.Add(service, PriorityOf(initial));
      }
    }
  };
  controller.On<Pod>(
      informer,
      {.added = [pods, add](const auto& pod, bool initial) { add(pods->Added(pod), initial); },
       .updated = [pods, add](const auto& old,
                              const auto& pod) { add(pods->Updated(old, pod), false); },
       .deleted = [pods, add](const auto& pod, bool) { add(pods->Deleted(pod), false); }});
}

void FollowEndpoints(runtime::Controller& controller, const cache::Informer<Endpoints>& endpoints,
                     Queue& queue) {
  controller.On<Endpoints>(
      endpoints, {.added =
                      [&queue](const auto& its, bool initial) {
                        // Those that were there before this manager may be of services that went
                        // without one.
                        if (initial && !IsLock(*its))
                          queue.Add(ObjectKey::Of(*its), Priority::kBackground);
                      },
                  .deleted = [&queue](const auto& its, bool) { queue.Add(ObjectKey::Of(*its)); }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("endpoints-controller", deps, "endpoint-controller");
  const auto services = controller->Reads<Service>();
  const auto pods = controller->Reads<Pod>();
  const auto endpoints = controller->Reads<Endpoints>();
  const auto selected = std::make_shared<PodsOfServices>(
      [lister = pods.lister()](std::string_view namespace_, const api::Selector& selector) {
        return lister.Select(namespace_, selector);
      });
  Queue& queue = controller->AddQueue<>(
      {.name = "endpoint", .workers = options.workers, .max_retries = kMaxRetries},
      Reconciler(
          {.services = services.lister(), .pods = selected, .endpoints = endpoints.lister()}));
  FollowServices(*controller, services, selected, queue);
  FollowPods(*controller, pods, selected, queue, options.batch_period);
  FollowEndpoints(*controller, endpoints, queue);
  return controller;
}

}  // namespace flyball::controllers::endpoints

#include "flyball/controllers/endpoint_slice/controller.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/slice_index.h"
#include "flyball/controllers/endpoint_slice/reconciler.h"
#include "flyball/controllers/endpoint_slice/service_slices.h"

namespace flyball::controllers::endpoint_slice {
namespace {

using api::ObjectKey;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using runtime::Context;
using runtime::Outcome;
using views::Node;
using views::Pod;

constexpr int kMaxRetries = 15;
constexpr std::chrono::seconds kFirstRetry{1};
/// Who changes one slice often changes the next as well.
constexpr std::chrono::seconds kLeastDelayAfterSlices{1};
/// Pods come up, and go, in quick succession. Each slice that is written is sent to every node.
// DIVERGES: upstream writes as fast as the server answers.
constexpr std::chrono::milliseconds kMinIntervalAfterWrite{50};

constexpr const char* kZonesKey = "zones";

queue::Priority PriorityOf(bool initial) {
  return initial ? queue::Priority::kBackground : queue::Priority::kLive;
}

/// Adds services to the queue, soon or when more may have come together.
struct Adding {
  runtime::ReconcileQueue<>& queue;
  std::chrono::nanoseconds batch_period;

  void Now(const ObjectKey& service, bool initial = false) const {
    queue.Add(service, PriorityOf(initial));
  }
  void ForPods(const std::vector<ObjectKey>& services, bool initial = false) const {
    for (const ObjectKey& service : services) {
      if (batch_period <= batch_period.zero()) {
        Now(service, initial);
      } else {
        queue.AddAfter(service, batch_period);
      }
    }
  }
  void ForSlice(const EndpointSlice& slice) const {
    const ObjectKey service = common::ServiceOf(slice);
    if (service.name.empty()) return;
    queue.AddAfter(service,
                   std::max<std::chrono::nanoseconds>(batch_period, kLeastDelayAfterSlices));
  }
};

void OnServices(runtime::Controller& controller, const cache::Informer<Service>& services,
                const std::shared_ptr<common::PodsOfServices>& pods, const Adding& adding) {
  const auto put = [pods, adding](const Service& service, bool initial) {
    pods->Put(service);
    adding.Now(ObjectKey::Of(service), initial);
  };
  controller.On<Service>(
      services, {.added = [put](const auto& service, bool initial) { put(*service, initial); },
                 .updated = [put](const auto&, const auto& service) { put(*service, false); },
                 .deleted =
                     [pods, adding](const auto& service, bool) {
                       pods->Remove(ObjectKey::Of(*service));
                       adding.Now(ObjectKey::Of(*service));
                     }});
}

void OnPods(runtime::Controller& controller, const cache::Informer<Pod>& informer,
            const std::shared_ptr<common::PodsOfServices>& pods, const Adding& adding) {
  controller.On<Pod>(
      informer,
      {.added = [pods, adding](const auto& pod,
                               bool initial) { adding.ForPods(pods->Added(pod), initial); },
       .updated = [pods, adding](const auto& old,
                                 const auto& pod) { adding.ForPods(pods->Updated(old, pod)); },
       .deleted = [pods, adding](const auto& pod, bool) { adding.ForPods(pods->Deleted(pod)); }});
}

bool IsOurs(const EndpointSlice& slice) {
  return common::LabelOf(slice, common::kManagedByLabel) == kManager;
}

// DIVERGES: where people give one of the slices to another manager, upstream holds its cache for
// out of date from then on, and does nothing for the service until it is started anew. Here another
// slice is made.
void OnSlices(runtime::Controller& controller, const cache::Informer<EndpointSlice>& slices,
              const std::shared_ptr<OwnSlices>& own, const Adding& adding) {
  controller.On<EndpointSlice>(
      slices,
      {.added =
           [own, adding](const auto& slice, bool initial) {
             // Services that are there are all looked at when we begin.
             if (initial) return;
             if (IsOurs(*slice) && own->IsNews(*slice)) adding.ForSlice(*slice);
           },
       .updated =
           [own, adding](const auto& old, const auto& slice) {
             if (common::ServiceOf(*old) != common::ServiceOf(*slice)) {
               adding.ForSlice(*slice);
               adding.ForSlice(*old);
             } else if (IsOurs(*old) != IsOurs(*slice) || (IsOurs(*slice) && own->IsNews(*slice))) {
               adding.ForSlice(*slice);
             }
           },
       .deleted =
           [own, adding](const auto& slice, bool) {
             if (IsOurs(*slice) && own->IsNewsThatItIsGone(*slice)) {
               adding.ForSlice(*slice);
             }
           }});
}

/// Nodes share out the cluster among zones. A queue, so that many that come at once are counted
/// once.
void OnNodes(runtime::Controller& controller, const cache::Informer<Node>& nodes,
             const std::shared_ptr<ZoneBook>& zones, const Adding& adding) {
  auto& counts = controller.AddQueue<std::string>(
      {.name = "endpoint_slice_topology", .keys_of = "nodes"},
      [lister = nodes.lister(), zones, adding](Context&, const std::string&) -> Result<Outcome> {
        zones->SetShares(SharesOf(lister.List()));
        for (const ObjectKey& service : zones->Overloaded()) adding.Now(service);
        return Outcome::Done();
      });
  controller.On<Node>(
      nodes, {.added = [&counts](const auto&,
                                 bool initial) { counts.Add(kZonesKey, PriorityOf(initial)); },
              .updated =
                  [&counts](const auto& old, const auto& node) {
                    if (ChangesShares(*old, *node)) counts.Add(kZonesKey);
                  },
              .deleted = [&counts](const auto&, bool) { counts.Add(kZonesKey); }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("endpointslice-controller", deps,
                                                          "endpoint-slice-controller");
  const auto services = controller->Reads<Service>();
  const auto pods = controller->Reads<Pod>();
  const auto nodes = controller->Reads<Node>();
  const auto slices = controller->Reads<EndpointSlice>();
  common::IndexByService(slices);
  const auto selected = std::make_shared<common::PodsOfServices>(
      [lister = pods.lister()](std::string_view namespace_, const api::Selector& selector) {
        return lister.Select(namespace_, selector);
      });
  const auto zones = std::make_shared<ZoneBook>();
  const auto own = std::make_shared<OwnSlices>();
  auto& queue = controller->AddQueue<>(
      {.name = "endpoint_slice",
       .workers = options.workers,
       .back_off = {.first = kFirstRetry},
       .max_retries = kMaxRetries,
       .min_interval_after_write = kMinIntervalAfterWrite},
      Reconciler(
          {.services = services.lister(),
           .slices = slices.lister(),
           .nodes = nodes.lister(),
           .pods = selected,
           .triggers = std::make_shared<common::TriggerTimes>(),
           .zones = zones,
           .own_slices = own,
           .metrics = std::make_shared<Metrics>(deps.metrics, options.max_endpoints_per_slice),
           .most_in_a_slice = options.max_endpoints_per_slice}));
  const Adding adding{.queue = queue, .batch_period = options.updates_batch_period};
  OnNodes(*controller, nodes, zones, adding);
  OnServices(*controller, services, selected, adding);
  OnPods(*controller, pods, selected, adding);
  OnSlices(*controller, slices, own, adding);
  return controller;
}

}  // namespace flyball::controllers::endpoint_slice

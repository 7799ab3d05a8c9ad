#include "flyball/controllers/root_ca_publisher/controller.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/namespace_terminating.h"
#include "flyball/controllers/root_ca_publisher/plan.h"

namespace flyball::controllers::root_ca_publisher {
namespace {

using core::v1::ConfigMap;
using core::v1::Namespace;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;

struct Metrics {
  CounterFamily syncs;
  HistogramFamily durations;

  static Metrics In(MetricRegistry* metrics) {
    if (metrics == nullptr) return {};
    std::vector<double> bounds;
    for (double bound = 0.001; bounds.size() < 15; bound *= 2) bounds.push_back(bound);
    return {
        .syncs = metrics->Counters(
            {.name = "root_ca_cert_publisher_sync_total",
             .help = "[ALPHA] Number of times the root CA certificate (ConfigMap kube-root-ca.crt) "
                     "was checked or published in a Namespace, by HTTP status code.",
             .labels = {"code"}}),
        .durations = metrics->Histograms(
            {.name = "root_ca_cert_publisher_sync_duration_seconds",
             .help = "[ALPHA] Duration of publishing the root CA certificate (ConfigMap "
                     "kube-root-ca.crt) to one Namespace in seconds, by HTTP status code.",
             .labels = {"code"}},
            bounds),
    };
  }
};

class Reconciler {
 public:
  Reconciler(cache::Lister<Namespace> spaces, cache::Lister<ConfigMap> maps, std::string root_ca,
             const Clock& clock, Metrics metrics)
      : spaces_(std::move(spaces)),
        maps_(std::move(maps)),
        root_ca_(std::move(root_ca)),
        clock_(clock),
        metrics_(metrics) {}

  Result<Outcome> operator()(Context& context, const std::string& space) const {
    const SteadyTime start = clock_.SteadyNow();
    const Result<> published = Publish(context, space);
    const std::string_view code = published ? "200" : CodeOf(published.error());
    const std::chrono::nanoseconds took = clock_.SteadyNow() - start;
    metrics_.syncs.With({code}).Increment();
    metrics_.durations.With({code}).Observe(std::chrono::duration<double>(took).count());
    context.log().V(4).Info("Finished syncing namespace",
                            {{"namespace", space}, {"elapsedTime", took}});
    FLYBALL_TRY(published);
    return Outcome::Done();
  }

 private:
  Result<> Publish(Context& context, const std::string& name) const {
    const auto space = spaces_.Get({"", name});
    if (!space) return {};
    const auto cached = maps_.Get({name, std::string(kName)});
    const Plan plan = PlanFor(*space, cached.get(), root_ca_);
    if (plan.action == Plan::Action::kUpdate) FLYBALL_TRY(context.Update(plan.map));
    if (plan.action != Plan::Action::kCreate) return {};

    const auto created = context.Create(plan.map);
    if (created) return {};
    // The namespace has gone meanwhile, or goes: it needs none.
    if (created.error().code() == ErrorCode::kNotFound ||
        common::IsNamespaceTerminating(created.error())) {
      return {};
    }
    return std::unexpected(created.error());
  }

  const cache::Lister<Namespace> spaces_;
  const cache::Lister<ConfigMap> maps_;
  const std::string root_ca_;
  const Clock& clock_;
  const Metrics metrics_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller =
      std::make_unique<runtime::Controller>("root-ca-certificate-publisher-controller", deps);
  const auto spaces = controller->Reads<Namespace>();
  // Of all config maps of the cluster, these are all that matters here.
  const auto maps =
      controller->Reads<ConfigMap>({.field_selector = "metadata.name=" + std::string(kName)});
  auto& queue = controller->AddQueue<std::string>(
      {.name = "root_ca_cert_publisher"},
      Reconciler(spaces.lister(), maps.lister(), std::move(options.root_ca), deps.executor.clock(),
                 Metrics::In(deps.metrics)));

  controller->On<Namespace>(spaces, {.added =
                                         [&queue](const auto& space, bool initial) {
                                           queue.Add(
                                               space->metadata.name,
                                               initial ? Priority::kBackground : Priority::kLive);
                                         },
                                     .updated =
                                         [&queue](const auto&, const auto& space) {
                                           if (space->status.phase == "Active")
                                             queue.Add(space->metadata.name);
                                         }});
  controller->On<ConfigMap>(
      maps,
      {.updated = [&queue](const auto&, const auto& map) { queue.Add(map->metadata.namespace_); },
       .deleted = [&queue](const auto& map, bool) { queue.Add(map->metadata.namespace_); }});
  return controller;
}

}  // namespace flyball::controllers::root_ca_publisher

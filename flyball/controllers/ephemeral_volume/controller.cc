#include "flyball/controllers/ephemeral_volume/controller.h"

#include <string>
#include <utility>

#include "flyball/controllers/common/pod_claims.h"
#include "flyball/controllers/ephemeral_volume/plan.h"

namespace flyball::controllers::ephemeral_volume {
namespace {

using api::ObjectKey;
using queue::Priority;
using runtime::Context;
using runtime::Outcome;
using views::Pod;

struct Metrics {
  Counter made = {};
  Counter failed = {};
};

Metrics MetricsIn(MetricRegistry* metrics) {
  if (metrics == nullptr) return {};
  const auto counter = [&](const char* name, const char* help) {
    return metrics->Counters({.name = name, .help = help}).With();
  };
  return {counter("ephemeral_volume_controller_create_total",
                  "[ALPHA] Number of attempts to create a PersistentVolumeClaim for an ephemeral "
                  "volume, failed ones included."),
          counter("ephemeral_volume_controller_create_failures_total",
                  "[ALPHA] Number of PersistentVolumeClaims for ephemeral volumes that the "
                  "controller failed to create.")};
}

class Reconciler {
 public:
  Reconciler(cache::Lister<Pod> pods, cache::Lister<PersistentVolumeClaim> claims, Metrics metrics)
      : pods_(std::move(pods)), claims_(std::move(claims)), metrics_(metrics) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) const {
    const auto pod = pods_.Get(key);
    if (!pod) return Outcome::Done();
    FLYBALL_TRY(const auto steps, PlanFor(*pod, [&](const std::string& name) {
                  return claims_.Get({key.namespace_, name});
                }));
    for (const Step& step : steps) {
      context.Decided(step.ToString());
      const auto done = Do(context, step);
      if (done) continue;
      context.events().Event(*pod, runtime::EventType::kWarning, "FailedBinding",
                             "ephemeral volume " + step.volume + ": " + done.error().message());
      return std::unexpected(done.error());
    }
    return Outcome::Done();
  }

 private:
  Result<> Do(Context& context, const Step& step) const {
    if (!step.problem.empty()) return Fail(ErrorCode::kAlreadyExists, step.problem);
    metrics_.made.Increment();
    const auto made = context.Create(step.claim);
    if (made) return {};
    metrics_.failed.Increment();
    const Error& error = made.error();
    return Fail(error.code(), "create PVC " + step.claim.metadata.name + ": " + error.message());
  }

  const cache::Lister<Pod> pods_;
  const cache::Lister<PersistentVolumeClaim> claims_;
  const Metrics metrics_;
};

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>("ephemeral-volume-controller", deps,
                                                          "ephemeral_volume");
  const auto pods = controller->Reads<Pod>();
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  common::IndexByClaim(pods);
  auto& queue =
      controller->AddQueue<>({.name = "ephemeral_volume", .workers = options.workers},
                             Reconciler(pods.lister(), claims.lister(), MetricsIn(deps.metrics)));

  const auto add = [&queue](const Pod& pod, Priority priority) {
    if (Concerns(pod)) queue.Add(ObjectKey::Of(pod), priority);
  };
  controller->On<Pod>(
      pods, {.added =
                 [add](const auto& pod, bool initial) {
                   add(*pod, initial ? Priority::kBackground : Priority::kLive);
                 },
             // A pod's volumes never change, but another may have come to be called the same.
             .updated =
                 [add](const auto& before, const auto& now) {
                   if (before->metadata.uid != now->metadata.uid) add(*now, Priority::kLive);
                 }});
  // Somebody deleted it, perhaps by mistake: a pod that is to have it gets another.
  controller->On<PersistentVolumeClaim>(
      claims, {.deleted = [add, lister = pods.lister()](const auto& claim, bool) {
        for (const auto& pod : common::PodsOfClaim(ObjectKey::Of(*claim), lister)) {
          add(*pod, Priority::kLive);
        }
      }});
  return controller;
}

}  // namespace flyball::controllers::ephemeral_volume

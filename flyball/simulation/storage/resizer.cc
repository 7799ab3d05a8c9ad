#include "flyball/simulation/storage/resizer.h"

#include "flyball/simulation/storage/resize_plan.h"
#include "flyball/simulation/storage/step_log.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;
using runtime::Context;
using runtime::EventType;
using runtime::Outcome;
using storage::v1::StorageClass;

/// One call for a claim at a time; of different ones, any thread.
class Resizer {
 public:
  struct Deps {
    cache::Lister<PersistentVolumeClaim> claims;
    cache::Lister<PersistentVolume> volumes;
    cache::Lister<StorageClass> classes;
  };
  Resizer(Deps deps, DriverOptions options)
      : deps_(std::move(deps)), options_(std::move(options)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) {
    const auto claim = deps_.claims.Get(key);
    const auto volume = claim ? deps_.volumes.Get({"", claim->spec.volumeName}) : nullptr;
    const ResizePlan plan = volume ? PlanResize(*claim, *volume, options_.driver) : ResizePlan();
    switch (plan.step) {
      case ResizeStep::kNone:
        steps_.Forget(key.ToString());
        return Outcome::Done();
      case ResizeStep::kAnnounce:
        return Said(context.UpdateStatus(Announced(*claim, plan.size, context.now())));
      case ResizeStep::kExpand:
        return Expand(context, *claim, *volume, plan.size);
      case ResizeStep::kHandOver:
        context.events().Event(*claim, EventType::kNormal, "FileSystemResizeRequired",
                               "Require file system resize of volume on node");
        return Said(context.UpdateStatus(HandedOver(*claim, context.now())));
      case ResizeStep::kFinish:
        context.events().Event(*claim, EventType::kNormal, "VolumeResizeSuccessful",
                               "Resize volume succeeded");
        return Said(context.UpdateStatus(Finished(*claim, plan.size)));
      case ResizeStep::kTidy: {
        PersistentVolume tidy = *volume;
        tidy.metadata.annotations.erase(kPreResizeCapacity);
        return Said(context.Update(tidy));
      }
    }
    return Outcome::Done();
  }

 private:
  static Result<Outcome> Said(const Result<Context::Stored>& written) {
    return written ? Outcome::Done() : LookAnew(written.error());
  }

  Result<Outcome> Expand(Context& context, const PersistentVolumeClaim& claim,
                         const PersistentVolume& volume, const api::Quantity& size) {
    const auto storage_class = deps_.classes.Get({"", ClassOf(claim)});
    const StepScript script = ReadScript(context, StorageStep::kResize, claim.metadata.annotations,
                                         storage_class.get(), options_.timings);
    const auto progress = steps_.Advance(ObjectKey::Of(claim).ToString(), script, context.now());
    if (progress.began) {
      context.events().Event(claim, EventType::kNormal, "Resizing",
                             "External resizer is resizing volume " + volume.metadata.name);
    }
    if (progress.state == StepLog::State::kDone) {
      return Said(context.Update(Expanded(volume, claim, size)));
    }
    if (progress.state == StepLog::State::kFailed) {
      context.events().Event(claim, EventType::kWarning, "VolumeResizeFailed",
                             "resize volume \"" + volume.metadata.name + "\" by resizer \"" +
                                 options_.driver + "\" failed: " + script.error);
      const auto said = context.UpdateStatus(FailedToExpand(claim, script.error, context.now()));
      if (!said) return LookAnew(said.error());
    }
    return Outcome::RequeueAfter(progress.until - context.now());
  }

  const Deps deps_;
  const DriverOptions options_;
  StepLog steps_;
};

}  // namespace

std::unique_ptr<runtime::Controller> MakeResizer(const runtime::Controller::Deps& deps,
                                                 const DriverOptions& options) {
  auto controller =
      std::make_unique<runtime::Controller>("simulated-resizer", deps, options.driver);
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto volumes = controller->Reads<PersistentVolume>();
  const auto classes = controller->Reads<StorageClass>();
  const auto resizer = std::make_shared<Resizer>(
      Resizer::Deps{claims.lister(), volumes.lister(), classes.lister()}, options);
  auto& queue = controller->AddQueue<>(
      {.name = "simulated_sizes", .workers = options.workers},
      [resizer](Context& context, const ObjectKey& key) { return (*resizer)(context, key); });

  const auto add = [&queue](const auto& claim) { queue.Add(ObjectKey::Of(*claim)); };
  controller->On<PersistentVolumeClaim>(
      claims, {.added = [add](const auto& claim, bool) { add(claim); },
               .updated = [add](const auto&, const auto& claim) { add(claim); },
               .deleted = [add](const auto& claim, bool) { add(claim); }});
  controller->On<PersistentVolume>(volumes, {.updated = [&queue](const auto&, const auto& volume) {
                                     const auto& claim = volume->spec.claimRef;
                                     if (claim) queue.Add({claim->namespace_, claim->name});
                                   }});
  return controller;
}

}  // namespace flyball::simulation

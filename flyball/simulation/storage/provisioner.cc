#include "flyball/simulation/storage/provisioner.h"

#include "flyball/simulation/storage/provision_plan.h"
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

/// One call for a claim or a volume at a time; of different ones, any thread.
class Provisioner {
 public:
  struct Deps {
    cache::Lister<PersistentVolumeClaim> claims;
    cache::Lister<PersistentVolume> volumes;
    cache::Lister<StorageClass> classes;
    cache::Lister<views::KubeletNode> nodes;
  };
  Provisioner(Deps deps, DriverOptions options)
      : deps_(std::move(deps)), options_(std::move(options)) {}

  /// Makes the volume of a claim.
  Result<Outcome> Provision(Context& context, const ObjectKey& key) {
    const auto claim = deps_.claims.Get(key);
    const auto storage_class = claim ? deps_.classes.Get({"", ClassOf(*claim)}) : nullptr;
    const bool wanted = storage_class && IsToBeProvisioned(*claim, *storage_class, options_.driver);
    if (!wanted || deps_.volumes.Get({"", VolumeNameFor(*claim)})) {
      steps_.Forget(key.ToString());
      return Outcome::Done();
    }
    const std::string node_name = SelectedNodeOf(*claim);
    const auto node = node_name.empty() ? nullptr : deps_.nodes.Get({"", node_name});
    if (!node_name.empty() && !node) {
      return GiveUpNode(context, *claim, "node \"" + node_name + "\" not found");
    }
    const StepScript script =
        ReadScript(context, StorageStep::kProvision, claim->metadata.annotations,
                   storage_class.get(), options_.timings);
    const auto progress = steps_.Advance(key.ToString(), script, context.now());
    if (progress.began) {
      context.events().Event(
          *claim, EventType::kNormal, "Provisioning",
          "External provisioner is provisioning volume for claim \"" + key.ToString() + "\"");
    }
    if (progress.state == StepLog::State::kFailed) {
      const std::string problem = "failed to provision volume with StorageClass \"" +
                                  ClassOf(*claim) + "\": " + script.error;
      if (IsOfTheNode(script.error) && node) return GiveUpNode(context, *claim, problem);
      context.events().Event(*claim, EventType::kWarning, "ProvisioningFailed", problem);
    }
    if (progress.state != StepLog::State::kDone)
      return Outcome::RequeueAfter(progress.until - context.now());
    return Make(context, *claim, VolumeFor(*claim, *storage_class, node.get(), options_.driver));
  }

  /// Sees to a volume that was made here.
  Result<Outcome> Reclaim(Context& context, const ObjectKey& key) {
    const auto volume = deps_.volumes.Get(key);
    const auto aligned = volume ? WithFinalizerAligned(*volume, options_.driver) : std::nullopt;
    if (aligned) {
      const auto updated = context.Update(*aligned);
      return updated ? Outcome::Done() : LookAnew(updated.error());
    }
    const std::string id = "delete " + key.name;
    if (!volume || !IsToBeDeleted(*volume, options_.driver)) {
      steps_.Forget(id);
      return Outcome::Done();
    }
    const auto storage_class = deps_.classes.Get({"", ClassOf(*volume)});
    const StepScript script =
        ReadScript(context, StorageStep::kDelete, volume->metadata.annotations, storage_class.get(),
                   options_.timings);
    const auto progress = steps_.Advance(id, script, context.now());
    if (progress.state == StepLog::State::kFailed) {
      context.events().Event(*volume, EventType::kWarning, "VolumeFailedDelete", script.error);
    }
    if (progress.state != StepLog::State::kDone)
      return Outcome::RequeueAfter(progress.until - context.now());
    return Remove(context, *volume);
  }

 private:
  static Result<Outcome> Make(Context& context, const PersistentVolumeClaim& claim,
                              const PersistentVolume& volume) {
    const auto created = context.Create(volume);
    if (!created && created.error().code() != ErrorCode::kAlreadyExists) {
      return std::unexpected(created.error());
    }
    context.events().Event(claim, EventType::kNormal, "ProvisioningSucceeded",
                           "Successfully provisioned volume " + volume.metadata.name);
    return Outcome::Done();
  }

  /// It cannot be made for that node: the scheduler is to choose another.
  Result<Outcome> GiveUpNode(Context& context, const PersistentVolumeClaim& claim,
                             const std::string& problem) {
    context.events().Event(claim, EventType::kWarning, "ProvisioningFailed", problem);
    steps_.Forget(ObjectKey::Of(claim).ToString());
    PersistentVolumeClaim changed = claim;
    changed.metadata.annotations.erase(kSelectedNode);
    const auto updated = context.Update(changed);
    return updated ? Outcome::Done() : LookAnew(updated.error());
  }

  static Result<Outcome> Remove(Context& context, const PersistentVolume& volume) {
    if (!volume.metadata.deletionTimestamp) {
      const Result<> deleted = context.Delete(volume);
      if (!deleted) return LookAnew(deleted.error());
    }
    if (!HasFinalizer(volume.metadata, kProvisionerFinalizer)) return Outcome::Done();
    const auto patched = context.Patch<PersistentVolume>(
        ObjectKey::Of(volume), WithoutFinalizer(volume.metadata, kProvisionerFinalizer));
    return patched ? Outcome::Done() : LookAnew(patched.error());
  }

  const Deps deps_;
  const DriverOptions options_;
  StepLog steps_;
};

}  // namespace

std::unique_ptr<runtime::Controller> MakeProvisioner(const runtime::Controller::Deps& deps,
                                                     const DriverOptions& options) {
  auto controller =
      std::make_unique<runtime::Controller>("simulated-provisioner", deps, options.driver);
  const auto claims = controller->Reads<PersistentVolumeClaim>();
  const auto volumes = controller->Reads<PersistentVolume>();
  const auto classes = controller->Reads<StorageClass>();
  const auto nodes = controller->Reads<views::KubeletNode>();
  const auto provisioner = std::make_shared<Provisioner>(
      Provisioner::Deps{claims.lister(), volumes.lister(), classes.lister(), nodes.lister()},
      options);
  auto& waiting = controller->AddQueue<>({.name = "simulated_claims", .workers = options.workers},
                                         [provisioner](Context& context, const ObjectKey& key) {
                                           return provisioner->Provision(context, key);
                                         });
  auto& made = controller->AddQueue<>(
      {.name = "simulated_volumes", .keys_of = "persistentvolumes", .workers = options.workers},
      [provisioner](Context& context, const ObjectKey& key) {
        return provisioner->Reclaim(context, key);
      });

  const auto add_claim = [&waiting](const auto& claim) { waiting.Add(ObjectKey::Of(*claim)); };
  controller->On<PersistentVolumeClaim>(
      claims, {.added = [add_claim](const auto& claim, bool) { add_claim(claim); },
               .updated = [add_claim](const auto&, const auto& claim) { add_claim(claim); },
               .deleted = [add_claim](const auto& claim, bool) { add_claim(claim); }});
  const auto add_volume = [&made](const auto& volume) { made.Add(ObjectKey::Of(*volume)); };
  controller->On<PersistentVolume>(
      volumes, {.added = [add_volume](const auto& volume, bool) { add_volume(volume); },
                .updated = [add_volume](const auto&, const auto& volume) { add_volume(volume); },
                .deleted = [add_volume](const auto& volume, bool) { add_volume(volume); }});
  // A class may come after the claims that name it.
  controller->On<StorageClass>(
      classes, {.added = [&waiting, lister = claims.lister()](const auto& added, bool initial) {
        if (initial) return;
        for (const auto& claim : lister.List()) {
          if (ClassOf(*claim) == added->metadata.name) waiting.Add(ObjectKey::Of(*claim));
        }
      }});
  return controller;
}

}  // namespace flyball::simulation

#include "flyball/simulation/storage/attacher.h"

#include "flyball/simulation/storage/attach_plan.h"
#include "flyball/simulation/storage/step_log.h"
#include "flyball/simulation/storage/volume_facts.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using core::v1::PersistentVolume;
using runtime::Context;
using runtime::Outcome;
using storage::v1::CSINode;
using storage::v1::StorageClass;
using storage::v1::VolumeAttachment;

constexpr std::string_view kVolumeIndex = "simulation/volume";

std::string VolumeOf(const VolumeAttachment& attachment) {
  return attachment.spec.source.persistentVolumeName.value_or("");
}

/// What the log of steps knows a detachment by; an attachment goes by its name.
std::string DetachOf(const std::string& attachment) { return "detach " + attachment; }

/// One call for an attachment or a volume at a time; of different ones, any thread.
class Attacher {
 public:
  struct Deps {
    cache::Lister<VolumeAttachment> attachments;
    cache::Lister<PersistentVolume> volumes;
    cache::Lister<StorageClass> classes;
    cache::Lister<CSINode> nodes;
  };
  Attacher(Deps deps, DriverOptions options)
      : deps_(std::move(deps)),
        options_(std::move(options)),
        finalizer_(AttacherFinalizer(options_.driver)) {}

  Result<Outcome> operator()(Context& context, const ObjectKey& key) {
    const auto attachment = deps_.attachments.Get(key);
    if (!attachment) {
      for (const std::string& id : {key.name, DetachOf(key.name)}) steps_.Forget(id);
      return Outcome::Done();
    }
    if (attachment->spec.attacher != options_.driver) return Outcome::Done();
    if (attachment->metadata.deletionTimestamp) return Detach(context, *attachment);
    if (attachment->status.attached) return Outcome::Done();
    return Attach(context, *attachment);
  }

  /// Lets a volume go that nothing is attached of any more.
  Result<Outcome> Release(Context& context, const ObjectKey& key) {
    const auto volume = deps_.volumes.Get(key);
    const bool goes = volume && volume->metadata.deletionTimestamp &&
                      HasFinalizer(volume->metadata, finalizer_) &&
                      deps_.attachments.ByIndex(kVolumeIndex, key.name).empty();
    if (!goes) return Outcome::Done();
    const auto patched =
        context.Patch<PersistentVolume>(key, WithoutFinalizer(volume->metadata, finalizer_));
    return patched ? Outcome::Done() : LookAnew(patched.error());
  }

 private:
  StepScript Script(const Context& context, StorageStep step,
                    const PersistentVolume* volume) const {
    if (volume == nullptr) return ReadScript(context, step, {}, nullptr, options_.timings);
    const auto storage_class = deps_.classes.Get({"", ClassOf(*volume)});
    return ReadScript(context, step, volume->metadata.annotations, storage_class.get(),
                      options_.timings);
  }

  Result<Outcome> Attach(Context& context, const VolumeAttachment& attachment) {
    const std::string name = VolumeOf(attachment);
    const auto volume = deps_.volumes.Get({"", name});
    const auto csi_node = deps_.nodes.Get({"", attachment.spec.nodeName});
    StepScript script = Script(context, StorageStep::kAttach, volume.get());
    const auto node_id = NodeIdOf(csi_node.get(), attachment.spec.nodeName, options_.driver);
    if (const auto may = MayBeAttached(volume.get(), name, options_.driver); !may) {
      script = {.error = may.error().message()};
    } else if (!node_id) {
      script = {.error = node_id.error().message()};
    } else if (!HasFinalizer(attachment.metadata, finalizer_)) {
      return Protect(context, attachment, *volume, *node_id);
    }
    const auto progress = steps_.Advance(attachment.metadata.name, script, context.now());
    if (progress.state == StepLog::State::kDone) {
      const auto said = context.UpdateStatus(Attached(attachment, volume->spec.csi->volumeHandle));
      return said ? Outcome::Done() : LookAnew(said.error());
    }
    if (progress.state == StepLog::State::kFailed) {
      const auto said =
          context.UpdateStatus(FailedToAttach(attachment, script.error, context.now()));
      if (!said) return LookAnew(said.error());
    }
    return Outcome::RequeueAfter(progress.until - context.now());
  }

  /// From here on nothing goes before it is detached.
  Result<Outcome> Protect(Context& context, const VolumeAttachment& attachment,
                          const PersistentVolume& volume, const std::string& node_id) {
    if (!HasFinalizer(volume.metadata, finalizer_)) {
      const auto patched = context.Patch<PersistentVolume>(
          ObjectKey::Of(volume), WithFinalizer(volume.metadata, finalizer_));
      if (!patched) return LookAnew(patched.error());
    }
    VolumeAttachment changed = attachment;
    changed.metadata.finalizers.push_back(finalizer_);
    changed.metadata.annotations[kNodeId] = node_id;
    const auto updated = context.Update(changed);
    return updated ? Outcome::Done() : LookAnew(updated.error());
  }

  Result<Outcome> Detach(Context& context, const VolumeAttachment& attachment) {
    steps_.Forget(attachment.metadata.name);
    if (!HasFinalizer(attachment.metadata, finalizer_)) return Outcome::Done();
    const auto volume = deps_.volumes.Get({"", VolumeOf(attachment)});
    const StepScript script = Script(context, StorageStep::kDetach, volume.get());
    const auto progress = steps_.Advance(DetachOf(attachment.metadata.name), script, context.now());
    if (progress.state == StepLog::State::kFailed) {
      const auto said =
          context.UpdateStatus(FailedToDetach(attachment, script.error, context.now()));
      if (!said) return LookAnew(said.error());
    }
    if (progress.state != StepLog::State::kDone)
      return Outcome::RequeueAfter(progress.until - context.now());
    const ObjectKey key = ObjectKey::Of(attachment);
    const auto said = context.Patch<VolumeAttachment>(key, DetachedPatch(), {}, "status");
    if (!said) return LookAnew(said.error());
    const auto patched =
        context.Patch<VolumeAttachment>(key, WithoutFinalizer(attachment.metadata, finalizer_));
    return patched ? Outcome::Done() : LookAnew(patched.error());
  }

  static client::Patch DetachedPatch() {
    return {client::PatchType::kMerge,
            R"({"status":{"attached":false,"attachmentMetadata":null,"detachError":null}})"};
  }

  const Deps deps_;
  const DriverOptions options_;
  const std::string finalizer_;
  StepLog steps_;
};

}  // namespace

std::unique_ptr<runtime::Controller> MakeAttacher(const runtime::Controller::Deps& deps,
                                                  const DriverOptions& options) {
  auto controller =
      std::make_unique<runtime::Controller>("simulated-attacher", deps, options.driver);
  const auto attachments = controller->Reads<VolumeAttachment>();
  const auto volumes = controller->Reads<PersistentVolume>();
  const auto classes = controller->Reads<StorageClass>();
  const auto nodes = controller->Reads<CSINode>();
  attachments.AddIndex(std::string(kVolumeIndex),
                       [](const VolumeAttachment& attachment, cache::IndexValues& values) {
                         values.push_back(VolumeOf(attachment));
                       });
  const auto attacher = std::make_shared<Attacher>(
      Attacher::Deps{attachments.lister(), volumes.lister(), classes.lister(), nodes.lister()},
      options);
  auto& attaching = controller->AddQueue<>(
      {.name = "simulated_attachments", .workers = options.workers},
      [attacher](Context& context, const ObjectKey& key) { return (*attacher)(context, key); });
  auto& releasing = controller->AddQueue<>({.name = "simulated_attached_volumes",
                                            .keys_of = "persistentvolumes",
                                            .workers = options.workers},
                                           [attacher](Context& context, const ObjectKey& key) {
                                             return attacher->Release(context, key);
                                           });

  const auto add = [&attaching](const auto& one) { attaching.Add(ObjectKey::Of(*one)); };
  controller->On<VolumeAttachment>(attachments,
                                   {.added = [add](const auto& one, bool) { add(one); },
                                    .updated = [add](const auto&, const auto& one) { add(one); },
                                    .deleted =
                                        [add, &releasing](const auto& one, bool) {
                                          add(one);
                                          releasing.Add({"", VolumeOf(*one)});
                                        }});
  const auto volume_is = [&attaching, &releasing, of = attachments.lister()](const auto& volume) {
    releasing.Add(ObjectKey::Of(*volume));
    // What it says of its attachments may have changed.
    for (const auto& one : of.ByIndex(kVolumeIndex, volume->metadata.name)) {
      attaching.Add(ObjectKey::Of(*one));
    }
  };
  controller->On<PersistentVolume>(
      volumes, {.added = [volume_is](const auto& volume, bool) { volume_is(volume); },
                .updated = [volume_is](const auto&, const auto& volume) { volume_is(volume); }});
  return controller;
}

}  // namespace flyball::simulation

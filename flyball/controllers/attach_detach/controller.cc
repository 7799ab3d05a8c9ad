#include "flyball/controllers/attach_detach/controller.h"

#include <algorithm>
#include <set>
#include <string>

#include "flyball/controllers/attach_detach/reconciler.h"
#include "flyball/controllers/common/pod_claims.h"

namespace flyball::controllers::attach_detach {
namespace {

using api::ObjectKey;
using queue::Priority;
using Queue = runtime::ReconcileQueue<std::string>;

constexpr std::size_t kWorkers = 10;
/// Volumes of a node come and go in quick succession. What it is told of them is a write on the
/// node, which all nodes' readers are sent.
// PARITY: upstream looks at all of them ten times a second.
constexpr std::chrono::milliseconds kMinIntervalAfterWrite{100};

Priority PriorityOf(bool initial) { return initial ? Priority::kBackground : Priority::kLive; }

void AddAll(Queue& queue, const std::set<std::string>& nodes) {
  for (const std::string& node : nodes) queue.Add(node);
}

/// A node is looked at when a pod comes to it, ends there or goes.
void FollowPods(runtime::Controller& controller, const cache::Informer<Pod>& pods, Queue& queue) {
  const auto add = [&queue](const Pod& pod, Priority priority = Priority::kLive) {
    if (pod.spec.nodeName.empty() || !MayNeedAttaching(pod)) return;
    queue.Add(std::string(pod.spec.nodeName), priority);
  };
  controller.On<Pod>(
      pods, {.added = [add](const auto& pod, bool initial) { add(*pod, PriorityOf(initial)); },
             .updated =
                 [add](const auto& before, const auto& now) {
                   const bool same = before->metadata.uid == now->metadata.uid &&
                                     before->spec.nodeName == now->spec.nodeName;
                   if (same && common::IsTerminated(*before) == common::IsTerminated(*now)) return;
                   if (!same) add(*before);
                   add(*now);
                 },
             .deleted = [add](const auto& pod, bool) { add(*pod); }});
}

/// It is looked at when it changes itself; and others, when it has let go of what they may want.
void FollowNodes(runtime::Controller& controller, const cache::Informer<Node>& nodes,
                 const VolumeLister& volume_lister, const std::shared_ptr<MemoryTable>& memories,
                 const std::shared_ptr<Holders>& holders, Queue& queue) {
  const auto let_go = [volume_lister, &queue](const Node& before, const Node* now) {
    for (const auto& attached : before.status.volumesAttached) {
      const bool stays =
          now != nullptr && std::ranges::any_of(now->status.volumesAttached, [&](const auto& one) {
            return one.name == attached.name;
          });
      if (!stays) AddAll(queue, volume_lister.NodesWanting(attached.name.view()));
    }
  };
  controller.On<Node>(nodes, {.added =
                                  [memories, holders, &queue](const auto& node, bool initial) {
                                    const std::string name(node->metadata.name);
                                    memories->Came(name);
                                    holders->Saw(*node);
                                    queue.Add(name, PriorityOf(initial));
                                  },
                              .updated =
                                  [let_go, holders, &queue](const auto& before, const auto& now) {
                                    if (SameToVolumes(*before, *now)) return;
                                    holders->Saw(*before, *now);
                                    queue.Add(std::string(now->metadata.name));
                                    let_go(*before, now.get());
                                  },
                              .deleted =
                                  [memories, let_go, holders, &queue](const auto& node, bool) {
                                    const std::string name(node->metadata.name);
                                    memories->Went(name, node);
                                    holders->SawDeleted(*node);
                                    queue.Add(name);
                                    let_go(*node, nullptr);
                                  }});
}

void FollowClaims(runtime::Controller& controller,
                  const cache::Informer<PersistentVolumeClaim>& claims,
                  const VolumeLister& volume_lister, Queue& queue) {
  const auto add = [volume_lister, &queue](const PersistentVolumeClaim& claim) {
    AddAll(queue, volume_lister.NodesOfClaim(ObjectKey::Of(claim)));
  };
  controller.On<PersistentVolumeClaim>(
      claims, {.added = [add](const auto& claim, bool) { add(*claim); },
               .updated =
                   [add](const auto& before, const auto& now) {
                     const bool same = before->metadata.uid == now->metadata.uid &&
                                       before->status.phase == now->status.phase &&
                                       before->spec.volumeName == now->spec.volumeName;
                     if (!same) add(*now);
                   },
               .deleted = [add](const auto& claim, bool) { add(*claim); }});
}

void FollowVolumes(runtime::Controller& controller,
                   const cache::Informer<PersistentVolume>& volumes,
                   const VolumeLister& volume_lister, Queue& queue) {
  const auto add = [volume_lister, &queue](const PersistentVolume& volume) {
    AddAll(queue, volume_lister.NodesWanting(volume));
    AddAll(queue, volume_lister.NodesHaving(volume));
  };
  controller.On<PersistentVolume>(volumes,
                                  {.added = [add](const auto& volume, bool) { add(*volume); },
                                   .updated =
                                       [add](const auto& before, const auto& now) {
                                         if (before->spec == now->spec) return;
                                         add(*before);
                                         add(*now);
                                       },
                                   .deleted = [add](const auto& volume, bool) { add(*volume); }});
}

void FollowAttachments(runtime::Controller& controller,
                       const cache::Informer<VolumeAttachment>& attachments,
                       const VolumeLister& volume_lister, Queue& queue) {
  const auto add = [&queue](const VolumeAttachment& attachment,
                            Priority priority = Priority::kLive) {
    queue.Add(attachment.spec.nodeName, priority);
  };
  controller.On<VolumeAttachment>(
      attachments, {.added = [add](const auto& attachment,
                                   bool initial) { add(*attachment, PriorityOf(initial)); },
                    .updated =
                        [add](const auto& before, const auto& now) {
                          if (!SameToNode(*before, *now)) add(*now);
                        },
                    .deleted =
                        [add, volume_lister, &queue](const auto& attachment, bool) {
                          add(*attachment);
                          AddAll(queue, volume_lister.NodesWanting(*attachment));
                        }});
}

/// A driver says for all of its volumes whether they are to be attached. That is rare.
void FollowDrivers(runtime::Controller& controller, const cache::Informer<CSIDriver>& drivers,
                   const cache::Lister<Node>& nodes, Queue& queue) {
  const auto add = [nodes, &queue] {
    for (const auto& node : nodes.List()) queue.Add(std::string(node->metadata.name));
  };
  controller.On<CSIDriver>(drivers,
                           {.added = [add](const auto&, bool) { add(); },
                            .updated =
                                [add](const auto& before, const auto& now) {
                                  if (before->spec.attachRequired != now->spec.attachRequired)
                                    add();
                                },
                            .deleted = [add](const auto&, bool) { add(); }});
}

}  // namespace

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options) {
  auto controller = std::make_unique<runtime::Controller>(
      "persistentvolume-attach-detach-controller", deps, "attachdetach-controller");
  const Caches caches{.pods = controller->Reads<Pod>(),
                      .nodes = controller->Reads<Node>(),
                      .claims = controller->Reads<PersistentVolumeClaim>(),
                      .volumes = controller->Reads<PersistentVolume>(),
                      .attachments = controller->Reads<VolumeAttachment>(),
                      .drivers = controller->Reads<CSIDriver>()};
  caches.AddIndexes();
  const auto holders = std::make_shared<Holders>();
  const VolumeLister volume_lister(caches, holders);
  const auto memories = std::make_shared<MemoryTable>();
  const auto wake = std::make_shared<NodeReconciler::Wake>();
  auto& queue = controller->AddQueue<std::string>(
      {.name = "attach_detach",
       .keys_of = "nodes",
       .workers = kWorkers,
       .min_interval_after_write = kMinIntervalAfterWrite},
      NodeReconciler({.volume_lister = volume_lister,
                      .memories = memories,
                      .holders = holders,
                      .wake = wake,
                      .reservations = std::make_shared<Reservations>(),
                      .metrics = std::make_shared<Metrics>(deps.metrics),
                      .clock = deps.executor.clock(),
                      .rules = {.compare = options.compare &&
                                           options.compare_period >= std::chrono::seconds(1),
                                .force = options.force_detach}}));
  *wake = [&queue](const std::set<std::string>& nodes) { AddAll(queue, nodes); };
  FollowPods(*controller, caches.pods, queue);
  FollowNodes(*controller, caches.nodes, volume_lister, memories, holders, queue);
  FollowClaims(*controller, caches.claims, volume_lister, queue);
  FollowVolumes(*controller, caches.volumes, volume_lister, queue);
  FollowAttachments(*controller, caches.attachments, volume_lister, queue);
  FollowDrivers(*controller, caches.drivers, caches.nodes.lister(), queue);
  return controller;
}

}  // namespace flyball::controllers::attach_detach

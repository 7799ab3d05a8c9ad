#include "flyball/simulation/simulated_nodes.h"

#include <algorithm>
#include <utility>

#include "flyball/simulation/pod_reconciler.h"
#include "flyball/simulation/storage/node_expander.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using storage::v1::CSIDriver;
using storage::v1::VolumeAttachment;
using PodRef = cache::Ref<views::KubeletPod>;
using NodeRef = cache::Ref<views::KubeletNode>;

constexpr std::string_view kNodeIndex = "simulation/node";

ClientOfNode ClientsOf(const SimulatedNodes::Deps& deps) {
  if (deps.client_of) return deps.client_of;
  return [client = deps.harness.client](const std::string&) { return client; };
}

/// Whether a node is told otherwise of its volumes than it was.
bool VolumesDiffer(const views::KubeletNode& old, const views::KubeletNode& now) {
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  return !std::ranges::equal(old.status.volumesAttached, now.status.volumesAttached, same) ||
         !std::ranges::equal(old.status.volumesInUse, now.status.volumesInUse);
}

}  // namespace

SimulatedNodes::SimulatedNodes(const Deps& deps, const Options& options)
    : pods_(deps.harness.informers.Of<views::KubeletPod>()),
      nodes_(deps.harness.informers.Of<views::KubeletNode>()),
      controller_("simulated-nodes", deps.harness) {
  // The same caches, by which it knows what to wait for.
  controller_.Reads<views::KubeletPod>();
  controller_.Reads<views::KubeletNode>();
  pods_.AddIndex(std::string(kNodeIndex),
                 [](const views::KubeletPod& pod, cache::IndexValues& values) {
                   if (!pod.spec.nodeName.empty()) values.emplace_back(pod.spec.nodeName.view());
                 });
  const ClientOfNode clients = ClientsOf(deps);
  Clock& clock = deps.harness.executor.clock();
  const auto pod_volumes = options.volumes ? ReadVolumes() : nullptr;
  std::shared_ptr<NodeStorage> node_storage;
  if (options.volumes) {
    const auto pods_of = [pods = pods_.lister()](std::string_view node) {
      return pods.ByIndex(kNodeIndex, node);
    };
    node_storage = std::make_shared<NodeStorage>(
        NodeStorage::Deps{clients, pods_of, pod_volumes, clock}, *options.volumes);
  }
  const auto node_reconciler = std::make_shared<NodeReconciler>(
      NodeReconciler::Deps{registry_, clients, nodes_.lister(), clock,
                           [this](const std::string& name) { LookAtPods(name); }, node_storage},
      options.heartbeats);
  node_queue_ = &controller_.AddQueue<std::string>(
      {.name = "simulated_nodes", .workers = options.node_writers},
      [node_reconciler](runtime::Context& context, const std::string& name) {
        return (*node_reconciler)(context, name);
      });
  const auto pod_reconciler = std::make_shared<PodReconciler>(
      PodReconciler::Deps{registry_, clients, pods_.lister(), nodes_.lister(), pod_volumes},
      options.timings);
  pod_queue_ =
      &controller_.AddQueue<>({.name = "simulated_pods", .workers = options.pod_writers},
                              [pod_reconciler](runtime::Context& context, const ObjectKey& key) {
                                return (*pod_reconciler)(context, key);
                              });
  if (options.volumes) {
    AddExpander(deps, *options.volumes);
    AddVolumeHandlers(deps.harness.informers);
  }
  AddHandlers();
}

void SimulatedNodes::AddHandlers() {
  const auto add_pod = [this](const PodRef& pod) {
    if (pod->spec.nodeName.empty()) return;
    pod_queue_->Add(ObjectKey::Of(*pod));
    if (claim_queue_ == nullptr || pod->spec.volumes.empty()) return;
    node_queue_->Add(std::string(pod->spec.nodeName.view()));
    for (PodClaim& claim : ClaimsOf(*pod)) {
      claim_queue_->Add({std::string(pod->metadata.namespace_.view()), std::move(claim.name)});
    }
  };
  controller_.On<views::KubeletPod>(
      pods_, {.added = [add_pod](const PodRef& pod, bool) { add_pod(pod); },
              .updated = [add_pod](const PodRef&, const PodRef& pod) { add_pod(pod); },
              .deleted = [add_pod](const PodRef& pod, bool) { add_pod(pod); }});
  const auto add_node = [this](const NodeRef& node) {
    node_queue_->Add(std::string(node->metadata.name.view()));
  };
  controller_.On<views::KubeletNode>(
      nodes_, {.added = [add_node](const NodeRef& node, bool) { add_node(node); },
               .updated =
                   [this, add_node](const NodeRef& old, const NodeRef& node) {
                     add_node(node);
                     if (claim_queue_ == nullptr || !VolumesDiffer(*old, *node)) return;
                     LookAtPods(std::string(node->metadata.name.view()));
                   },
               .deleted = [add_node](const NodeRef& node, bool) { add_node(node); }});
}

std::shared_ptr<const PodVolumes> SimulatedNodes::ReadVolumes() {
  IndexByClaim(pods_);
  const auto attachments = controller_.Reads<VolumeAttachment>();
  PodVolumes::Index(attachments);
  return std::make_shared<PodVolumes>(
      PodVolumes::Deps{controller_.Reads<Claim>().lister(), controller_.Reads<Volume>().lister(),
                       controller_.Reads<CSIDriver>().lister(), attachments.lister()});
}

void SimulatedNodes::AddExpander(const Deps& deps, const NodeVolumes& options) {
  cache::InformerFactory& informers = deps.harness.informers;
  const auto expander = std::make_shared<NodeExpander>(
      NodeExpander::Deps{registry_, ClientsOf(deps), informers.Of<Claim>().lister(),
                         informers.Of<Volume>().lister(), pods_.lister(), nodes_.lister()},
      options);
  claim_queue_ = &controller_.AddQueue<>(
      {.name = "simulated_file_systems", .keys_of = "persistentvolumeclaims"},
      [expander](runtime::Context& context, const ObjectKey& key) {
        return (*expander)(context, key);
      });
}

void SimulatedNodes::AddVolumeHandlers(cache::InformerFactory& informers) {
  const auto claim_is = [this](const auto& claim) { LookAtPodsOf(ObjectKey::Of(*claim)); };
  controller_.On<Claim>(informers.Of<Claim>(),
                        {.added = [claim_is](const auto& claim, bool) { claim_is(claim); },
                         .updated = [claim_is](const auto&, const auto& claim) { claim_is(claim); },
                         .deleted = [claim_is](const auto& claim, bool) { claim_is(claim); }});
  const auto volume_is = [this](const auto& volume) {
    const auto& claim = volume->spec.claimRef;
    if (claim) LookAtPodsOf({claim->namespace_, claim->name});
  };
  controller_.On<Volume>(
      informers.Of<Volume>(),
      {.added = [volume_is](const auto& volume, bool) { volume_is(volume); },
       .updated = [volume_is](const auto&, const auto& volume) { volume_is(volume); }});
  const auto attachment_is = [this](const auto& one) { LookAtPods(one->spec.nodeName); };
  controller_.On<VolumeAttachment>(
      informers.Of<VolumeAttachment>(),
      {.added = [attachment_is](const auto& one, bool) { attachment_is(one); },
       .updated = [attachment_is](const auto&, const auto& one) { attachment_is(one); }});
  const auto driver_is = [this] {
    for (const std::string& name : registry_.names()) {
      node_queue_->Add(name);
      LookAtPods(name);
    }
  };
  controller_.On<CSIDriver>(informers.Of<CSIDriver>(),
                            {.added = [driver_is](const auto&, bool) { driver_is(); },
                             .updated = [driver_is](const auto&, const auto&) { driver_is(); },
                             .deleted = [driver_is](const auto&, bool) { driver_is(); }});
}

void SimulatedNodes::LookAtPods(const std::string& node) {
  for (const PodRef& pod : pods_.lister().ByIndex(kNodeIndex, node)) {
    pod_queue_->Add(ObjectKey::Of(*pod));
  }
}

void SimulatedNodes::LookAtPodsOf(const ObjectKey& claim) {
  claim_queue_->Add(claim);
  for (const PodRef& pod : PodsOfClaim(claim, pods_.lister())) {
    if (pod->spec.nodeName.empty()) continue;
    pod_queue_->Add(ObjectKey::Of(*pod));
    node_queue_->Add(std::string(pod->spec.nodeName.view()));
  }
}

void SimulatedNodes::Add(const std::string& name, const NodeShape& shape) {
  if (!registry_.Add(name, shape)) return;
  node_queue_->Add(name);
  LookAtPods(name);
}

void SimulatedNodes::SetSilent(const std::string& name, bool silent) {
  registry_.SetSilent(name, silent);
  node_queue_->Add(name);
  if (!silent) LookAtPods(name);
}

void SimulatedNodes::Start() { controller_.Start(); }

bool SimulatedNodes::Stop(SteadyTime deadline) { return controller_.Stop(deadline); }

}  // namespace flyball::simulation

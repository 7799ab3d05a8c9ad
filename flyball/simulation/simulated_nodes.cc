#include "flyball/simulation/simulated_nodes.h"

#include <utility>

#include "flyball/simulation/pod_reconciler.h"

namespace flyball::simulation {
namespace {

using api::ObjectKey;
using PodRef = cache::Ref<views::SimulatedPod>;
using NodeRef = cache::Ref<views::SimulatedNode>;

constexpr std::string_view kNodeIndex = "simulation/node";

ClientOfNode ClientsOf(const SimulatedNodes::Deps& deps) {
  if (deps.client_of) return deps.client_of;
  return [client = deps.harness.client](const std::string&) { return client; };
}

}  // namespace

SimulatedNodes::SimulatedNodes(const Deps& deps, const Options& options)
    : pods_(deps.harness.informers.Of<views::SimulatedPod>()),
      nodes_(deps.harness.informers.Of<views::SimulatedNode>()),
      controller_("simulated-nodes", deps.harness) {
  // The same caches, by which it knows what to wait for.
  controller_.Reads<views::SimulatedPod>();
  controller_.Reads<views::SimulatedNode>();
  pods_.AddIndex(std::string(kNodeIndex),
                 [](const views::SimulatedPod& pod, cache::IndexValues& values) {
                   if (!pod.spec.nodeName.empty()) values.emplace_back(pod.spec.nodeName.view());
                 });
  const ClientOfNode clients = ClientsOf(deps);
  Clock& clock = deps.harness.executor.clock();
  const auto node_reconciler = std::make_shared<NodeReconciler>(
      NodeReconciler::Deps{registry_, clients, nodes_.lister(), clock,
                           [this](const std::string& name) { LookAtPods(name); }},
      options.heartbeats);
  node_queue_ = &controller_.AddQueue<std::string>(
      {.name = "simulated_nodes", .workers = options.node_writers},
      [node_reconciler](runtime::Context& context, const std::string& name) {
        return (*node_reconciler)(context, name);
      });
  const auto pod_reconciler = std::make_shared<PodReconciler>(
      PodReconciler::Deps{registry_, clients, pods_.lister(), nodes_.lister()}, options.timings);
  pod_queue_ =
      &controller_.AddQueue<>({.name = "simulated_pods", .workers = options.pod_writers},
                              [pod_reconciler](runtime::Context& context, const ObjectKey& key) {
                                return (*pod_reconciler)(context, key);
                              });

  const auto add_pod = [this](const PodRef& pod) {
    if (!pod->spec.nodeName.empty()) pod_queue_->Add(ObjectKey::Of(*pod));
  };
  controller_.On<views::SimulatedPod>(
      pods_, {.added = [add_pod](const PodRef& pod, bool) { add_pod(pod); },
              .updated = [add_pod](const PodRef&, const PodRef& pod) { add_pod(pod); },
              .deleted = [add_pod](const PodRef& pod, bool) { add_pod(pod); }});
  const auto add_node = [this](const NodeRef& node) {
    node_queue_->Add(std::string(node->metadata.name.view()));
  };
  controller_.On<views::SimulatedNode>(
      nodes_, {.added = [add_node](const NodeRef& node, bool) { add_node(node); },
               .updated = [add_node](const NodeRef&, const NodeRef& node) { add_node(node); },
               .deleted = [add_node](const NodeRef& node, bool) { add_node(node); }});
}

void SimulatedNodes::LookAtPods(const std::string& node) {
  for (const PodRef& pod : pods_.lister().ByIndex(kNodeIndex, node)) {
    pod_queue_->Add(ObjectKey::Of(*pod));
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

#include <algorithm>
#include <string>
#include <utility>

#include "benchmarks/managers/claim_fleet.h"
#include "benchmarks/managers/loads.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/kubelet_views.h"
#include "flyball/api/storage/v1.h"
#include "tests/cluster/many_requests.h"

namespace flyball::bench {
namespace {

using core::v1::Pod;
using storage::v1::VolumeAttachment;
using views::KubeletNode;
using views::KubeletPod;

/// Pods of nobody's, each with a claim of its own, so that of all controllers those for volumes
/// have the most to do.
class AttachLoad {
 public:
  AttachLoad(Stage& stage, std::string space, const Size& size)
      : stage_(stage), space_(std::move(space)), size_(size) {}

  Result<> CreatePods() const {
    const auto pods = stage_.client().Of<Pod>().Async();
    return cluster::ForAll(size_.all(), [&](int number) { return pods.Create(Describe(number)); });
  }
  Result<> DeletePods() const {
    const auto pods = stage_.client().Of<Pod>().Async();
    return cluster::ForAll(size_.all(),
                           [&](int number) { return pods.Delete({space_, NameOf(number)}); });
  }

  /// Until all run, which they do not before their volumes are attached.
  Result<> AwaitRunning() const {
    const auto pods = stage_.informers().Of<KubeletPod>().lister();
    int next = 0;
    return stage_.Await(Stage::kPatience, "not all pods run", [&] {
      const auto runs = [&](int number) {
        const auto pod = pods.Get({space_, NameOf(number)});
        return pod && pod->status.phase == "Running";
      };
      while (next < size_.all() && runs(next)) ++next;
      return next == size_.all();
    });
  }
  /// Until no volume is attached to any node, by the driver's word and by the nodes'.
  Result<> AwaitDetached() const {
    const auto attachments = stage_.informers().Of<VolumeAttachment>().lister();
    const auto nodes = stage_.informers().Of<KubeletNode>().lister();
    return stage_.Await(Stage::kPatience, "not all volumes are detached", [&] {
      return attachments.List().empty() && std::ranges::all_of(nodes.List(), [](const auto& node) {
               return node->status.volumesAttached.empty();
             });
    });
  }

 private:
  static std::string NameOf(int number) { return "ledger-" + std::to_string(number); }

  Pod Describe(int number) const {
    Pod pod;
    pod.metadata.namespace_ = space_;
    pod.metadata.name = NameOf(number);
    pod.metadata.labels = {{"app", "ledger"}, {"tier", "back"}};
    auto& container = pod.spec.containers.emplace_back();
    container.name = "main";
    container.image = "registry.example.com/app:1";
    auto& mount = container.volumeMounts.emplace_back();
    mount.name = "data";
    mount.mountPath = "/data";
    auto& volume = pod.spec.volumes.emplace_back();
    volume.name = "data";
    volume.persistentVolumeClaim.emplace().claimName = ClaimFleet::NameOf(number);
    return pod;
  }

  Stage& stage_;
  const std::string space_;
  const Size size_;
};

}  // namespace

Result<> RunAttachments(Stage& stage, const Size& size) {
  FLYBALL_TRY(stage.StartManager());
  FLYBALL_TRY(const std::string space, stage.NewSpace());
  const ClaimFleet claims(stage, {space}, size.all());
  FLYBALL_TRY(claims.CreateClass());
  FLYBALL_TRY(claims.Create());
  FLYBALL_TRY(claims.AwaitBound());

  const AttachLoad load(stage, space, size);
  stage.Begin();
  FLYBALL_TRY(load.CreatePods());
  FLYBALL_TRY(load.AwaitRunning());
  stage.Note("attach all");

  FLYBALL_TRY(stage.StopManager());
  FLYBALL_TRY(stage.StartManager());
  stage.Note("start, all there");

  stage.Begin();
  FLYBALL_TRY(load.DeletePods());
  FLYBALL_TRY(load.AwaitDetached());
  stage.Note("delete the pods, detach all");
  return stage.StopManager();
}

}  // namespace flyball::bench

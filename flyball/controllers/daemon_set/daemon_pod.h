#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

/// The pods of a DaemonSet: what they are made of, and what is read off them.
namespace flyball::controllers::daemon_set {

using PodRef = cache::Ref<views::Pod>;

/// On pods and revisions.
inline constexpr std::string_view kHashLabel = "controller-revision-hash";
/// On pods, from before there were revisions.
inline constexpr std::string_view kGenerationLabel = "pod-template-generation";
inline constexpr std::string_view kGenerationAnnotation =
    "deprecated.daemonset.template.generation";

/// What tells the pods of a set's template from those of its earlier ones.
struct TemplateRevision {
  std::string hash;
  std::optional<std::int64_t> generation = std::nullopt;

  friend bool operator==(const TemplateRevision&, const TemplateRevision&) = default;
};

/// The deprecated count of a set's templates; none if its annotation is missing or no number.
std::optional<std::int64_t> TemplateGenerationOf(const apps::v1::DaemonSet& set);

/// Either of the two will do.
bool IsUpdated(const views::Pod& pod, const TemplateRevision& template_revision);
/// The value of kHashLabel; empty if it has none.
std::string_view HashOf(const views::Pod& pod);

/// What the template tolerates, and what every daemon pod does beside: nodes that are not ready,
/// are cordoned, or run out of something.
std::vector<core::v1::Toleration> TolerationsOf(const core::v1::PodSpec& spec);

/// A pod of the set, as it is but for the node.
core::v1::Pod DaemonPod(const apps::v1::DaemonSet& set, const TemplateRevision& template_revision);
/// The same for a node: the scheduler is left no other.
core::v1::Pod BoundTo(core::v1::Pod pod, const std::string& node);

/// Which node a pod is on, or may be bound to. None if it does not say.
std::optional<std::string> TargetNodeOf(const views::Pod& pod);

/// The pods of a set by the nodes that they are for.
using PodsByNode = std::map<std::string, std::vector<PodRef>, std::less<>>;

/// All but those that have ended and only wait to be removed, with which nobody has anything left
/// to do. On a node the first is the one that counts: on a node before one that is yet to be bound,
/// then the oldest.
PodsByNode ByNode(std::span<const PodRef> pods);

}  // namespace flyball::controllers::daemon_set

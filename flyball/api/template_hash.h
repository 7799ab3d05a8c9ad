#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/base/result.h"

/// How a pod template is told from its earlier versions. What these return is in the names and
/// labels of ReplicaSets, ControllerRevisions and pods: a byte off, and a manager that takes over a
/// cluster replaces every pod of it.
namespace flyball::api {

/// Counted up when two templates have the same hash, and part of it from then on.
using CollisionCount = std::optional<std::int32_t>;

/// The value of the label pod-template-hash, and of controller-revision-hash of a DaemonSet.
std::string PodTemplateHash(const core::v1::PodTemplateSpec& pod_template,
                            CollisionCount collisions = std::nullopt);

/// Whose ControllerRevision it is.
// PARITY: upstream reads a DaemonSet's template with a JSON package that keeps integers and a
// StatefulSet's with one that makes them float64, so that a large integer comes out differently.
enum class RevisionOwner : std::uint8_t { kDaemonSet, kStatefulSet };

/// What a ControllerRevision holds: the strategic merge patch that puts the template back. Two
/// templates are the same revision if this is the same text. Fails where the template's
/// managedFields are not JSON.
Result<std::string> RevisionData(const core::v1::PodTemplateSpec& pod_template,
                                 RevisionOwner owner);

/// The value of controller-revision-hash of a StatefulSet, over the revision's data.
std::string RevisionHash(std::string_view data, CollisionCount collisions = std::nullopt);

}  // namespace flyball::api

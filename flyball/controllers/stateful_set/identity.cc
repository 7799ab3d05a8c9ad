#include "flyball/controllers/stateful_set/identity.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "flyball/api/json.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/pod_from_template.h"

namespace flyball::controllers::stateful_set {

using api::Json;
using apps::v1::StatefulSet;
using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using core::v1::Volume;

std::optional<MemberName> ParseMemberName(std::string_view pod) {
  const std::size_t dash = pod.find_last_not_of("0123456789");
  if (dash == std::string_view::npos || pod[dash] != '-' || dash + 1 == pod.size()) {
    return std::nullopt;
  }
  const std::string_view digits = pod.substr(dash + 1);
  std::int32_t ordinal = -1;
  // What does not fit leaves it as it is.
  std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  return MemberName{.set = pod.substr(0, dash), .ordinal = ordinal};
}

bool IsMemberOf(const StatefulSet& set, const views::Pod& pod) {
  const auto name = ParseMemberName(pod.metadata.name);
  return name && name->set == set.metadata.name;
}

std::int64_t OrdinalOf(const views::Pod& pod) {
  const auto name = ParseMemberName(pod.metadata.name);
  return name ? name->ordinal : -1;
}

std::string_view RevisionOf(const views::Pod& pod) {
  return pod.metadata.labels.find(kRevisionLabel).value_or(std::string_view());
}

OrdinalRange RangeOf(const StatefulSet& set) {
  // The server puts 1 where nothing is said.
  return {.start = set.spec.ordinals ? set.spec.ordinals->start : 0,
          .count = set.spec.replicas.value_or(1)};
}

Member MemberAt(const StatefulSet& set, std::int64_t ordinal) {
  return {.ordinal = ordinal, .name = PodName(set, ordinal)};
}

Member MemberOf(const views::Pod& pod) {
  return {.ordinal = OrdinalOf(pod),
          .name = std::string(pod.metadata.name),
          .uid = std::string(pod.metadata.uid)};
}

std::string PodName(const StatefulSet& set, std::int64_t ordinal) {
  return set.metadata.name + "-" + std::to_string(ordinal);
}

std::string ClaimName(const StatefulSet& set, const PersistentVolumeClaim& made_of,
                      std::int64_t ordinal) {
  return made_of.metadata.name + "-" + PodName(set, ordinal);
}

std::vector<PersistentVolumeClaim> ClaimsFor(const StatefulSet& set, std::int64_t ordinal) {
  std::vector<PersistentVolumeClaim> claims = set.spec.volumeClaimTemplates;
  for (PersistentVolumeClaim& claim : claims) {
    claim.metadata.name = ClaimName(set, claim, ordinal);
    claim.metadata.namespace_ = set.metadata.namespace_;
    if (!set.spec.selector) continue;
    for (const auto& [key, value] : set.spec.selector->matchLabels) {
      claim.metadata.labels[key] = value;
    }
  }
  return claims;
}

namespace {

Volume VolumeFor(const StatefulSet& set, const PersistentVolumeClaim& made_of,
                 std::int64_t ordinal) {
  Volume volume;
  volume.name = made_of.metadata.name;
  volume.persistentVolumeClaim.emplace().claimName = ClaimName(set, made_of, ordinal);
  return volume;
}

/// Puts a volume for each claim before those of the template, and in the place of one that is
/// called the same.
void AddStorage(const StatefulSet& set, std::int64_t ordinal, Pod& pod) {
  std::vector<Volume> volumes;
  for (const PersistentVolumeClaim& made_of : set.spec.volumeClaimTemplates) {
    std::erase_if(pod.spec.volumes,
                  [&](const Volume& its) { return its.name == made_of.metadata.name; });
    volumes.push_back(VolumeFor(set, made_of, ordinal));
  }
  std::ranges::move(pod.spec.volumes, std::back_inserter(volumes));
  pod.spec.volumes = std::move(volumes);
}

}  // namespace

Pod MakePod(const StatefulSet& set, std::string_view revision, std::int64_t ordinal) {
  Pod pod = common::PodFromTemplate(set.spec.template_, set.metadata.namespace_,
                                    common::ControllerRefTo(set));
  pod.metadata.name = PodName(set, ordinal);
  pod.metadata.labels[kPodNameLabel] = pod.metadata.name;
  pod.metadata.labels[kPodIndexLabel] = std::to_string(ordinal);
  pod.metadata.labels[kRevisionLabel] = revision;
  pod.spec.hostname = pod.metadata.name;
  pod.spec.subdomain = set.spec.serviceName;
  AddStorage(set, ordinal, pod);
  return pod;
}

bool HasIdentity(const StatefulSet& set, const views::Pod& pod) {
  const std::int64_t ordinal = OrdinalOf(pod);
  return ordinal >= 0 && IsMemberOf(set, pod) && pod.metadata.name == PodName(set, ordinal) &&
         pod.metadata.labels.find(kPodNameLabel) == pod.metadata.name.view();
}

bool HasStorage(const StatefulSet& set, const views::Pod& pod) {
  const std::int64_t ordinal = OrdinalOf(pod);
  return std::ranges::all_of(
      set.spec.volumeClaimTemplates, [&](const PersistentVolumeClaim& made_of) {
        return std::ranges::any_of(pod.spec.volumes, [&](const auto& volume) {
          return volume.name == made_of.metadata.name && volume.persistentVolumeClaim != nullptr &&
                 volume.persistentVolumeClaim->claimName == ClaimName(set, made_of, ordinal);
        });
      });
}

std::string RepairPatch(const StatefulSet& set, const views::Pod& pod) {
  const std::int64_t ordinal = OrdinalOf(pod);
  // With its uid, so that no other pod is changed that has come to be called so.
  Json::Object metadata{{"uid", Json(std::string(pod.metadata.uid))}};
  if (!HasIdentity(set, pod)) {
    metadata.insert_or_assign(
        "labels", Json::Object{{std::string(kPodNameLabel), Json(PodName(set, ordinal))},
                               {std::string(kPodIndexLabel), Json(std::to_string(ordinal))}});
  }
  Json::Object patch{{"metadata", Json(std::move(metadata))}};
  if (!HasStorage(set, pod)) {
    Json::Array volumes;
    for (const PersistentVolumeClaim& made_of : set.spec.volumeClaimTemplates) {
      volumes.emplace_back(
          Json::Object{{"$retainKeys", Json::Array{Json("name"), Json("persistentVolumeClaim")}},
                       {"name", Json(made_of.metadata.name)},
                       {"persistentVolumeClaim",
                        Json::Object{{"claimName", Json(ClaimName(set, made_of, ordinal))}}}});
    }
    patch.insert_or_assign("spec", Json::Object{{"volumes", Json(std::move(volumes))}});
  }
  return Json(std::move(patch)).ToString();
}

}  // namespace flyball::controllers::stateful_set

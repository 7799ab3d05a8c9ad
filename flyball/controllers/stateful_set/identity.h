#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

/// Who the pods of a StatefulSet are: each has an ordinal, and with it a name, a host name, labels
/// and claims, which whoever comes after it has too.
namespace flyball::controllers::stateful_set {

using PodRef = cache::Ref<views::Pod>;

inline constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";
inline constexpr std::string_view kRevisionLabel = "controller-revision-hash";

/// What a pod's name says: whose it is, and its ordinal.
struct MemberName {
  std::string_view set;
  std::int64_t ordinal = 0;  ///< -1 where there are digits, but too many
};
/// None for a name that does not end in a dash and digits.
std::optional<MemberName> ParseMemberName(std::string_view pod);
/// Whether a pod is called as one of the set's is.
bool IsMemberOf(const apps::v1::StatefulSet& set, const views::Pod& pod);
/// -1 if it has none.
std::int64_t OrdinalOf(const views::Pod& pod);
/// The revision that a pod says it was made of; empty if it does not.
std::string_view RevisionOf(const views::Pod& pod);

/// The ordinals that a set asks for.
struct OrdinalRange {
  std::int64_t start = 0;
  std::int64_t count = 0;

  bool Contains(std::int64_t ordinal) const { return ordinal >= start && ordinal < start + count; }
};
OrdinalRange RangeOf(const apps::v1::StatefulSet& set);

/// A pod of a set, whether or not it has been made.
struct Member {
  std::int64_t ordinal = 0;
  std::string name;
  std::string uid = {};  ///< of the pod that there is; empty if there is none
};
Member MemberAt(const apps::v1::StatefulSet& set, std::int64_t ordinal);
Member MemberOf(const views::Pod& pod);

std::string PodName(const apps::v1::StatefulSet& set, std::int64_t ordinal);
std::string ClaimName(const apps::v1::StatefulSet& set,
                      const core::v1::PersistentVolumeClaim& made_of, std::int64_t ordinal);

/// The claims that a pod of the set needs, in the order of their templates.
std::vector<core::v1::PersistentVolumeClaim> ClaimsFor(const apps::v1::StatefulSet& set,
                                                       std::int64_t ordinal);

/// The pod with this ordinal. `set` has the template of `revision`.
core::v1::Pod MakePod(const apps::v1::StatefulSet& set, std::string_view revision,
                      std::int64_t ordinal);

/// Whether a pod is called and labelled as it should be.
// PARITY: the label with its index is set together with the one that has its name, but nobody looks
// whether it is right.
bool HasIdentity(const apps::v1::StatefulSet& set, const views::Pod& pod);
/// Whether a pod has a volume for each of the set's claims.
bool HasStorage(const apps::v1::StatefulSet& set, const views::Pod& pod);

/// What makes a pod what it should be in these two respects: a strategic merge patch for the pod
/// that is called PodName().
// PARITY: no server lets the volumes of a pod change. So a pod that lacks one is told of with every
// try, until somebody deletes it.
std::string RepairPatch(const apps::v1::StatefulSet& set, const views::Pod& pod);

}  // namespace flyball::controllers::stateful_set

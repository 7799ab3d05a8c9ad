#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/api/views.h"
#include "flyball/cache/informer.h"

/// Which claims pods use: those that they name, and those that are made for them, each the claim of
/// one ephemeral volume.
namespace flyball::controllers::common {

struct PodClaim {
  std::string name;
  /// Made for this pod and for no other: a claim of that name which the pod does not own is not
  /// meant.
  bool ephemeral = false;
  friend bool operator==(const PodClaim&, const PodClaim&) = default;
};
std::vector<PodClaim> ClaimsOf(const views::Pod& pod);

/// Whether what a volume is of is the field of VolumeSource with this number, one of those that few
/// read. Without decoding it: every pod with a secret is asked, each time it changes.
bool HasSource(const views::Pod::Volume& volume, std::uint64_t field);
bool IsEphemeral(const views::Pod::Volume& volume);
/// The claim of an ephemeral volume.
std::string EphemeralClaimName(const views::Pod& pod, const views::Pod::Volume& volume);
/// What has a claim go with a pod that controls it.
meta::v1::OwnerReference ControllerRefToPod(std::string_view name, std::string_view uid);
/// Whether a claim was made for the pod.
bool IsMadeFor(const core::v1::PersistentVolumeClaim& claim, const views::Pod& pod);

/// Whether a pod of the claim's namespace means this very claim.
bool Means(const PodClaim& meant, const views::Pod& pod,
           const core::v1::PersistentVolumeClaim& claim);

/// A node is done with it, or seems to be: it has ended, or is to end and has no container that
/// runs.
bool IsTerminated(const views::Pod& pod);

/// Finds pods by their claims.
void IndexByClaim(const cache::Informer<views::Pod>& pods);
std::vector<cache::Ref<views::Pod>> PodsOfClaim(const api::ObjectKey& claim,
                                                const cache::Lister<views::Pod>& pods);

}  // namespace flyball::controllers::common

#include "benchmarks/managers/claim_fleet.h"

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/simulation/storage/simulated_storage.h"
#include "tests/cluster/many_requests.h"

namespace flyball::bench {
namespace {

using core::v1::PersistentVolume;
using core::v1::PersistentVolumeClaim;

constexpr const char* kClass = "at-once";

}  // namespace

api::ObjectKey ClaimFleet::KeyOf(int number) const {
  return {spaces_[static_cast<std::size_t>(number / each_)], NameOf(number % each_)};
}

Result<> ClaimFleet::CreateClass() const {
  auto described = simulation::DescribeClass(kClass, simulation::kSimulatedDriver, false);
  described.volumeBindingMode = "Immediate";
  FLYBALL_TRY(stage_.client().Of<storage::v1::StorageClass>().Create(described));
  return {};
}

Result<> ClaimFleet::Create() const {
  const auto claims = stage_.client().Of<PersistentVolumeClaim>().Async();
  return cluster::ForAll(count(), [&](int number) {
    PersistentVolumeClaim claim;
    const api::ObjectKey key = KeyOf(number);
    claim.metadata.namespace_ = key.namespace_;
    claim.metadata.name = key.name;
    claim.metadata.labels = {{"app", "ledger"}, {"tier", "back"}};
    claim.spec.storageClassName = kClass;
    claim.spec.accessModes = {"ReadWriteOnce"};
    claim.spec.resources.requests["storage"] = *api::Quantity::Parse("1Gi");
    return claims.Create(claim);
  });
}

bool ClaimFleet::IsBound(int number) const {
  const auto claim = stage_.informers().Of<PersistentVolumeClaim>().lister().Get(KeyOf(number));
  if (!claim || claim->status.phase != "Bound") return false;
  const auto volume =
      stage_.informers().Of<PersistentVolume>().lister().Get({"", claim->spec.volumeName});
  return volume && volume->status.phase == "Bound";
}

Result<> ClaimFleet::AwaitBound() const {
  // Those that are bound are not looked at again: there may be thousands.
  int next = 0;
  return stage_.Await(Stage::kPatience, "not all claims are bound", [&] {
    while (next < count() && IsBound(next)) ++next;
    return next == count();
  });
}

Result<> ClaimFleet::Delete() const {
  const auto claims = stage_.client().Of<PersistentVolumeClaim>().Async();
  return cluster::ForAll(count(), [&](int number) { return claims.Delete(KeyOf(number)); });
}

Result<> ClaimFleet::AwaitGone() const {
  const auto claims = stage_.informers().Of<PersistentVolumeClaim>().lister();
  const auto volumes = stage_.informers().Of<PersistentVolume>().lister();
  return stage_.Await(Stage::kPatience, "not all claims and volumes go",
                      [&] { return claims.List().empty() && volumes.List().empty(); });
}

}  // namespace flyball::bench

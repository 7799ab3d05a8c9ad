#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/stateful_set/claim_plan.h"
#include "flyball/controllers/stateful_set/identity.h"
#include "flyball/controllers/stateful_set/replica_slots.h"

/// Sets, pods and claims for tests.
namespace flyball::controllers::stateful_set {

inline const WallTime kNow{std::chrono::sys_days(std::chrono::year(2026) / 11 / 16)};

/// "default/db", which asks for so many pods, as a server has filled it in.
inline apps::v1::StatefulSet Db(std::int32_t replicas = 3, const std::string& image = "db:1") {
  apps::v1::StatefulSet set;
  set.metadata.namespace_ = "default";
  set.metadata.name = "db";
  set.metadata.uid = "uid-of-db";
  set.metadata.generation = 1;
  set.spec.replicas = replicas;
  set.spec.serviceName = "db-hosts";
  set.spec.podManagementPolicy = "OrderedReady";
  set.spec.revisionHistoryLimit = 10;
  set.spec.updateStrategy.type = "RollingUpdate";
  set.spec.updateStrategy.rollingUpdate.emplace().partition = 0;
  set.spec.selector.emplace().matchLabels["app"] = "db";
  set.spec.template_.metadata.labels["app"] = "db";
  core::v1::Container& container = set.spec.template_.spec.containers.emplace_back();
  container.name = "main";
  container.image = image;
  return set;
}
inline apps::v1::StatefulSet Parallel(apps::v1::StatefulSet set) {
  set.spec.podManagementPolicy = "Parallel";
  return set;
}
/// With a claim template, and what is to become of its claims.
inline apps::v1::StatefulSet WithClaim(apps::v1::StatefulSet set,
                                       const std::string& when_scaled = {},
                                       const std::string& when_deleted = {},
                                       const std::string& name = "data") {
  core::v1::PersistentVolumeClaim& claim = set.spec.volumeClaimTemplates.emplace_back();
  claim.metadata.name = name;
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.resources.requests["storage"] = api::Quantity::Parse("1Gi").value();
  if (!when_scaled.empty()) {
    auto& policy = set.spec.persistentVolumeClaimRetentionPolicy.emplace();
    policy.whenScaled = when_scaled;
    policy.whenDeleted = when_deleted;
  }
  return set;
}

/// How a pod fares.
struct Fares {
  std::string phase = "Running";
  bool ready = true;
  std::chrono::seconds ready_for = std::chrono::hours(1);
  bool going = false;
  std::string revision = "new";
};
inline const Fares kPending{.phase = "Pending", .ready = false};
inline const Fares kNotReady{.ready = false};
inline const Fares kGoing{.going = true};
inline const Fares kFailed{.phase = "Failed", .ready = false};
inline Fares Old(Fares fares = {}) {
  fares.revision = "old";
  return fares;
}

/// The pod that the set would have with this ordinal, as a value.
inline core::v1::Pod PodValue(const apps::v1::StatefulSet& set, std::int64_t ordinal,
                              const Fares& fares = {}) {
  core::v1::Pod pod = MakePod(set, fares.revision, ordinal);
  pod.metadata.uid = "uid-of-" + pod.metadata.name;
  pod.status.phase = fares.phase;
  if (fares.ready)
    pod.status.conditions.push_back(ReadyCondition(api::Time(kNow - fares.ready_for)));
  if (fares.going) pod.metadata.deletionTimestamp = api::Time(kNow);
  return pod;
}
inline PodRef PodAt(const apps::v1::StatefulSet& set, std::int64_t ordinal,
                    const Fares& fares = {}) {
  return ViewOf(PodValue(set, ordinal, fares));
}

/// A controller of something: "Pod db-0", "StatefulSet db".
inline meta::v1::OwnerReference Controls(const std::string& kind, const std::string& name,
                                         const std::string& uid) {
  meta::v1::OwnerReference owner;
  owner.apiVersion = kind == "StatefulSet" ? "apps/v1" : "v1";
  owner.kind = kind;
  owner.name = name;
  owner.uid = uid;
  owner.controller = owner.blockOwnerDeletion = true;
  return owner;
}

/// The claims that there are.
class Claims {
 public:
  core::v1::PersistentVolumeClaim& Add(const std::string& name,
                                       std::vector<meta::v1::OwnerReference> owners = {}) {
    auto claim = std::make_shared<core::v1::PersistentVolumeClaim>();
    claim->metadata.namespace_ = "default";
    claim->metadata.name = name;
    claim->metadata.ownerReferences = std::move(owners);
    claims_[name] = claim;
    return *claim;
  }
  FindClaim Find() const {
    return [claims = claims_](const std::string& name) -> ClaimRef {
      const auto found = claims.find(name);
      return found == claims.end() ? nullptr : found->second;
    };
  }

 private:
  std::map<std::string, std::shared_ptr<core::v1::PersistentVolumeClaim>> claims_;
};

inline std::vector<std::string> NamesOf(const std::vector<PodRef>& pods) {
  std::vector<std::string> names;
  for (const PodRef& pod : pods) names.emplace_back(pod->metadata.name);
  return names;
}

}  // namespace flyball::controllers::stateful_set

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"
#include "flyball/client/client.h"
#include "flyball/client/discovery.h"
#include "flyball/controllers/disruption/plan.h"

namespace flyball::controllers::disruption {

/// How many pods the controllers of pods ask for. The built-in ones are in the caches; all others,
/// those of custom kinds above all, are asked for by their scale subresource, whatever else they
/// look like. Any thread.
class Scales {
 public:
  struct Deps {
    cache::Lister<core::v1::ReplicationController> replication_controllers;
    cache::Lister<apps::v1::ReplicaSet> replica_sets;
    cache::Lister<apps::v1::Deployment> deployments;
    cache::Lister<apps::v1::StatefulSet> stateful_sets;
    std::shared_ptr<client::RestMapper> mapper;
  };
  explicit Scales(Deps deps) : deps_(std::move(deps)) {}

  struct Total {
    std::int32_t replicas = 0;           ///< of all controllers together
    std::vector<std::string> unmanaged;  ///< pods that have none
  };
  /// Of pods of one namespace. An error if a controller is gone, or has no scale.
  Result<Total> Of(const client::Client& client, const std::vector<PodRef>& pods) const;

 private:
  using Owner = views::Pod::OwnerReference;
  struct Scale {
    std::string uid;
    std::int32_t replicas = 0;
  };
  /// Nothing if there is no such controller.
  using Found = std::optional<Scale>;

  Result<Found> OfOwner(const client::Client& client, const Owner& owner,
                        const std::string& namespace_) const;
  /// That of its deployment, if it has one.
  Result<Found> OfReplicaSet(const api::ObjectKey& key, std::string_view uid) const;
  Result<Found> FromServer(const client::Client& client, const Owner& owner,
                           const std::string& namespace_) const;

  const Deps deps_;
};

}  // namespace flyball::controllers::disruption

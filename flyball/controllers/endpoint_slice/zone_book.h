#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/controllers/common/pod_address.h"
#include "flyball/controllers/endpoint_slice/zone_hints.h"

namespace flyball::controllers::endpoint_slice {

/// What zones have of the cluster, and which services have hints for them. It is kept because no
/// object says of a service that its hints were given by zone, and so that a change of nodes costs
/// no look at each service. All of it is found out again after a start.
///
/// Any thread.
class ZoneBook {
 public:
  void SetShares(ZoneShares shares);
  ZoneShares shares() const;
  /// The services whose hints no longer go with the zones' shares.
  std::vector<api::ObjectKey> Overloaded() const;

  /// Notes that endpoints of a service have hints; true if it had none until now.
  bool Put(const api::ObjectKey& service, common::IpFamily family, ZoneCounts counts);
  /// Notes that they have none; true if the service had some.
  // PARITY: a service of two families of which one loses its hints is said to have none.
  bool Remove(const api::ObjectKey& service, common::IpFamily family);
  void Forget(const api::ObjectKey& service);

 private:
  struct Hinted {
    std::map<common::IpFamily, ZoneCounts> counts;
    bool told = false;  ///< that it has hints
  };

  mutable Mutex mutex_;
  // PARITY: at first there are no zones, which is another thing than not to know them.
  ZoneShares shares_ FLYBALL_GUARDED_BY(mutex_) = std::map<std::string, double>();
  std::unordered_map<api::ObjectKey, Hinted> services_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::endpoint_slice

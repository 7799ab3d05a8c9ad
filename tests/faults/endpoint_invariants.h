#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/object_key.h"

namespace flyball::faults {

/// What must hold of endpoints at every revision:
///
///   - no address leaves the Endpoints of a service whose pod has been ready, and the service's,
///   for
///     as long as nobody has touched either, which a manager with empty caches might do;
///   - Endpoints never have two mirrors for the same family of addresses and the same ports.
///
/// For one task at a time.
class EndpointInvariants {
 public:
  explicit EndpointInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfPod(const std::string& uid, const std::optional<core::v1::Pod>& pod);
  void TellOfService(const api::ObjectKey& key, const std::optional<core::v1::Service>& service);
  void TellOfEndpoints(const api::ObjectKey& key,
                       const std::optional<core::v1::Endpoints>& endpoints);
  void TellOfSlice(const std::string& uid,
                   const std::optional<discovery::v1::EndpointSlice>& slice);
  /// All is quiet: what has been touched is known to everybody.
  void Checkpoint() {
    touched_pods_.clear();
    touched_services_.clear();
  }

 private:
  struct Pod {
    std::string name;
    bool serves = false;  ///< it is ready, and not on its way out
    api::Map<std::string> labels = {};

    friend bool operator==(const Pod&, const Pod&) = default;
  };
  /// The service, its family, and its ports.
  using Mirrored = std::tuple<api::ObjectKey, std::string, std::string>;

  std::vector<std::string>& violations_;
  std::map<std::string, Pod> pods_;  // by uid
  std::map<api::ObjectKey, api::Map<std::string>> selectors_;
  std::set<std::string> touched_pods_;
  std::set<api::ObjectKey> touched_services_;
  std::map<api::ObjectKey, std::set<std::string>> ready_;  // uids of pods
  std::map<std::string, Mirrored> mirrors_;                // by uid
};

}  // namespace flyball::faults

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"

namespace flyball::faults {

/// What must hold of the EndpointSlices of services at every revision:
///
///   - an address is in one slice of a service and its ports, and no other;
///   - a pod that was in one when all was quiet, and that nobody has changed since, nor its
///   service,
///     stays in one: nobody who sends traffic to it misses it while slices are written. (Where
///     people meddle with slices, have them change the service first.)
///
/// For one task at a time.
class SliceInvariants {
 public:
  explicit SliceInvariants(std::vector<std::string>& violations) : violations_(violations) {}

  void TellOfSlice(const std::string& uid,
                   const std::optional<discovery::v1::EndpointSlice>& slice);
  void TellOfPod(const std::string& name) { changed_pods_.insert(name); }
  void TellOfService(const std::string& name) { changed_services_.insert(name); }
  /// All is quiet.
  void Checkpoint();

 private:
  using Slice = discovery::v1::EndpointSlice;
  void JudgeDoubles(const Slice& written);
  void JudgeMissing(const std::string& service);
  /// The pods in the slices of each service.
  std::map<std::string, std::set<std::string>> PodsByService() const;

  std::vector<std::string>& violations_;
  std::map<std::string, Slice> slices_;  // by uid
  std::map<std::string, std::set<std::string>> quiet_;
  std::set<std::string> changed_pods_;
  std::set<std::string> changed_services_;
};

}  // namespace flyball::faults

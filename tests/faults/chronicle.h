#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/sandbox/api_server.h"
#include "flyball/sandbox/record.h"
#include "flyball/sandbox/storage/storage.h"
#include "tests/parity/witness.h"

namespace flyball::faults {

/// One change of an object on a server.
struct Happening {
  std::string resource;       ///< "apps/replicasets", "pods"
  sandbox::RecordPtr before;  ///< null where it was created
  sandbox::RecordPtr after;   ///< null where it is gone
};

/// All that an embedded server holds and held. It is told of each change in the order of their
/// revisions, before anybody else does anything, so that what it says is never late.
///
/// For a run of a DeterministicExecutor, in which one task runs at a time: it has no locks.
class Chronicle final : public parity::Witness {
 public:
  struct Deps {
    sandbox::ApiServer& server;
    Clock& clock;
    std::function<void(const Happening& happening)> tell;  ///< of each change; may be none
    /// Kinds that it does not look at.
    std::vector<std::string_view> unseen = {};
  };
  Chronicle(Deps deps, const std::vector<client::ServedResource>& served);

  void Follow(const client::ServedResource& served) override;
  bool Shows(const client::Resource& resource, const api::Json& answer) const override;
  parity::World WorldOf(std::string_view scenario) const override;

 private:
  struct Known {
    parity::Reference reference;
    sandbox::RecordPtr record;
    bool present = true;
    std::shared_ptr<const api::Json> tree;  ///< of the record, once somebody has asked for it
  };

  std::unique_ptr<sandbox::Storage::Follower> FollowFrom(const std::string& collection);
  void TakeAll();
  void Put(const sandbox::Change& change);
  /// Empty if it is nobody's.
  std::string ScenarioOf(const Known& known) const;

  const Deps deps_;
  std::set<std::string> followed_;
  std::vector<std::pair<std::string, std::unique_ptr<sandbox::Storage::Follower>>> followers_;
  mutable std::map<std::string, Known> known_;                  // by uid, also those gone
  std::map<std::string, std::string, std::less<>> namespaces_;  // their scenarios
  std::map<std::string, std::string, std::less<>> nodes_;       // likewise
  std::map<std::string, SteadyTime, std::less<>> changed_;      // by scenario
};

}  // namespace flyball::faults

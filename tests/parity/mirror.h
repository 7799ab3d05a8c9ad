#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/client.h"
#include "flyball/client/discovery.h"
#include "tests/parity/witness.h"

namespace flyball::parity {

/// All that a server holds, kept up to date by watching every kind that it has. So scenarios can
/// see what there is, what there was, and when it last changed, without asking.
///
/// Any thread, but for the constructor and the destructor.
class Mirror final : public Witness {
 public:
  struct Deps {
    client::Client client;
    Executor& executor;
    Timers& timers;
  };
  explicit Mirror(const Deps& deps);

  /// Returns when it holds all there is.
  Result<> Start();

  /// Where it can be watched.
  void Follow(const client::ServedResource& served) override;
  bool Shows(const client::Resource& resource, const api::Json& answer) const override;
  World WorldOf(std::string_view scenario) const override;

 private:
  using Tree = std::shared_ptr<const api::Json>;
  struct Known {
    Reference reference;
    Tree tree;
    bool present = true;
  };

  void Put(const client::Resource& resource, const Tree& tree, bool present);
  /// Empty if it is nobody's.
  std::string ScenarioOf(const Known& known) const FLYBALL_REQUIRES(mutex_);

  const Deps deps_;
  mutable Mutex mutex_;
  std::map<std::string, Known> known_ FLYBALL_GUARDED_BY(mutex_);  // by uid, also those gone
  std::map<std::string, std::string> namespaces_ FLYBALL_GUARDED_BY(mutex_);  // their scenarios
  std::map<std::string, std::string> nodes_ FLYBALL_GUARDED_BY(mutex_);       // likewise
  std::map<std::string, SteadyTime, std::less<>> changed_ FLYBALL_GUARDED_BY(mutex_);
  std::set<std::string> followed_ FLYBALL_GUARDED_BY(mutex_);
  cache::InformerFactory informers_;
  std::vector<std::unique_ptr<cache::Registration>> handlers_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::parity

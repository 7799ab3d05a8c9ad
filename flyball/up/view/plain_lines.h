#pragma once

#include <map>
#include <string>
#include <vector>

#include "flyball/up/view/snapshot.h"

namespace flyball::up {

/// What happens in a cluster, a line each, for where there is no screen: logs, pipes, scripts.
class PlainLines {
 public:
  /// What is new since the last snapshot.
  std::vector<std::string> Tell(const Snapshot& now);

 private:
  std::map<std::string, Rollout> rollouts_;  // by kind and name
  std::vector<EventLine> events_;
};

}  // namespace flyball::up

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/base/token_bucket.h"

namespace flyball::controllers::node_lifecycle {

/// The nodes that wait for the taint that drives their pods out, by zone, and whose turn it is. One
/// at a time, as fast as its zone may; the first that came goes first.
///
/// Kept from one look at the nodes to the next, since how fast is a matter of what has been: after
/// a restart each zone begins with one node. Any thread.
class Evictions {
 public:
  /// These nodes of a zone wait, and no others: who is there already keeps its place. So many a
  /// second get their turn; zero: none. Returns those that did not wait before.
  std::vector<std::string> Update(const std::string& zone, const std::vector<std::string>& nodes,
                                  float rate, SteadyTime now);
  /// Forgets zones that there are no more.
  template <typename Zones>
  void KeepOnly(const Zones& zones) {
    MutexLock lock(mutex_);
    std::erase_if(zones_, [&](const auto& zone) { return !zones.contains(zone.first); });
  }

  /// The node whose turn it is, if it is anybody's now. It is until the node is Done(), or waits no
  /// more: what did not succeed is no reason for the next one to wait longer.
  std::optional<std::string> Next(std::string_view zone, SteadyTime now);
  void Done(std::string_view zone, std::string_view node);
  /// Whether somebody waits who will get a turn.
  bool Waits(std::string_view zone) const;

 private:
  struct Zone {
    std::vector<std::string> waiting = {};
    float rate = 0;
    bool has_turn = false;                             ///< the first who waits
    std::optional<TokenBucket> bucket = std::nullopt;  ///< none: nobody gets a turn
  };
  static void SetRate(float rate, bool is_new, SteadyTime now, Zone& zone);

  mutable Mutex mutex_;
  std::map<std::string, Zone, std::less<>> zones_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::controllers::node_lifecycle

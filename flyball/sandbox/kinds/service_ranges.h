#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "flyball/api/names.h"
#include "flyball/base/clock.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"

namespace flyball::sandbox {

/// Numbers that one holder each has, given out at random.
///
/// What is in storage is the truth, and this only the way to find a free one quickly: a number is
/// held as long as its holder is stored and has it, so nothing needs to be given back. A holder
/// whose write is still on its way is taken on trust for a moment. Any thread.
class NumberPool {
 public:
  struct Holder {
    std::string namespace_, name, uid;
    bool only_asks = false;  ///< in a dry run: it is told what it would get, and gets nothing
  };
  /// Whether a stored holder has the number; none: there is no such holder.
  using Stored = std::function<std::optional<bool>(const Holder& holder, std::int64_t number)>;

  /// The first `set_aside` numbers are for those who ask for them, and given out last.
  NumberPool(std::int64_t first, std::int64_t last, std::int64_t set_aside)
      : first_(first), last_(last), set_aside_(set_aside) {}

  bool Contains(std::int64_t number) const { return number >= first_ && number <= last_; }
  /// False if somebody else has it.
  bool Take(std::int64_t number, const Holder& holder, const Stored& stored, WallTime now);
  /// None if all are taken.
  std::optional<std::int64_t> TakeAny(const Holder& holder, const Stored& stored, WallTime now,
                                      const api::RandomBits& random);
  /// Notes what a stored holder has.
  void Learn(std::int64_t number, Holder holder);

 private:
  struct Holding {
    Holder holder;
    std::optional<WallTime> on_trust_since;
  };
  bool IsFree(std::int64_t number, const Stored& stored, WallTime now) FLYBALL_REQUIRES(mutex_);

  const std::int64_t first_;
  const std::int64_t last_;
  const std::int64_t set_aside_;
  Mutex mutex_;
  std::unordered_map<std::int64_t, Holding> held_ FLYBALL_GUARDED_BY(mutex_);
};

/// What services are given: addresses within the cluster, and ports on every node.
class ServiceRanges {
 public:
  struct Options {
    std::string cluster_ips = "10.0.0.0/24";  ///< IPv4; the first address stays free
    std::int32_t first_node_port = 30000;
    std::int32_t last_node_port = 32767;
  };
  explicit ServiceRanges(const Options& options);

  /// Whether an address range is one that Options may have.
  static Result<> Check(const Options& options);

  const std::string& cluster_ips() const { return cluster_ips_; }
  NumberPool& addresses() { return addresses_; }
  NumberPool& ports() { return ports_; }
  std::string ports_text() const;

  /// Calls `load` if it never has: those who were stored by a server before this one.
  void LoadOnce(const std::function<void(ServiceRanges&)>& load);

 private:
  const std::string cluster_ips_;
  const std::int32_t first_port_;
  const std::int32_t last_port_;
  NumberPool addresses_;
  NumberPool ports_;
  Mutex mutex_;
  bool loaded_ FLYBALL_GUARDED_BY(mutex_) = false;
};

/// An IPv4 address as a number, and back.
std::optional<std::int64_t> ParseAddress(std::string_view text);
std::string AddressText(std::int64_t address);

}  // namespace flyball::sandbox

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/base/result.h"

/// What a manager tells of itself at /debug/trace, in its own words: the manager may be of another
/// version than this.
namespace flyball::ctl::trace {

/// One object that was written, or several in a row in the same way.
struct ToldWrite {
  std::string verb;  ///< "create"
  std::string resource;
  std::string subresource = {};
  std::string name = {};  ///< of the first of them
  std::uint32_t times = 1;
  std::optional<ErrorCode> refused = std::nullopt;
  std::string error = {};

  friend bool operator==(const ToldWrite&, const ToldWrite&) = default;
};

/// How far a cache was that was read.
struct ToldRead {
  std::string resource;
  std::string version;
  friend bool operator==(const ToldRead&, const ToldRead&) = default;
};

/// A reconcile of a key; or several, of which there is the same to tell.
struct ToldTurn {
  WallTime time = {};
  std::chrono::nanoseconds took = {};
  std::uint32_t times = 1;
  WallTime since = {};
  std::string cause = {};
  std::uint32_t causes = 0;
  std::vector<ToldRead> reads = {};
  std::vector<std::string> decided = {};
  std::vector<ToldWrite> writes = {};
  std::uint32_t writes_left_out = 0;
  std::string outcome = {};  ///< "done", "again", "later", "failed", "given up"
  std::chrono::nanoseconds again_in = {};
  std::string error = {};

  bool Failed() const { return outcome == "failed" || GaveUp(); }
  bool GaveUp() const { return outcome == "given up"; }
  friend bool operator==(const ToldTurn&, const ToldTurn&) = default;
};

struct ToldKey {
  std::string key;
  std::string state = {};  ///< "idle", "delayed", "waiting", "processing", "held"
  std::chrono::nanoseconds in_state_for = {};
  std::chrono::nanoseconds due_in = {};
  int retries = 0;
  std::vector<ToldTurn> turns = {};  ///< the oldest first
  friend bool operator==(const ToldKey&, const ToldKey&) = default;
};

struct ToldQueue {
  std::string name;
  std::string resource = {};  ///< whose objects the keys name
  std::vector<ToldKey> keys = {};
  friend bool operator==(const ToldQueue&, const ToldQueue&) = default;
};

struct ToldCache {
  std::string resource;
  bool synced = false;
  std::string version = {};
  std::string problem = {};
  friend bool operator==(const ToldCache&, const ToldCache&) = default;
};

struct ToldController {
  std::string name;
  bool running = false;
  std::vector<ToldCache> caches = {};
  std::vector<ToldQueue> queues = {};
  friend bool operator==(const ToldController&, const ToldController&) = default;
};

/// Reads the page. What it does not know in it, it passes over.
Result<std::vector<ToldController>> ReadTold(std::string_view text);

}  // namespace flyball::ctl::trace

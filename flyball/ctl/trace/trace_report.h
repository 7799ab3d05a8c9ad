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
struct ReportedWrite {
  std::string verb;  ///< "create"
  std::string resource;
  std::string subresource = {};
  std::string name = {};  ///< of the first of them
  std::uint32_t times = 1;
  std::optional<ErrorCode> refused = std::nullopt;
  std::string error = {};

  friend bool operator==(const ReportedWrite&, const ReportedWrite&) = default;
};

/// How far a cache was that was read.
struct ReportedRead {
  std::string resource;
  std::string version;
  friend bool operator==(const ReportedRead&, const ReportedRead&) = default;
};

/// A reconcile of a key; or several, of which there is the same to tell.
struct ReportedReconcile {
  WallTime time = {};
  std::chrono::nanoseconds took = {};
  std::uint32_t times = 1;
  WallTime since = {};
  std::string cause = {};
  std::uint32_t causes = 0;
  std::vector<ReportedRead> reads = {};
  std::vector<std::string> decided = {};
  std::vector<ReportedWrite> writes = {};
  std::uint32_t writes_left_out = 0;
  std::string outcome = {};  ///< "done", "again", "later", "failed", "given up"
  std::chrono::nanoseconds requeue_after = {};
  std::string error = {};

  bool Failed() const { return outcome == "failed" || GaveUp(); }
  bool GaveUp() const { return outcome == "given up"; }
  friend bool operator==(const ReportedReconcile&, const ReportedReconcile&) = default;
};

struct ReportedKey {
  std::string key;
  std::string state = {};  ///< "idle", "delayed", "waiting", "processing", "held"
  std::chrono::nanoseconds in_state_for = {};
  std::chrono::nanoseconds due_in = {};
  int retries = 0;
  std::vector<ReportedReconcile> reconciles = {};  ///< the oldest first
  friend bool operator==(const ReportedKey&, const ReportedKey&) = default;
};

struct ReportedQueue {
  std::string name;
  std::string resource = {};  ///< whose objects the keys name
  std::vector<ReportedKey> keys = {};
  friend bool operator==(const ReportedQueue&, const ReportedQueue&) = default;
};

struct ReportedCache {
  std::string resource;
  bool synced = false;
  std::string version = {};
  std::string problem = {};
  friend bool operator==(const ReportedCache&, const ReportedCache&) = default;
};

struct ReportedController {
  std::string name;
  bool running = false;
  std::vector<ReportedCache> caches = {};
  std::vector<ReportedQueue> queues = {};
  friend bool operator==(const ReportedController&, const ReportedController&) = default;
};

/// Reads the page. What it does not know in it, it passes over.
Result<std::vector<ReportedController>> ParseTraceReport(std::string_view text);

}  // namespace flyball::ctl::trace

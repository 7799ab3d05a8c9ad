#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/cache/informer_core.h"
#include "flyball/runtime/queue_report.h"
#include "flyball/runtime/trace/reconcile_record.h"

namespace flyball::runtime {

/// A cache that a controller reads.
struct ReadCache {
  std::string resource;  ///< "replicasets.apps"
  std::shared_ptr<cache::InformerCore> cache;
};

/// What is asked about. Empty: all.
struct TraceQuery {
  std::vector<std::string> controllers = {};
  std::vector<std::string> keys = {};
};

struct KeyTrace {
  KeyReport now;
  std::vector<ReconcileRecord> records = {};  ///< the oldest first
};

struct QueueTrace {
  std::string name;
  std::string resource = {};  ///< whose objects the keys name; empty if not known
  std::vector<KeyTrace> keys = {};
};

struct CacheTrace {
  std::string resource;
  bool synced = false;
  std::string resource_version = {};
  std::string problem = {};  ///< what keeps it from being up to date, at the moment
};

/// What a controller did last, and what it goes by: for people to look at.
struct ControllerTrace {
  std::string name;
  bool running = false;
  std::vector<CacheTrace> caches = {};
  std::vector<QueueTrace> queues = {};
};

using TraceControllers = std::function<std::vector<ControllerTrace>(const TraceQuery& query)>;

}  // namespace flyball::runtime

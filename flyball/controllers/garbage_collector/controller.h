#pragma once

#include <cstddef>
#include <memory>

#include "flyball/runtime/controller.h"

/// Deletes objects whose owners are gone, and sees owners off that are to go with their dependents
/// (in the foreground) or without them (orphaning).
///
///   monitors.h   which resources there are at the time, and a watch on each
///   graph.h      who owns whom, as the watches tell: who is worth a look
///   plan.h       decides what becomes of an object, by what the server says of it and its owners
///   collector.h  asks the server, and does what was decided
///
/// A watch tells the graph of a change -> the graph names those whom it may concern -> they are
/// queued -> the server is asked about each, and it is dealt with.
namespace flyball::controllers::garbage_collector {

struct Options {
  bool enabled = true;       ///< --enable-garbage-collector
  std::size_t workers = 20;  ///< --concurrent-gc-syncs, for each of the two queues
};

/// Null if it is off.
std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::garbage_collector

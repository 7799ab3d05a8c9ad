#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "flyball/runtime/controller.h"
#include "flyball/runtime/series_event_recorder.h"

/// A scheduler, simple but honest about what it looks at: resources, ports, selectors and affinity
/// to nodes, taints, priorities, and volumes if it is asked to. Pods that fit nowhere are told why
/// in upstream's words.
///
///   fit.h               decides whether a pod fits on a node, and why not
///   node_table.h        decides on which of all nodes
///   scheduling_queue.h  decides whose turn it is
///   scheduler.h         does: binds pods, and says so
///   storage/scheduler_volumes.h   the same for volumes
namespace flyball::simulation {

struct SchedulerOptions {
  std::string name = "default-scheduler";  ///< of the pods that are its own: spec.schedulerName
  std::size_t writers = 16;                ///< bindings at a time
  /// Whether it looks at the claims of pods: where their volumes can be had, and which volumes
  /// those get that wait for their first consumer.
  bool volumes = false;
  /// Where it says what it did; must outlive it. Null: nowhere.
  runtime::SeriesEventRecorder* events = nullptr;
};

std::unique_ptr<runtime::Controller> MakeScheduler(const runtime::Controller::Deps& deps,
                                                   const SchedulerOptions& options);

}  // namespace flyball::simulation

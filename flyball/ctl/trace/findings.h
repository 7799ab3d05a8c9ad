#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/ctl/trace/chain.h"
#include "flyball/ctl/trace/trace_report.h"

/// What may be wrong, topic by topic: pure functions from what was seen to what it means.
namespace flyball::ctl::trace {

/// All that was read of the object that is asked about, and of those around it.
struct Observation {
  Chain chain;
  /// What a manager's controllers did and go by; nothing if none was found.
  std::optional<std::vector<ReportedController>> controllers = std::nullopt;
  WallTime now = {};
};

/// Something that keeps an object from being as it should be.
struct Finding {
  std::string cause;                       ///< a sentence
  std::vector<std::string> evidence = {};  ///< where it is seen
  std::string advice = {};                 ///< what to do about it; empty if nothing
  /// What was said, where the same may be heard from several: they are told as one then.
  std::string heard = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};
using Findings = std::vector<Finding>;

/// Controllers that are not there, do not run, cannot read, or get nowhere with one of the objects.
Findings ControllerFindings(const Observation& observation);
/// Objects that are to go and do not.
Findings DeletionFindings(const Observation& observation);
/// What the objects ask for, or say of themselves: paused, selectors, refusals, deadlines.
Findings WorkloadFindings(const Observation& observation);
/// Rollouts that take too long, and what the controllers have not looked at yet: they follow from
/// something else, mostly.
Findings ProgressFindings(const Observation& observation);
/// What keeps pods from being ready.
Findings PodFindings(const Observation& observation);

/// A write that was refused.
struct Refused {
  std::string by_whom;   ///< "replicaset-controller"
  std::string what;      ///< "create pods"
  std::string resource;  ///< "pods"
  /// Nothing if only the text is known, out of a condition or an event.
  std::optional<ErrorCode> code = std::nullopt;
  std::string message;
};
/// What that means.
Finding MeaningOf(const Refused& refused);

/// What a controller knows of an object, among all its keys.
struct KeyAtController {
  const ReportedController* controller;
  const ReportedQueue* queue;
  const ReportedKey* key;
};
std::vector<KeyAtController> KeysOf(const Observation& observation, const Link& link);
std::vector<KeyAtController> KeysOf(const Observation& observation, const core::v1::Pod& pod);

/// The controller that looks after objects of a resource; empty if it is none of the cluster's own.
std::string_view ControllerFor(std::string_view resource);

}  // namespace flyball::ctl::trace

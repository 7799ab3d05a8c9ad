#pragma once

#include <chrono>
#include <memory>

#include "flyball/runtime/controller.h"

/// Binds claims to volumes, has provisioners make volumes where there are none, and says what has
/// become of both.
///
///   annotations.h    what is said by annotations, and asked of claims and volumes by all
///   volume_match.h   decides which volume a claim gets
///   claim_plan.h     decides what is to be done about a claim
///   volume_plan.h    decides what is to be done about a volume
///   claim_binding.h  the objects that a binding is written as
///   writer.h         writes them
///
/// Reads claims, volumes, storage classes and pods; writes claims, volumes and the status of both.
/// A volume names its claim and a claim its volume; the first is written first. It never deletes a
/// volume, and takes nobody's word but the server's for a claim or a volume being gone.
namespace flyball::controllers::volume_binder {

struct Options {
  std::chrono::nanoseconds sync_period = std::chrono::seconds(15);  ///< --pvclaimbinder-sync-period
  bool provisions = true;  ///< --enable-dynamic-provisioning
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::volume_binder

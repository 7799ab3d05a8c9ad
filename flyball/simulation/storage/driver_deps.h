#pragma once

#include <optional>
#include <string>
#include <utility>

#include "flyball/base/result.h"
#include "flyball/runtime/controller.h"
#include "flyball/simulation/storage/storage_script.h"

namespace flyball::simulation {

/// What the parts of a simulated driver have in common.
struct DriverOptions {
  std::string driver;
  StorageTimings timings = {};
  std::size_t workers = 8;  ///< steps that are written at a time, of each kind
};

/// The script of a step; one that cannot be read counts as none, and is named in the log.
inline StepScript ReadScript(const runtime::Context& context, StorageStep step,
                             const api::Map<std::string>& annotations,
                             const storage::v1::StorageClass* storage_class,
                             const StorageTimings& timings) {
  auto script = ScriptOf(step, annotations, storage_class, timings);
  if (script) return *std::move(script);
  context.log().Error(script.error(), "Ignoring invalid storage simulation script");
  return *ScriptOf(step, {}, nullptr, timings);
}

/// Somebody else wrote at the same time, or it is gone: what it has become is looked at anew.
inline Result<runtime::Outcome> LookAnew(const Error& error) {
  if (error.code() == ErrorCode::kConflict || error.code() == ErrorCode::kNotFound) {
    return runtime::Outcome::RequeueWithBackoff();
  }
  return std::unexpected(error);
}

}  // namespace flyball::simulation

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/api/core/v1.h"
#include "flyball/api/storage/v1.h"
#include "flyball/base/result.h"

namespace flyball::simulation {

/// What takes time and may fail behind the volumes of a simulated driver.
enum class StorageStep : std::uint8_t { kProvision, kDelete, kAttach, kDetach, kResize };

/// How long each takes, where nobody says otherwise.
struct StorageTimings {
  std::chrono::nanoseconds provision = std::chrono::milliseconds(300);
  std::chrono::nanoseconds remove = std::chrono::milliseconds(200);
  std::chrono::nanoseconds attach = std::chrono::milliseconds(300);
  std::chrono::nanoseconds detach = std::chrono::milliseconds(200);
  std::chrono::nanoseconds resize = std::chrono::milliseconds(300);

  friend bool operator==(const StorageTimings&, const StorageTimings&) = default;
};

/// What is to become of one step.
struct StepScript {
  std::chrono::nanoseconds delay = {};
  std::string error = {};  ///< what the driver says each time; empty: it does what it is asked

  friend bool operator==(const StepScript&, const StepScript&) = default;
};

/// The annotation, or parameter of a storage class, that says so: "provision-error" with the prefix
/// of all that is read here.
std::string DelayAnnotation(StorageStep step);
std::string ErrorAnnotation(StorageStep step);

/// What a claim or a volume says by its annotations; what it does not say its class may say by its
/// parameters, and what nobody says is as the timings have it. An error names what cannot be read.
Result<StepScript> ScriptOf(StorageStep step, const api::Map<std::string>& annotations,
                            const storage::v1::StorageClass* storage_class,
                            const StorageTimings& timings);

/// Those of a claim's annotations that are about its volume, and that are written on it when it is
/// made: what its deletion and attachments are to come to.
api::Map<std::string> ScriptOfVolume(const core::v1::PersistentVolumeClaim& claim);

}  // namespace flyball::simulation

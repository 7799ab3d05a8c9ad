#include "flyball/simulation/storage/storage_script.h"

#include "flyball/api/duration.h"

namespace flyball::simulation {
namespace {

using std::chrono::nanoseconds;

std::string_view NameOf(StorageStep step) {
  switch (step) {
    case StorageStep::kProvision:
      return "provision";
    case StorageStep::kDelete:
      return "delete";
    case StorageStep::kAttach:
      return "attach";
    case StorageStep::kDetach:
      return "detach";
    case StorageStep::kResize:
      return "resize";
  }
  return "";
}

nanoseconds UsualDelay(StorageStep step, const StorageTimings& timings) {
  switch (step) {
    case StorageStep::kProvision:
      return timings.provision;
    case StorageStep::kDelete:
      return timings.remove;
    case StorageStep::kAttach:
      return timings.attach;
    case StorageStep::kDetach:
      return timings.detach;
    case StorageStep::kResize:
      return timings.resize;
  }
  return {};
}

std::string Annotation(StorageStep step, std::string_view what) {
  return "simulation.flyball.dev/" + std::string(NameOf(step)) + "-" + std::string(what);
}

}  // namespace

std::string DelayAnnotation(StorageStep step) { return Annotation(step, "delay"); }
std::string ErrorAnnotation(StorageStep step) { return Annotation(step, "error"); }

Result<StepScript> ScriptOf(StorageStep step, const api::Map<std::string>& annotations,
                            const storage::v1::StorageClass* storage_class,
                            const StorageTimings& timings) {
  const auto find = [&](const std::string& key) -> const std::string* {
    if (const std::string* const own = annotations.find(key)) return own;
    return storage_class == nullptr ? nullptr : storage_class->parameters.find(key);
  };
  StepScript script{.delay = UsualDelay(step, timings)};
  const std::string key = DelayAnnotation(step);
  if (const std::string* const text = find(key)) {
    const auto parsed = api::ParseDuration(*text);
    if (!parsed || *parsed < nanoseconds::zero()) {
      return Fail(ErrorCode::kInvalid, key + ": \"" + *text + "\" is not a duration");
    }
    script.delay = *parsed;
  }
  if (const std::string* const text = find(ErrorAnnotation(step))) script.error = *text;
  return script;
}

api::Map<std::string> ScriptOfVolume(const core::v1::PersistentVolumeClaim& claim) {
  api::Map<std::string> script;
  for (const StorageStep step :
       {StorageStep::kDelete, StorageStep::kAttach, StorageStep::kDetach}) {
    for (const std::string& key : {DelayAnnotation(step), ErrorAnnotation(step)}) {
      if (const std::string* const text = claim.metadata.annotations.find(key)) {
        script.insert_or_assign(key, *text);
      }
    }
  }
  return script;
}

}  // namespace flyball::simulation

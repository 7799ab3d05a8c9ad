#include "flyball/sandbox/deletion.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "flyball/base/saturating.h"
#include "flyball/sandbox/write_options.h"

namespace flyball::sandbox {
namespace {

using meta::v1::DeleteOptions;
using meta::v1::ObjectMeta;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool Has(const ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers, finalizer) != metadata.finalizers.end();
}

/// Whether what the object owns is to stay.
bool LeavesDependents(const Kind& kind, const ObjectMeta& metadata, const DeleteOptions& options) {
  if (options.orphanDependents) return *options.orphanDependents;
  if (options.propagationPolicy) return *options.propagationPolicy == "Orphan";
  if (Has(metadata, kOrphan)) return true;
  if (Has(metadata, kForeground)) return false;
  return kind.facts().orphans;
}

/// Whether what the object owns is to go first.
bool WaitsForDependents(const ObjectMeta& metadata, const DeleteOptions& options) {
  if (options.orphanDependents) return false;
  if (options.propagationPolicy) return *options.propagationPolicy == "Foreground";
  return Has(metadata, kForeground) && !Has(metadata, kOrphan);
}

std::chrono::nanoseconds Grace(std::int64_t seconds) {
  return SaturatingNanoseconds(std::chrono::seconds(seconds));
}

void Mark(ObjectMeta& metadata, std::int64_t grace, WallTime now) {
  metadata.deletionTimestamp = (api::Time(now) + Grace(grace)).WholeSeconds();
  metadata.deletionGracePeriodSeconds = grace;
  if (metadata.generation > 0) ++metadata.generation;
}

/// A second DELETE can only hurry it. Says whether it did.
bool Hurry(ObjectMeta& metadata, std::int64_t grace, WallTime now) {
  const std::int64_t given = *metadata.deletionGracePeriodSeconds;
  if (grace >= given) return false;
  const api::Time start = *metadata.deletionTimestamp - Grace(given);
  api::Time end = start + Grace(grace);
  if (end < api::Time(now)) {
    end = api::Time(now);
    if (grace != 0) grace = 1;
  }
  metadata.deletionTimestamp = end.WholeSeconds();
  metadata.deletionGracePeriodSeconds = grace;
  return true;
}

StatusOr<> CheckPreconditions(const Kind& kind, const ObjectMeta& metadata,
                              const DeleteOptions& options) {
  if (!options.preconditions) return {};
  const auto& wanted = *options.preconditions;
  const ResourceName name{kind.group(), kind.name()};
  if (wanted.uid && *wanted.uid != metadata.uid) {
    return std::unexpected(Conflict(
        name, metadata.name,
        "the UID in the precondition (" + *wanted.uid + ") does not match the UID in record (" +
            metadata.uid + "). The object might have been deleted and then recreated"));
  }
  if (wanted.resourceVersion && *wanted.resourceVersion != metadata.resourceVersion) {
    return std::unexpected(
        Conflict(name, metadata.name,
                 "the ResourceVersion in the precondition (" + *wanted.resourceVersion +
                     ") does not match the ResourceVersion in record (" + metadata.resourceVersion +
                     "). The object might have been modified"));
  }
  return {};
}

}  // namespace

bool SetCollectorFinalizers(const Kind& kind, ObjectMeta& metadata, const DeleteOptions& options) {
  const bool orphan = LeavesDependents(kind, metadata, options);
  const bool foreground = WaitsForDependents(metadata, options);
  std::vector<std::string> finalizers;
  for (const std::string& finalizer : metadata.finalizers) {
    if (finalizer != kOrphan && finalizer != kForeground) finalizers.push_back(finalizer);
  }
  if (orphan) finalizers.emplace_back(kOrphan);
  if (foreground) finalizers.emplace_back(kForeground);
  const bool changed = finalizers.size() != metadata.finalizers.size() ||
                       orphan != Has(metadata, kOrphan) || foreground != Has(metadata, kForeground);
  if (changed) metadata.finalizers = std::move(finalizers);
  return changed;
}

StatusOr<> CheckDeleteOptions(const DeleteOptions& options) {
  FieldErrors errors;
  if (options.propagationPolicy) {
    const std::string& policy = *options.propagationPolicy;
    if (options.orphanDependents) {
      errors.push_back(
          FieldError::Invalid("propagationPolicy", policy,
                              "orphanDependents and deletionPropagation cannot be both set"));
    } else if (policy != "Foreground" && policy != "Background" && policy != "Orphan") {
      errors.push_back(FieldError::NotSupported("propagationPolicy", policy,
                                                {"Foreground", "Background", "Orphan", "nil"}));
    }
  }
  CheckDryRun(options.dryRun, errors);
  if (errors.empty()) return {};
  return std::unexpected(Invalid("meta.k8s.io", "DeleteOptions", "", errors));
}

StatusOr<Deletion> Delete(const Kind& kind, ObjectMeta& metadata, const DeleteOptions& options,
                          std::optional<std::int64_t> grace, WallTime now) {
  FLYBALL_TRY(CheckPreconditions(kind, metadata, options));
  Deletion deletion;
  std::optional<std::int64_t> asked = options.gracePeriodSeconds;
  if (asked && *asked < 0) asked = 1;
  const bool marked = metadata.deletionTimestamp.has_value();
  deletion.changed = SetCollectorFinalizers(kind, metadata, options);
  if (marked) {
    const bool in_grace = metadata.deletionGracePeriodSeconds.value_or(0) > 0;
    if (in_grace && grace) {
      // A kind without grace has no one who would end it: there only finalizers count.
      if (!asked || !Hurry(metadata, *asked, now)) {
        deletion.result = deletion.changed ? DeletionResult::kMarked : DeletionResult::kNothing;
        return deletion;
      }
      deletion.changed = true;
      if (*metadata.deletionGracePeriodSeconds > 0) {
        deletion.result = DeletionResult::kMarked;
        return deletion;
      }
    }
  } else {
    const std::int64_t given = grace.value_or(0);
    // What knows a time of grace is marked even if it has none.
    if (grace || !metadata.finalizers.empty()) {
      Mark(metadata, given, now);
      deletion.changed = true;
    }
    if (given > 0) {
      deletion.result = DeletionResult::kMarked;
      return deletion;
    }
  }
  if (metadata.finalizers.empty()) return deletion;
  deletion.result = deletion.changed ? DeletionResult::kMarked : DeletionResult::kNothing;
  return deletion;
}

bool IsDone(const ObjectMeta& metadata) {
  return metadata.deletionTimestamp && metadata.finalizers.empty() &&
         metadata.deletionGracePeriodSeconds.value_or(0) == 0;
}

}  // namespace flyball::sandbox

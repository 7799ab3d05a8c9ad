#include "flyball/ctl/scale.h"

#include <chrono>

#include "flyball/ctl/dry_run.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl {
namespace {

/// Whether there is what must be there for it to be scaled.
Result<> CheckPreconditions(const ScaleOptions& options, const Json& scale) {
  const auto expected = [](std::string_view what, const std::string& wanted,
                           const std::string& found) {
    return std::unexpected(
        UsageError("Expected " + std::string(what) + " to be " + wanted + ", was " + found));
  };
  const std::int64_t replicas = NumberAt(scale, {"spec", "replicas"});
  if (options.current_replicas >= 0 && replicas != options.current_replicas) {
    return expected("replicas", std::to_string(options.current_replicas), std::to_string(replicas));
  }
  const std::string version = TextAt(scale, {"metadata", "resourceVersion"});
  if (!options.resource_version.empty() && version != options.resource_version) {
    return expected("resource version", options.resource_version, version);
  }
  return {};
}

Result<> ScaleOnce(Cluster& cluster, const ScaleOptions& options, const Selected& each,
                   DryRun dry_run) {
  const client::Resource& resource = each.resource->resource;
  if (options.current_replicas < 0 && options.resource_version.empty()) {
    const Json patch = Json::Object{{"spec", Json::Object{{"replicas", options.replicas}}}};
    meta::v1::PatchOptions how;
    how.dryRun = DryRunOption(dry_run);
    FLYBALL_TRY(cluster.Patch(resource, each.key, client::Patch::Merge(patch), how, "scale"));
    return {};
  }
  FLYBALL_TRY(Json scale, cluster.Get(resource, each.key, "scale"));
  FLYBALL_TRY(CheckPreconditions(options, scale));
  MakeField(scale, {"spec", "replicas"}) = options.replicas;
  meta::v1::UpdateOptions how;
  how.dryRun = DryRunOption(dry_run);
  FLYBALL_TRY(cluster.Update(resource, each.key, scale, "scale", how));
  return {};
}

/// Again where somebody else wrote in between, for five minutes.
Result<> ScaleOne(Cluster& cluster, const ScaleOptions& options, const Selected& each,
                  DryRun dry_run) {
  const SteadyTime deadline = cluster.clock().DeadlineAfter(std::chrono::minutes(5));
  for (;;) {
    const auto scaled = ScaleOnce(cluster, options, each, dry_run);
    const bool conflict = !scaled && scaled.error().code() == ErrorCode::kConflict;
    if (!conflict || cluster.clock().SteadyNow() >= deadline) return scaled;
    cluster.clock().SleepFor(std::chrono::seconds(1));
  }
}

Result<> ScaleAll(Cluster& cluster, const ScaleOptions& options, Errors& errors) {
  if (options.replicas < 0) {
    return std::unexpected(UsageError(
        "The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0"));
  }
  if (options.current_replicas < -1) {
    return std::unexpected(
        UsageError("The --current-replicas must specify an integer of -1 or greater"));
  }
  FLYBALL_TRY(const DryRun dry_run, ParseDryRun(options.dry_run));
  FLYBALL_TRY(const auto selected,
              Select(cluster, options.selection,
                     options.all ? BareType::kEverything : BareType::kMistake, errors));
  if (selected.size() > 1 && !options.resource_version.empty()) {
    return std::unexpected(UsageError("cannot use --resource-version with multiple resources"));
  }
  if (selected.empty() && errors.empty()) {
    return std::unexpected(UsageError("no objects passed to scale"));
  }
  for (const Selected& each : selected) {
    // PARITY: an object that is not there keeps none of the others from being scaled; a refusal
    // does.
    const auto found = cluster.Get(each.resource->resource, each.key);
    if (!found) {
      errors.push_back(found.error());
      continue;
    }
    if (dry_run != DryRun::kClient) FLYBALL_TRY(ScaleOne(cluster, options, each, dry_run));
    cluster.console().out << KindText(each.resource->resource) << "/" << each.key.name;
    if (options.output != "name") {
      cluster.console().out << " " << OperationText("scaled", dry_run);
    }
    cluster.console().out << "\n";
  }
  return {};
}

}  // namespace

Errors Scale(Cluster& cluster, const ScaleOptions& options) {
  Errors errors;
  if (const auto scaled = ScaleAll(cluster, options, errors); !scaled) {
    errors.insert(errors.begin(), scaled.error());
  }
  return errors;
}

}  // namespace flyball::ctl

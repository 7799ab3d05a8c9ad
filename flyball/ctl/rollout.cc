#include "flyball/ctl/rollout.h"

#include <functional>
#include <utility>

#include "flyball/api/apps/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/label_selector.h"
#include "flyball/api/time.h"
#include "flyball/ctl/apply_plan.h"
#include "flyball/ctl/describe/pod_template.h"
#include "flyball/ctl/dry_run.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/object_printer.h"
#include "flyball/ctl/resource_argument.h"
#include "flyball/ctl/rollout_history.h"
#include "flyball/ctl/rollout_status.h"

namespace flyball::ctl {
namespace {

const client::Resource kReplicaSets = client::Resource::Of<apps::v1::ReplicaSet>();

using EachObject = std::function<Result<>(const Selected& selected, const Json& object)>;

/// Does something with each object that is meant, and goes on after an error.
Errors ForEach(Cluster& cluster, const RolloutOptions& options, const EachObject& each) {
  if (options.selection.empty()) return {UsageError("required resource not specified")};
  if (options.revision < 0) {
    return {UsageError("revision must be a positive integer: " + std::to_string(options.revision))};
  }
  Errors errors;
  const auto selected = Select(cluster, options.selection, BareType::kEverything, errors);
  if (!selected) return {selected.error()};
  for (const Selected& one : *selected) {
    const auto object = cluster.Get(one.resource->resource, one.key);
    const Result<> done = object ? each(one, *object) : std::unexpected(object.error());
    if (!done) errors.push_back(done.error());
  }
  if (selected->empty() && errors.empty()) {
    cluster.console().err << "No resources found in " << cluster.namespace_() << " namespace.\n";
  }
  return errors;
}

void Say(Cluster& cluster, const Json& object, std::string_view operation) {
  cluster.console().out << NameText(object) << " " << operation << "\n";
}

/// Follows one object until its rollout is done.
Result<> Follow(Cluster& cluster, const RolloutOptions& options, const Selected& one) {
  const SteadyTime deadline = cluster.clock().DeadlineAfter(
      options.timeout.count() > 0 ? options.timeout : std::chrono::hours(168));
  const client::Resource& resource = one.resource->resource;
  meta::v1::ListOptions list;
  list.fieldSelector = "metadata.name=" + one.key.name;
  std::string shown;  // the version that was
  bool done = false;
  Result<> failed;
  const auto show = [&](const Json& object) {
    const std::string version = TextAt(object, {"metadata", "resourceVersion"});
    if (std::exchange(shown, version) == version) return;
    const auto state = StateOfRollout(object, options.revision);
    if (!state) {
      failed = std::unexpected(state.error());
      return;
    }
    cluster.console().out << state->text << std::flush;
    done = state->done || !options.watch;
  };
  for (;;) {
    FLYBALL_TRY(const auto objects, cluster.ListObjects(resource, one.key.namespace_, list));
    if (objects.empty()) return std::unexpected(UsageError("object has been deleted"));
    show(objects.front());
    if (done || !failed) return failed;
    const auto left = deadline - cluster.clock().SteadyNow();
    if (left.count() <= 0) {
      return Fail(ErrorCode::kTimeout, "timed out waiting for the condition");
    }
    meta::v1::ListOptions watch = list;
    watch.resourceVersion = shown;
    watch.timeoutSeconds = std::chrono::ceil<std::chrono::seconds>(left).count();
    const auto watched =
        cluster.Watch(resource, one.key.namespace_, watch, Cluster::Form::kObjects,
                      [&](client::EventType type, const Json& object) {
                        if (type == client::EventType::kDeleted) {
                          failed = std::unexpected(UsageError("object has been deleted"));
                        } else if (type != client::EventType::kBookmark) {
                          show(object);
                        }
                        return !done && failed.has_value();
                      });
    // A version that the server no longer remembers is not an end: what there is now is listed.
    if (!watched && watched.error().code() != ErrorCode::kGone) return watched;
    if (done || !failed) return failed;
  }
}

Result<std::vector<Json>> HistoryOf(Cluster& cluster, const Json& object) {
  if (TextAt(object, {"kind"}) != "Deployment") {
    return std::unexpected(UsageError("no history viewer has been implemented for \"" +
                                      TextAt(object, {"kind"}) + "\""));
  }
  FLYBALL_TRY(const auto deployment, api::DecodeJson<apps::v1::Deployment>(object.ToString()));
  FLYBALL_TRY(const api::Selector selector, api::Selector::FromMessage(deployment.spec.selector));
  meta::v1::ListOptions list;
  list.labelSelector = selector.ToString();
  FLYBALL_TRY(auto sets,
              cluster.ListObjects(kReplicaSets, TextAt(object, {"metadata", "namespace"}), list));
  return ControlledBy(object, std::move(sets));
}

Result<> Undo(Cluster& cluster, const RolloutOptions& options, const Selected& one,
              const Json& object) {
  if (HasLastApplied(object)) {
    cluster.console().err
        << "Warning: resource " << one.resource->resource.plural << "/" << one.key.name
        << " was previously managed with 'kubectl apply'. Rolling back will not update the "
        << kLastApplied
        << " annotation, which may cause unexpected behavior on future 'kubectl apply' operations. "
           "Consider using 'kubectl apply' with your previous configuration file instead.\n";
  }
  FLYBALL_TRY(const DryRun dry_run, ParseDryRun(options.dry_run));
  FLYBALL_TRY(const auto history, HistoryOf(cluster, object));
  FLYBALL_TRY(const Json set, ReplicaSetAt(object, history, options.revision));
  if (const Json* paused = FieldAt(object, {"spec", "paused"});
      paused != nullptr && *paused == Json(true)) {
    return std::unexpected(
        UsageError("you cannot rollback a paused deployment; resume it first "
                   "with 'kubectl rollout resume' and try again"));
  }
  if (SameTemplate(object, set)) {
    Say(cluster, object,
        OperationText("skipped rollback (current template already matches revision " +
                          std::to_string(options.revision) + ")",
                      dry_run));
    return {};
  }
  if (dry_run != DryRun::kClient) {
    meta::v1::PatchOptions how;
    how.dryRun = DryRunOption(dry_run);
    FLYBALL_TRY(cluster.Patch(one.resource->resource, one.key, UndoPatch(object, set), how));
  }
  Say(cluster, object, OperationText("rolled back", dry_run));
  return {};
}

std::unexpected<Error> Cannot(const Selected& one, std::string_view why) {
  return std::unexpected(UsageError("error: " + one.resource->resource.QualifiedName() + " \"" +
                                    one.key.name + "\" " + std::string(why)));
}

Result<> PatchAndSay(Cluster& cluster, const Selected& one, const Json& patch,
                     std::string_view operation) {
  meta::v1::PatchOptions how;
  how.fieldManager = "kubectl-rollout";
  const auto patched =
      cluster.Patch(one.resource->resource, one.key, client::Patch::Strategic(patch), how);
  if (!patched) {
    return std::unexpected(UsageError("failed to patch: " + patched.error().message()));
  }
  Say(cluster, *patched, operation);
  return {};
}

bool IsPaused(const Json& object) {
  const Json* const paused = FieldAt(object, {"spec", "paused"});
  return paused != nullptr && *paused == Json(true);
}

Errors SetPaused(Cluster& cluster, const RolloutOptions& options, bool paused) {
  return ForEach(cluster, options, [&](const Selected& one, const Json& object) -> Result<> {
    if (one.resource->resource.kind != "Deployment") {
      return Cannot(one, paused ? "pausing is not supported" : "resuming is not supported");
    }
    if (IsPaused(object) == paused) {
      return Cannot(one, paused ? "is already paused" : "is not paused");
    }
    const Json value = paused ? Json(true) : Json();
    const Json patch = Json::Object{{"spec", Json::Object{{"paused", value}}}};
    return PatchAndSay(cluster, one, patch, paused ? "paused" : "resumed");
  });
}

}  // namespace

Errors RolloutStatus(Cluster& cluster, const RolloutOptions& options) {
  return ForEach(cluster, options,
                 [&](const Selected& one, const Json&) { return Follow(cluster, options, one); });
}

Errors RolloutHistory(Cluster& cluster, const RolloutOptions& options) {
  return ForEach(cluster, options, [&](const Selected&, const Json& object) -> Result<> {
    FLYBALL_TRY(const auto history, HistoryOf(cluster, object));
    if (options.revision == 0) {
      Say(cluster, object, "\n" + HistoryText(history));
      return {};
    }
    const auto set = ReplicaSetAt(object, history, options.revision);
    if (!set) return std::unexpected(UsageError("unable to find the specified revision"));
    FLYBALL_TRY(const auto typed, api::DecodeJson<apps::v1::ReplicaSet>(set->ToString()));
    Say(cluster, object,
        "with revision #" + std::to_string(options.revision) + "\n" +
            describe::PodTemplateText(typed.spec.template_));
    return {};
  });
}

Errors RolloutUndo(Cluster& cluster, const RolloutOptions& options) {
  return ForEach(cluster, options, [&](const Selected& one, const Json& object) {
    return Undo(cluster, options, one, object);
  });
}

Errors RolloutRestart(Cluster& cluster, const RolloutOptions& options) {
  return ForEach(cluster, options, [&](const Selected& one, const Json& object) -> Result<> {
    const std::string& kind = one.resource->resource.kind;
    if (kind != "Deployment" && kind != "DaemonSet" && kind != "StatefulSet") {
      return Cannot(one, "restarting is not supported");
    }
    if (IsPaused(object)) {
      return Cannot(one, "can't restart paused deployment (run rollout resume first)");
    }
    Json patch;
    MakeField(patch, {"spec", "template", "metadata", "annotations",
                      "kubectl.kubernetes.io/restartedAt"}) =
        api::Time(cluster.clock().WallNow()).ToString();
    return PatchAndSay(cluster, one, patch, "restarted");
  });
}

Errors RolloutPause(Cluster& cluster, const RolloutOptions& options) {
  return SetPaused(cluster, options, true);
}

Errors RolloutResume(Cluster& cluster, const RolloutOptions& options) {
  return SetPaused(cluster, options, false);
}

}  // namespace flyball::ctl

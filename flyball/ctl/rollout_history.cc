#include "flyball/ctl/rollout_history.h"

#include <algorithm>
#include <map>

#include "flyball/ctl/apply_plan.h"
#include "flyball/ctl/error_text.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/rollout_status.h"
#include "flyball/ctl/tab_writer.h"

namespace flyball::ctl {
namespace {

using api::Json;

constexpr std::string_view kHashLabel = "pod-template-hash";

/// Annotations that a Deployment keeps when it goes back.
constexpr std::string_view kKeptAnnotations[] = {
    kLastApplied,
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
};

Json TemplateOf(const Json& object) {
  const Json* const found = FieldAt(object, {"spec", "template"});
  Json pod = found == nullptr ? Json(Json::Object()) : WithoutNulls(*found);
  RemoveField(pod, {"metadata", "labels", kHashLabel});
  return pod;
}

}  // namespace

std::vector<Json> ControlledBy(const Json& owner, std::vector<Json> objects) {
  const std::string uid = TextAt(owner, {"metadata", "uid"});
  std::erase_if(objects, [&](const Json& object) {
    return std::ranges::none_of(ListAt(object, {"metadata", "ownerReferences"}),
                                [&](const Json& reference) {
                                  const Json* const controls = reference.Find("controller");
                                  return controls != nullptr && *controls == Json(true) &&
                                         TextAt(reference, {"uid"}) == uid;
                                });
  });
  return objects;
}

std::string HistoryText(const std::vector<Json>& replica_sets) {
  std::map<std::int64_t, std::string> causes;
  for (const Json& set : replica_sets) {
    const auto revision = RevisionOf(set);
    if (!revision) continue;
    const std::string cause =
        TextAt(set, {"metadata", "annotations", "kubernetes.io/change-cause"});
    causes[*revision] = cause.empty() ? "<none>" : cause;
  }
  if (causes.empty()) return "No rollout history found.";
  std::string lines = "REVISION\tCHANGE-CAUSE\n";
  for (const auto& [revision, cause] : causes) {
    lines += std::to_string(revision) + "\t" + cause + "\n";
  }
  return TabWriter::ForDescriptions().Align(lines);
}

Result<Json> ReplicaSetAt(const Json& deployment, const std::vector<Json>& replica_sets,
                          std::int64_t revision) {
  std::map<std::int64_t, const Json*> by_revision;
  for (const Json& set : replica_sets) {
    if (const auto of_set = RevisionOf(set)) by_revision[*of_set] = &set;
  }
  if (revision != 0) {
    const auto found = by_revision.find(revision);
    if (found != by_revision.end()) return *found->second;
    return std::unexpected(UsageError("unable to find specified revision " +
                                      std::to_string(revision) + " in history"));
  }
  if (by_revision.size() < 2) {
    return std::unexpected(
        UsageError("no rollout history found for deployment \"" + NameOf(deployment) + "\""));
  }
  return *std::prev(by_revision.end(), 2)->second;
}

bool SameTemplate(const Json& deployment, const Json& replica_set) {
  return TemplateOf(deployment) == TemplateOf(replica_set);
}

client::Patch UndoPatch(const Json& deployment, Json replica_set) {
  const auto kept = [](std::string_view name) {
    return std::ranges::find(kKeptAnnotations, name) != std::end(kKeptAnnotations);
  };
  Json::Object annotations;
  for (const auto& [name, value] : MembersAt(deployment, {"metadata", "annotations"})) {
    if (kept(name)) annotations[name] = value;
  }
  for (const auto& [name, value] : MembersAt(replica_set, {"metadata", "annotations"})) {
    if (!kept(name)) annotations[name] = value;
  }
  RemoveField(replica_set, {"spec", "template", "metadata", "labels", kHashLabel});
  const auto replace = [](std::string_view path, Json value) {
    return Json::Object{{"op", "replace"}, {"path", path}, {"value", std::move(value)}};
  };
  const Json patch =
      Json::Array{replace("/spec/template", MakeField(replica_set, {"spec", "template"})),
                  replace("/metadata/annotations", std::move(annotations))};
  return {client::PatchType::kJson, patch.ToString()};
}

}  // namespace flyball::ctl

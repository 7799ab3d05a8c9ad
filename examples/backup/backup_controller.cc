#include "backup_controller.h"

#include "flyball/api/core/v1.h"
#include "flyball/crds/keep/v1.h"
#include "flyball/operator/operator.h"

namespace backup {
namespace {

using flyball::ObjectKey;
using flyball::Outcome;
using flyball::ReconcileContext;
using flyball::Result;
using flyball::api::Json;
using flyball::core::v1::ConfigMap;
using flyball::core::v1::Secret;
using flyball::keep::v1::Backup;

constexpr char kLabel[] = "keep.example.com/backup";

/// The Backup to reconcile when a labelled object changes. Only config maps are watched: of other
/// kinds a copy may be ten minutes old.
std::vector<ObjectKey> BackupsOf(const ConfigMap& map) {
  const std::string* const name = map.metadata.labels.find(kLabel);
  if (name == nullptr) return {};
  return {{map.metadata.namespace_, *name}};
}

flyball::client::Resource ResourceOf(const Backup& backup) {
  flyball::client::Resource resource;
  resource.group = backup.spec.group.value_or("");
  resource.version = backup.spec.version;
  resource.plural = backup.spec.resource;
  return resource;
}

/// Less what would keep a manifest from being applied again.
Json ManifestOf(Json object) {
  auto& members = *object.If<Json::Object>();
  members.erase("status");
  for (const char* const name : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    members["metadata"].If<Json::Object>()->erase(name);
  }
  return object;
}

Result<Outcome> Reconcile(ReconcileContext& context, const Backup& backup) {
  const auto& space = backup.metadata.namespace_;
  flyball::meta::v1::ListOptions labelled;
  labelled.labelSelector = std::string(kLabel) + "=" + backup.metadata.name;
  FLYBALL_TRY(const auto found,
              context.client().Dynamic(ResourceOf(backup)).ListIn(space, labelled));

  Secret copy;
  copy.metadata.name = backup.metadata.name + "-backup";
  for (const Json& object : found.items) {
    const std::string name(flyball::api::IdentityOf(object).name);
    copy.data[name + ".json"] = ManifestOf(object).ToString();
  }
  FLYBALL_TRY(context.Apply(copy));

  auto status = flyball::StatusOf(backup);
  status.kept = static_cast<std::int32_t>(found.items.size());
  FLYBALL_TRY(context.SetStatus(backup, status));
  return Outcome::RequeueAfter(std::chrono::minutes(10));
}

}  // namespace

void AddBackupController(flyball::Manager& manager) {
  flyball::ControllerBuilder<Backup>(manager, "backup")
      .When(flyball::SpecChanged<Backup>())
      .Owns<Secret>()
      .Watches<ConfigMap>(BackupsOf)
      .Reconcile(Reconcile);
}

}  // namespace backup

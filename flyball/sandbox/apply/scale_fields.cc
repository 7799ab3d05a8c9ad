#include "flyball/sandbox/apply/scale_fields.h"

namespace flyball::sandbox::apply {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

Path ReplicasOfScale() { return {PathElement::Field("spec"), PathElement::Field("replicas")}; }

FieldSet Only(const Path& path) {
  FieldSet set;
  set.Insert(path);
  return set;
}

}  // namespace

Result<Entries> EntriesOfScale(const Entries& entries, const ReplicasPaths& paths) {
  FLYBALL_TRY(ManagerList managers, ManagerList::Read(entries));
  std::erase_if(managers.all(), [&](const Manager& manager) {
    const auto path = paths.find(manager.api_version);
    return path == paths.end() || !manager.fields.Has(path->second);
  });
  for (Manager& manager : managers.all()) {
    manager.Change() = Only(ReplicasOfScale());
    manager.api_version = kScaleVersion;
  }
  return std::move(managers).Write();
}

Result<Entries> EntriesAfterScale(const Entries& entries, const Entries& scale_entries,
                                  const ReplicasPaths& paths, std::string_view api_version) {
  FLYBALL_TRY(ManagerList managers, ManagerList::Read(entries));
  // PARITY: who updates is another manager in the version of Scale than in that of the object, and
  // so loses the replicas there and gets them back as an entry of its own.
  FLYBALL_TRY(ManagerList scalers, ManagerList::Read(scale_entries));
  std::erase_if(managers.all(), [&](Manager& manager) {
    const auto path = paths.find(manager.api_version);
    if (path == paths.end()) return true;
    if (path->second.empty() || !manager.fields.Has(path->second)) return false;
    if (scalers.Find(manager.id) != nullptr) {
      scalers.Erase(manager.id);
      return false;
    }
    manager.Change().Remove(Only(path->second));
    return manager.fields.Empty();
  });
  const auto own_path = paths.find(api_version);
  if (own_path == paths.end()) return std::move(managers).Write();
  for (const Manager& scaler : scalers.all()) {
    if (!scaler.fields.Has(ReplicasOfScale())) continue;
    // PARITY: without a time, unless the object had the manager already.
    Manager& manager = managers.At(scaler.id);
    manager.Change() = Only(own_path->second);
    manager.api_version = api_version;
  }
  return std::move(managers).Write();
}

}  // namespace flyball::sandbox::apply

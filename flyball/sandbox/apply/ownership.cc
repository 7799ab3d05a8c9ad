#include "flyball/sandbox/apply/ownership.h"

#include <algorithm>
#include <map>

#include "flyball/base/stable_sort.h"
#include "flyball/sandbox/apply/merge.h"
#include "flyball/sandbox/apply/object_fields.h"

namespace flyball::sandbox::apply {
namespace {

/// What changed, as the managers of each version see it. Computed when somebody asks.
class Changes {
 public:
  Changes(const FieldScope& scope, const Json& before, const Json& after)
      : scope_(scope), before_(before), after_(after) {}

  /// Only for a version that has a schema.
  Result<const Comparison*> In(const std::string& version) {
    if (const auto known = by_version_.find(version); known != by_version_.end()) {
      return &known->second;
    }
    FLYBALL_TRY(Comparison changed, Compute(version));
    scope_.Filter(changed.added, version);
    scope_.Filter(changed.modified, version);
    scope_.Filter(changed.removed, version);
    return &by_version_.emplace(version, std::move(changed)).first->second;
  }

 private:
  Result<Comparison> Compute(const std::string& version) {
    if (version == scope_.api_version) return Compare(scope_.schema, before_, after_);
    FLYBALL_TRY(const Json before, scope_.Convert(before_, scope_.api_version, version));
    FLYBALL_TRY(const Json after, scope_.Convert(after_, scope_.api_version, version));
    return Compare(*scope_.SchemaOf(version), before, after);
  }

  const FieldScope& scope_;
  const Json& before_;
  const Json& after_;
  std::map<std::string, Comparison> by_version_;
};

/// The conflicts of one manager, in the order of their paths.
void AddConflicts(const Manager& manager, const Comparison& changed,
                  std::vector<Conflict>& conflicts) {
  FieldSet changed_now = changed.modified;
  changed_now.Add(changed.added);
  manager.fields.Intersection(changed_now).ForEach([&](const Path& path) {
    conflicts.push_back({manager.id, path});
  });
}

/// What is in `merged` and in no way in `left` or `owned` any more.
Result<FieldSet> Gone(const TypeSchema& schema, const Json& merged, const Json& left,
                      FieldSet owned) {
  FLYBALL_TRY(FieldSet gone, FieldsOf(schema, merged));
  FLYBALL_TRY(FieldSet kept, FieldsOf(schema, left));
  OwnNamedFields(gone, schema);
  OwnNamedFields(kept, schema);
  OwnNamedFields(owned, schema);
  kept.Add(std::move(owned));
  gone.Remove(kept);
  return gone;
}

/// An object on its way through the versions.
struct InVersion {
  Json object;
  std::string version;
};

Result<> MoveTo(const FieldScope& scope, InVersion& object, const std::string& version) {
  FLYBALL_TRY(object.object, scope.Convert(object.object, object.version, version));
  object.version = version;
  return {};
}

/// Puts back into `pruned` what anybody owns, in every version in which somebody owns something.
Result<> PutBackOwned(const FieldScope& scope, InVersion merged, InVersion& pruned,
                      const ManagerList& managers) {
  std::map<std::string, FieldSet> owned;
  for (const Manager& manager : managers.all()) owned[manager.api_version].Add(manager.fields);
  // The version that was pruned in comes first: what a conversion needs may be missing until then.
  std::vector<std::string> order = {pruned.version};
  for (const auto& [version, fields] : owned) {
    if (version != pruned.version) order.push_back(version);
  }
  for (const std::string& version : order) {
    const TypeSchema* schema = scope.SchemaOf(version);
    if (schema == nullptr || !owned.contains(version)) continue;
    FLYBALL_TRY(MoveTo(scope, merged, version));
    FLYBALL_TRY(MoveTo(scope, pruned, version));
    FLYBALL_TRY(const FieldSet gone,
                Gone(*schema, merged.object, pruned.object, std::move(owned[version])));
    pruned.object = RemoveFields(*schema, merged.object, gone);
  }
  return {};
}

}  // namespace

void FollowSchema(const FieldScope& scope, ManagerList& managers) {
  std::erase_if(managers.all(), [&](Manager& manager) {
    const TypeSchema* schema = scope.SchemaOf(manager.api_version);
    if (schema == nullptr) return true;
    if (FollowSchema(manager.fields, *schema)) manager.Change();
    return false;
  });
}

Result<std::vector<Conflict>> TakeFromOthers(const FieldScope& scope, const Json& before,
                                             const Json& after, ManagerList& managers,
                                             const ManagerId* self, bool force, Comparison& own) {
  Changes changes(scope, before, after);
  FLYBALL_TRY(const Comparison* const changed, changes.In(scope.api_version));
  own = *changed;
  std::vector<Conflict> conflicts;
  const auto for_others = [&](auto act) -> Result<> {
    for (Manager& manager : managers.all()) {
      if (self != nullptr && manager.id == *self) continue;
      FLYBALL_TRY(const Comparison* const theirs, changes.In(manager.api_version));
      if (!theirs->Same()) act(manager, *theirs);
    }
    return {};
  };
  if (!force) {
    FLYBALL_TRY(for_others([&](Manager& manager, const Comparison& theirs) {
      AddConflicts(manager, theirs, conflicts);
    }));
    StableSort(conflicts, [](const Conflict& a, const Conflict& b) {
      return a.manager.ToText() < b.manager.ToText();
    });
    if (!conflicts.empty()) return conflicts;
  }
  FLYBALL_TRY(for_others([](Manager& manager, const Comparison& theirs) {
    bool lost = manager.fields.Remove(theirs.modified);
    lost |= manager.fields.Remove(theirs.added);
    lost |= manager.fields.Remove(theirs.removed);
    if (lost) manager.Change();
  }));
  managers.DropIdle();
  return conflicts;
}

Result<Json> Prune(const FieldScope& scope, Json merged, const ManagerList& managers,
                   const Manager& last) {
  const TypeSchema* schema = scope.SchemaOf(last.api_version);
  if (last.fields.Empty() || schema == nullptr) return merged;
  InVersion all = {std::move(merged), scope.api_version};
  FLYBALL_TRY(MoveTo(scope, all, last.api_version));
  FieldSet last_fields = last.fields;
  OwnNamedFields(last_fields, *schema);

  InVersion pruned = {RemoveFields(*schema, all.object, last_fields), last.api_version};
  FLYBALL_TRY(PutBackOwned(scope, all, pruned, managers));
  FLYBALL_TRY(MoveTo(scope, pruned, last.api_version));
  // What nobody owns, but went with something that somebody had applied, stays too.
  FLYBALL_TRY(const FieldSet gone, Gone(*schema, all.object, pruned.object, {}));
  all.object = RemoveFields(*schema, all.object, gone.Intersection(last_fields));
  FLYBALL_TRY(MoveTo(scope, all, scope.api_version));
  return std::move(all.object);
}

}  // namespace flyball::sandbox::apply

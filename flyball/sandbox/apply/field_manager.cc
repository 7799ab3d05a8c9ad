#include "flyball/sandbox/apply/field_manager.h"

#include <algorithm>

#include "flyball/sandbox/apply/last_applied.h"
#include "flyball/sandbox/apply/merge.h"
#include "flyball/sandbox/apply/object_fields.h"
#include "flyball/sandbox/apply/ownership.h"
#include "flyball/sandbox/apply/schema_check.h"

namespace flyball::sandbox::apply {
namespace {

constexpr std::size_t kMostUpdaters = 10;
constexpr std::string_view kBeforeFirstApply = "before-first-apply";

/// What nobody owns: the server writes it, or it is what the object is.
const FieldSet& NeverOwned() {
  static const FieldSet kFields = [] {
    FieldSet fields;
    fields.InsertFields({"apiVersion"});
    fields.InsertFields({"kind"});
    fields.InsertFields({"metadata"});
    for (const std::string_view name :
         {"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
          "managedFields", "resourceVersion"}) {
      fields.InsertFields({"metadata", name});
    }
    return fields;
  }();
  return kFields;
}

bool IsReset(const Entries& entries) {
  return entries.empty() ||
         (entries.size() == 1 && entries.front() == meta::v1::ManagedFieldsEntry{});
}

/// Those of the request if they are any good, else those that are stored.
ManagerList ReadEither(const Entries* said, const Entries& stored) {
  if (said != nullptr) {
    if (IsReset(*said)) return {};
    Result<ManagerList> read = ManagerList::Read(*said);
    if (read && !read->Empty()) return *std::move(read);
  }
  return ManagerList::Read(stored).value_or(ManagerList());
}

std::string NameOf(const Writer& writer) { return writer.name.empty() ? "unknown" : writer.name; }

std::string TextAt(const Json& object, std::string_view name, std::string_view otherwise) {
  const Json* member = object.Find(name);
  const std::string* text = member != nullptr ? member->If<std::string>() : nullptr;
  return text != nullptr ? *text : std::string(otherwise);
}

/// A kind in messages: "/v1, Kind=Pod" of the core group.
std::string DescribeKind(const Json& object) {
  const std::string version = TextAt(object, "apiVersion", "");
  return (version.contains('/') ? version : "/" + version) + ", Kind=" + TextAt(object, "kind", "");
}

/// An object in messages: "default/web; apps/v1, Kind=Deployment".
std::string Describe(const Json& object) {
  const Json* metadata = object.Find("metadata");
  const Json nothing;
  const Json& fields = metadata != nullptr ? *metadata : nothing;
  return TextAt(fields, "namespace", "") + "/" + TextAt(fields, "name", "") + "; " +
         DescribeKind(object);
}

bool HasUid(const Json& object) {
  const Json* metadata = object.Find("metadata");
  return metadata != nullptr && !TextAt(*metadata, "uid", "").empty();
}

}  // namespace

Entries FieldManager::Update(const ManagedObject* before, const Json& after, const Entries* said,
                             const Writer& writer) const {
  static const Entries kNone;
  const Json& old = before != nullptr ? before->object : scope_.schema.empty_object();
  const Entries& stored = before != nullptr ? before->managed_fields : kNone;
  ManagerList managers = ReadEither(scope_.subresource.empty() ? said : nullptr, stored);
  // An object that nobody is known to own anything of stays so until it is applied to.
  if (managers.Empty() && HasUid(old)) return {};
  Result<ManagerList> updated = TryUpdate(old, after, std::move(managers), writer);
  return updated ? std::move(*updated).Write() : stored;
}

/// A write that is no apply is everybody's loss first, the writer's too, who then gets all of it.
Result<ManagerList> FieldManager::TryUpdate(const Json& before, const Json& after,
                                            ManagerList managers, const Writer& writer) const {
  FLYBALL_TRY(CheckStored(after, "failed to convert new object", " to smd typed"));
  FLYBALL_TRY(CheckStored(before, "failed to convert live object", " to smd typed"));
  FollowSchema(scope_, managers);
  Comparison changed;
  FLYBALL_TRY(TakeFromOthers(scope_, before, after, managers, nullptr, true, changed));
  FieldSet written = std::move(changed.modified);
  written.Add(std::move(changed.added));
  written.Remove(NeverOwned());
  if (!written.Empty()) {
    Manager& own =
        managers.At(ManagerId::Updater(NameOf(writer), scope_.api_version, scope_.subresource));
    own.api_version = scope_.api_version;
    own.Change().Add(std::move(written));
    own.time = writer.now;
  }
  managers.CapUpdaters(kMostUpdaters);
  return managers;
}

Result<> FieldManager::CheckStored(const Json& object, std::string_view failure,
                                   std::string_view aim) const {
  const Result<> checked = CheckAgainstSchema(scope_.schema, object, Duplicates::kAllowed);
  if (checked) return {};
  return Fail(ErrorCode::kInternal, std::string(failure) + " (" + Describe(object) + ")" +
                                        std::string(aim) + ": " + checked.error().message());
}

Result<> FieldManager::CheckKind(const Json& applied) const {
  if (TextAt(applied, "apiVersion", "") == scope_.api_version &&
      TextAt(applied, "kind", "") == scope_.kind) {
    return {};
  }
  return Fail(ErrorCode::kBadRequest, "invalid object type: " + DescribeKind(applied));
}

Result<> FieldManager::CheckApplied(const Json& applied) const {
  const Json* metadata = applied.Find("metadata");
  if (metadata != nullptr && metadata->Find("managedFields") != nullptr) {
    return Fail(ErrorCode::kBadRequest, "metadata.managedFields must be nil");
  }
  if (const Result<> checked = CheckAgainstSchema(scope_.schema, applied, Duplicates::kRefused);
      !checked) {
    return Fail(ErrorCode::kInternal, "failed to create typed patch object (" + Describe(applied) +
                                          "): " + checked.error().message());
  }
  return {};
}

Result<Applied> FieldManager::Apply(const ManagedObject* live, const Json& applied,
                                    const Writer& writer, bool force) const {
  static const Entries kNone;
  const Json& old = live != nullptr ? live->object : scope_.schema.empty_object();
  Result<ManagerList> read = ManagerList::Read(live != nullptr ? live->managed_fields : kNone);
  if (!read) return std::unexpected(read.error().Wrap("failed to decode managed fields"));
  ManagerList managers = *std::move(read);
  FLYBALL_TRY(CheckKind(applied));
  if (managers.Empty()) {
    Result<ManagerList> first = TryUpdate(scope_.schema.empty_object(), old, std::move(managers),
                                          {std::string(kBeforeFirstApply), writer.now});
    if (!first) {
      return Fail(ErrorCode::kInternal,
                  "failed to create manager for existing fields: " + first.error().message());
    }
    managers = *std::move(first);
  }
  FLYBALL_TRY(CheckApplied(applied));
  FLYBALL_TRY(CheckStored(old, "failed to create typed live object", ""));
  FollowSchema(scope_, managers);

  FLYBALL_TRY(Json merged, Merge(scope_.schema, old, applied));
  FLYBALL_TRY(FieldSet said, FieldsOf(scope_.schema, applied));
  scope_.Filter(said, scope_.api_version);
  const ManagerId id = ManagerId::Applier(NameOf(writer), scope_.subresource);
  Manager& own = managers.At(id);
  const Manager last = own;
  own.api_version = scope_.api_version;
  own.Change() = std::move(said);
  // Nothing to prune, as most often, where all that was applied last time is applied now.
  FieldSet dropped = last.fields;
  dropped.Remove(own.fields);
  if (!dropped.Empty() || last.api_version != own.api_version) {
    FLYBALL_TRY(merged, Prune(scope_, std::move(merged), managers, last));
  }

  Comparison changed;
  FLYBALL_TRY(std::vector<Conflict> conflicts,
              TakeFromOthers(scope_, old, merged, managers, &id, force, changed));
  if (!conflicts.empty() && writer.name == kKubectl) {
    ForgiveLastApplied(scope_, old, conflicts);
    if (conflicts.empty()) {
      FLYBALL_TRY(TakeFromOthers(scope_, old, merged, managers, &id, true, changed));
    }
  }
  if (!conflicts.empty()) return std::unexpected(ConflictError(conflicts));

  Applied result;
  const bool same = SameValue(old, merged);
  if (Manager* now = managers.Find(id)) {
    if (now->fields.Remove(NeverOwned())) now->Change();
    if (!same) now->time = writer.now;
  }
  managers.DropIdle();
  result.managed_fields = std::move(managers).Write();
  if (!same) result.object = std::move(merged);
  if (writer.name == kKubectl && HasLastApplied(result.object ? *result.object : old)) {
    if (!result.object) result.object = old;
    UpdateLastApplied(*result.object, applied);
  }
  return result;
}

void KeepTimes(const Entries& before, Entries& after) {
  const auto same_but_time = [](meta::v1::ManagedFieldsEntry a, meta::v1::ManagedFieldsEntry b) {
    a.time.reset();
    b.time.reset();
    return a == b;
  };
  if (!std::ranges::equal(before, after, same_but_time)) return;
  for (std::size_t i = 0; i < after.size(); ++i) after[i].time = before[i].time;
}

}  // namespace flyball::sandbox::apply

#include "flyball/sandbox/managed_fields.h"

#include <map>
#include <memory>
#include <utility>

#include "flyball/api/copy.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/base/check.h"
#include "flyball/base/mutex.h"
#include "flyball/base/stable_sort.h"
#include "flyball/sandbox/apply/manager_name.h"
#include "flyball/sandbox/apply/reset_fields.h"
#include "flyball/sandbox/conversion.h"
#include "flyball/sandbox/custom/custom_schema.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;
using apply::Entries;
using apply::FieldManager;
using apply::ManagedObject;
using apply::TypeSchema;

/// The versions of a built-in kind.
// PARITY: those of its group. Who wrote an event through the other group is forgotten.
class Versions final : public apply::VersionConverter {
 public:
  explicit Versions(const api::TypeInfo& type) {
    for (const api::TypeInfo* const each : VersionsInGroup(type)) {
      versions_.try_emplace(each->ApiVersion(), *each);
    }
  }

  const TypeSchema* SchemaOf(std::string_view api_version) const override {
    const auto found = versions_.find(api_version);
    return found == versions_.end() ? nullptr : &found->second.schema;
  }
  Result<Json> Convert(const Json& object, std::string_view from,
                       std::string_view to) const override {
    const Kind& wanted = versions_.find(to)->second.kind;
    FLYBALL_TRY(AnyObject typed, versions_.find(from)->second.kind.FromJson(object));
    return wanted.ToJson(sandbox::Convert(std::move(typed), wanted.type()));
  }

  /// What is written to one of them.
  apply::FieldScope ScopeOf(const Kind& kind, const std::string& subresource) const {
    apply::FieldScope scope{*SchemaOf(kind.api_version()), kind.api_version(), kind.name(),
                            subresource};
    for (const auto& [api_version, version] : versions_) {
      scope.filters.emplace(api_version, apply::OwnableFields(version.kind.type(), subresource));
    }
    if (versions_.size() > 1) scope.versions = this;
    return scope;
  }

 private:
  struct Version {
    explicit Version(const api::TypeInfo& type) : kind(type), schema(TypeSchema::OfType(type)) {}
    const Kind kind;
    const TypeSchema schema;
  };
  std::map<std::string, Version, std::less<>> versions_;
};

/// The managers of built-in kinds, each made when it is first needed.
class Managers {
 public:
  static const FieldManager& Of(const Kind& kind, const std::string& subresource) {
    static Managers all;
    const MutexLock lock(all.mutex_);
    auto& manager = all.managers_[{&kind.type(), subresource}];
    if (!manager) {
      auto& versions = all.versions_[&kind.type()];
      if (!versions) versions = std::make_unique<Versions>(kind.type());
      manager = std::make_unique<FieldManager>(versions->ScopeOf(kind, subresource));
    }
    return *manager;
  }

 private:
  Mutex mutex_;
  std::map<const api::TypeInfo*, std::unique_ptr<Versions>> versions_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::pair<const api::TypeInfo*, std::string>, std::unique_ptr<FieldManager>> managers_
      FLYBALL_GUARDED_BY(mutex_);
};

/// Does something with the manager of what a request writes to.
template <typename Use>
auto WithManager(const Request& request, const Resource& resource, Use use) {
  const std::string& subresource = request.target.subresource;
  if (!resource.kind->custom()) return use(Managers::Of(*resource.kind, subresource));
  static const TypeSchema kDeduced = TypeSchema::Deduced();
  const CustomSchema* const schema = resource.kind->schema();
  const std::string& api_version = resource.kind->api_version();
  apply::FieldScope scope{schema == nullptr ? kDeduced : schema->types(), api_version,
                          resource.kind->name(), subresource};
  scope.filters.emplace(api_version,
                        apply::OwnableFieldsOfCustomKind(resource.has_status(), subresource));
  return use(FieldManager(std::move(scope)));
}

std::string ManagerOf(const Request& request) {
  const std::string_view named = request.target.query.Get("fieldManager");
  if (!named.empty()) return std::string(named);
  return apply::ManagerFromUserAgent(request.Header("user-agent"));
}

/// The object as a tree of a version of its kind, without its entries, and those, which are taken
/// from it.
struct Parted {
  Json tree;
  Entries entries;
};
Parted Part(const Kind& kind, AnyObject& object, const Kind& version) {
  Parted parted;
  parted.entries = std::exchange(kind.Metadata(object).managedFields, {});
  const bool same = &kind.type() == &version.type();
  auto tree =
      same ? version.ToJson(object) : version.ToJson(Convert(api::Copy(object), version.type()));
  FLYBALL_CHECK(tree, tree.error().Describe());
  parted.tree = *std::move(tree);
  return parted;
}

/// PARITY: who scales has no time, and so comes first.
void ForgetScaleTimes(Entries& entries) {
  for (auto& entry : entries) {
    if (entry.subresource == "scale") entry.time.reset();
  }
  StableSort(entries, [](const auto& a, const auto& b) { return !a.time && b.time; });
}

}  // namespace

void TrackFields(const Request& request, const Resource& resource, AnyObject* before,
                 AnyObject& after, WallTime now) {
  const Parted parted = Part(*resource.stored, after, *resource.kind);
  const Entries* const said = parted.entries.empty() ? nullptr : &parted.entries;
  const apply::Writer writer{ManagerOf(request), api::Time(now).WholeSeconds()};
  Entries& entries = resource.stored->Metadata(after).managedFields;
  entries = WithManager(request, resource, [&](const FieldManager& manager) {
    if (before == nullptr) return manager.Update(nullptr, parted.tree, said, writer);
    const Parted old = Part(*resource.stored, *before, *resource.kind);
    const ManagedObject was{old.tree, old.entries};
    Entries updated = manager.Update(&was, parted.tree, said, writer);
    if (old.tree == parted.tree) apply::KeepTimes(old.entries, updated);
    return updated;
  });
  if (request.target.subresource == "scale") ForgetScaleTimes(entries);
}

StatusOr<ApplyRequest> ApplyRequest::Parse(const Request& request, const Kind& kind, WallTime now) {
  ApplyRequest patch;
  patch.writer = {std::string(request.target.query.Get("fieldManager")),
                  api::Time(now).WholeSeconds()};
  if (patch.writer.name.empty()) {
    return std::unexpected(
        Invalid("meta.k8s.io", "PatchOptions", "",
                {FieldError::Required("fieldManager", "is required for apply patch")}));
  }
  patch.force = request.target.query.IsTrue("force");
  api::JsonTreeSink tree;
  if (request.http.body.empty()) {
    return std::unexpected(BadRequest("invalid object type: /, Kind="));
  }
  if (const auto read = api::ReadYaml(request.http.body, tree); !read) {
    return std::unexpected(BadRequest("error decoding YAML: " + read.error().Describe()));
  }
  patch.object = tree.Take();
  Json::Object* const members = patch.object.If<Json::Object>();
  if (members == nullptr) {
    return std::unexpected(BadRequest("error decoding YAML: it must be an object"));
  }
  const Json* const its_kind = patch.object.Find("kind");
  const Json* const version = patch.object.Find("apiVersion");
  if (its_kind == nullptr || version == nullptr || *its_kind != Json(kind.name()) ||
      *version != Json(kind.api_version())) {
    const auto text = [](const Json* value) {
      const std::string* const there = value == nullptr ? nullptr : value->If<std::string>();
      return there == nullptr ? std::string() : *there;
    };
    const std::string api_version = text(version);
    return std::unexpected(BadRequest(std::string("invalid object type: ") +
                                      (api_version.contains('/') ? "" : "/") + api_version +
                                      ", Kind=" + text(its_kind)));
  }
  return patch;
}

StatusOr<std::optional<AnyObject>> ApplyTo(const ApplyRequest& patch, const Request& request,
                                           const Resource& resource, const AnyObject* live) {
  const Kind& kind = *resource.kind;
  auto outcome = WithManager(request, resource, [&](const FieldManager& manager) {
    if (live == nullptr) return manager.Apply(nullptr, patch.object, patch.writer, patch.force);
    AnyObject copy = api::Copy(*live);
    const Parted old = Part(kind, copy, kind);
    const ManagedObject was{old.tree, old.entries};
    return manager.Apply(&was, patch.object, patch.writer, patch.force);
  });
  if (!outcome && outcome.error().code() == ErrorCode::kInternal) {
    return std::unexpected(Unexplained(outcome.error().message()));
  }
  FLYBALL_TRY(apply::Applied applied, std::move(outcome));
  if (!applied.object && live != nullptr &&
      applied.managed_fields == kind.Metadata(*live).managedFields) {
    return std::nullopt;
  }
  AnyObject object(kind.type());
  if (applied.object) {
    auto decoded = kind.FromJson(*applied.object);
    if (!decoded) return std::unexpected(BadRequest(decoded.error().Describe()));
    object = *std::move(decoded);
  } else {
    object = api::Copy(*live);
  }
  kind.Metadata(object).managedFields = std::move(applied.managed_fields);
  return std::optional<AnyObject>(std::move(object));
}

}  // namespace flyball::sandbox

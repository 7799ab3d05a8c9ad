#include "flyball/sandbox/managed_fields.h"

#include <map>
#include <memory>
#include <utility>

#include "flyball/api/copy.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/base/check.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/apply/manager_name.h"
#include "flyball/sandbox/apply/reset_fields.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using api::Json;
using apply::Entries;
using apply::FieldManager;
using apply::ManagedObject;
using apply::TypeSchema;

/// The schemas and managers of built-in kinds, each made when it is first needed.
class Managers {
 public:
  static const FieldManager& Of(const Kind& kind, const std::string& subresource) {
    static Managers all;
    const MutexLock lock(all.mutex_);
    auto& manager = all.managers_[{&kind.type(), subresource}];
    if (!manager) {
      auto& schema = all.schemas_[&kind.type()];
      if (!schema) schema = std::make_unique<TypeSchema>(TypeSchema::OfType(kind.type()));
      manager = std::make_unique<FieldManager>(
          ScopeOf(*schema, kind, subresource, apply::OwnableFields(kind.type(), subresource)));
    }
    return *manager;
  }

  static apply::FieldScope ScopeOf(const TypeSchema& schema, const Kind& kind,
                                   const std::string& subresource, apply::FieldFilter ownable) {
    apply::FieldScope scope{schema, kind.api_version(), kind.name(), subresource};
    scope.filters.emplace(kind.api_version(), std::move(ownable));
    return scope;
  }

 private:
  Mutex mutex_;
  std::map<const api::TypeInfo*, std::unique_ptr<TypeSchema>> schemas_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::pair<const api::TypeInfo*, std::string>, std::unique_ptr<FieldManager>> managers_
      FLYBALL_GUARDED_BY(mutex_);
};

/// Does something with the manager of what a request writes to.
template <typename Use>
auto WithManager(const Request& request, const Resource& resource, Use use) {
  const std::string& subresource = request.target.subresource;
  if (!resource.kind->custom()) return use(Managers::Of(*resource.kind, subresource));
  // What a definition says of its lists is not looked at: they are one value each.
  static const TypeSchema kDeduced = TypeSchema::Deduced();
  return use(FieldManager(
      Managers::ScopeOf(kDeduced, *resource.kind, subresource,
                        apply::OwnableFieldsOfCustomKind(resource.has_status(), subresource))));
}

std::string ManagerOf(const Request& request) {
  const std::string_view named = request.target.query.Get("fieldManager");
  if (!named.empty()) return std::string(named);
  return apply::ManagerFromUserAgent(request.Header("user-agent"));
}

/// The object as a tree without its entries, and those, which are taken from it.
struct Parted {
  Json tree;
  Entries entries;
};
Parted Part(const Kind& kind, AnyObject& object) {
  Parted parted;
  parted.entries = std::exchange(kind.Metadata(object).managedFields, {});
  auto tree = kind.ToJson(object);
  FLYBALL_CHECK(tree, tree.error().Describe());
  parted.tree = *std::move(tree);
  return parted;
}

}  // namespace

void TrackFields(const Request& request, const Resource& resource, AnyObject* before,
                 AnyObject& after, WallTime now) {
  const Kind& kind = *resource.kind;
  const Parted parted = Part(kind, after);
  const Entries* const said = parted.entries.empty() ? nullptr : &parted.entries;
  const apply::Writer writer{ManagerOf(request), api::Time(now).WholeSeconds()};
  Entries& entries = kind.Metadata(after).managedFields;
  entries = WithManager(request, resource, [&](const FieldManager& manager) {
    if (before == nullptr) return manager.Update(nullptr, parted.tree, said, writer);
    const Parted old = Part(kind, *before);
    const ManagedObject was{old.tree, old.entries};
    Entries updated = manager.Update(&was, parted.tree, said, writer);
    if (old.tree == parted.tree) apply::KeepTimes(old.entries, updated);
    return updated;
  });
}

Answered<ApplyRequest> ApplyRequest::Parse(const Request& request, const Kind& kind, WallTime now) {
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

Answered<std::optional<AnyObject>> ApplyTo(const ApplyRequest& patch, const Request& request,
                                           const Resource& resource, const AnyObject* live) {
  const Kind& kind = *resource.kind;
  FLYBALL_TRY(apply::Applied applied,
              WithManager(request, resource, [&](const FieldManager& manager) {
                if (live == nullptr) {
                  return manager.Apply(nullptr, patch.object, patch.writer, patch.force);
                }
                AnyObject copy = api::Copy(*live);
                const Parted old = Part(kind, copy);
                const ManagedObject was{old.tree, old.entries};
                return manager.Apply(&was, patch.object, patch.writer, patch.force);
              }));
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

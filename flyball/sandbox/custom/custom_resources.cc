#include "flyball/sandbox/custom/custom_resources.h"

#include <algorithm>

#include "flyball/api/json.h"
#include "flyball/sandbox/custom/custom_strategies.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/custom/definition_status.h"
#include "flyball/sandbox/deletion.h"

namespace flyball::sandbox {
namespace {

using api::AnyObject;
using apiextensions::v1::CustomResourceDefinition;
using apiextensions::v1::CustomResourceDefinitionVersion;

/// A CRD's paths were checked when it was stored; one that this server cannot read leads nowhere.
JsonPath PathOf(const std::string& text) {
  auto path = JsonPath::Parse(text);
  if (path) return *std::move(path);
  return *JsonPath::Parse(".\\ ");
}

std::shared_ptr<const CustomVersion> VersionOf(const CustomResourceDefinition& crd,
                                               const CustomResourceDefinitionVersion& version) {
  auto custom = std::make_shared<CustomVersion>();
  if (version.schema && version.schema->openAPIV3Schema) {
    custom->schema = std::make_shared<const CustomSchema>(*version.schema->openAPIV3Schema);
  }
  for (const auto& column : version.additionalPrinterColumns) {
    const std::string description =
        column.description.empty()
            ? "Custom resource definition column (in JSONPath format): " + column.jsonPath
            : column.description;
    custom->columns.push_back({column.name, column.type, column.format, description,
                               column.priority, PathOf(column.jsonPath)});
  }
  if (version.additionalPrinterColumns.empty()) {
    custom->columns.push_back({"Age", "date", "", "", 0, PathOf(".metadata.creationTimestamp")});
  }
  if (version.subresources && version.subresources->scale) {
    const auto& scale = *version.subresources->scale;
    custom->scale.emplace(CustomVersion::Scale{PathOf(scale.specReplicasPath),
                                               PathOf(scale.statusReplicasPath), std::nullopt,
                                               scale.specReplicasPath, scale.statusReplicasPath});
    if (scale.labelSelectorPath) custom->scale->selector = PathOf(*scale.labelSelectorPath);
  }
  if (version.deprecated) {
    custom->deprecation_warning = version.deprecationWarning.value_or(
        crd.spec.group + "/" + version.name + " " + crd.spec.names.kind + " is deprecated");
  }
  return custom;
}

std::vector<Resource::Subresource> SubresourcesOf(const CustomResourceDefinition& crd,
                                                  const CustomResourceDefinitionVersion& version) {
  std::vector<Resource::Subresource> subresources;
  if (!version.subresources) return subresources;
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (version.subresources->status) {
    subresources.push_back(
        {"status", crd.spec.group, version.name, crd.status.acceptedNames.kind, verbs});
  }
  if (version.subresources->scale) {
    subresources.push_back({"scale", "autoscaling", "v1", "Scale", verbs});
  }
  return subresources;
}

ResourcePtr ResourceOf(const CustomResourceDefinition& crd,
                       const CustomResourceDefinitionVersion& version) {
  const auto& names = crd.status.acceptedNames;
  auto resource = std::make_shared<Resource>();
  resource->plural = names.plural;
  resource->singular = names.singular;
  resource->list_kind = names.listKind;
  resource->namespaced = crd.spec.scope == "Namespaced";
  resource->short_names = names.shortNames;
  resource->categories = names.categories;
  // What goes takes nothing new.
  resource->verbs = {"delete", "deletecollection", "get",    "list",
                     "patch",  "create",           "update", "watch"};
  if (crd.metadata.deletionTimestamp) {
    resource->verbs = {"delete", "deletecollection", "get", "list", "watch"};
  }
  resource->subresources = SubresourcesOf(crd, version);
  resource->custom = VersionOf(crd, version);
  resource->collection = crd.spec.group + "/" + names.plural;
  Kind::Custom kind{crd.spec.group, version.name, names.kind, resource->custom->schema};
  for (const auto& field : version.selectableFields) kind.selectable.push_back(field.jsonPath);
  kind.status_apart = resource->has_status();
  resource->kind = std::make_shared<const Kind>(std::move(kind));
  resource->stored = resource->kind;
  return resource;
}

}  // namespace

std::vector<ResourcePtr> ResourcesOf(const CustomResourceDefinition& crd) {
  std::vector<ResourcePtr> resources;
  if (!HasCondition(crd, "Established")) return resources;
  for (const auto& version : crd.spec.versions) {
    if (version.served) resources.push_back(ResourceOf(crd, version));
  }
  return resources;
}

Result<std::shared_ptr<const Kind>> CustomKindOf(std::string_view stored) {
  FLYBALL_TRY(const api::Json object, api::Json::Parse(stored));
  const auto text = [&](std::string_view name) {
    const api::Json* const member = object.Find(name);
    const auto* const value = member != nullptr ? member->If<std::string>() : nullptr;
    return value != nullptr ? *value : std::string();
  };
  const std::string api_version = text("apiVersion");
  const auto slash = api_version.find('/');
  if (slash == std::string::npos) {
    return Fail(ErrorCode::kUnsupported, "a stored object of no known kind");
  }
  return std::make_shared<const Kind>(
      Kind::Custom{api_version.substr(0, slash), api_version.substr(slash + 1), text("kind")});
}

void CustomResources::Load() {
  for (const RecordPtr& record : objects_.List(kDefinitions, "")) {
    Sync(std::string(record->Field("metadata.name")));
  }
}

bool CustomResources::OnChange(const StorageKey& key, const Outcome& outcome) {
  if (key.collection == kDefinitions) {
    if (Sync(key.name)) {
      // As upstream's memory of a resource begins when the resource does.
      const auto dot = key.name.find('.');
      Storage& storage = objects_.storage();
      storage.Compact(key.name.substr(dot + 1) + "/" + key.name.substr(0, dot), storage.revision());
    }
    if (outcome.removed) OfferNames();
    return true;
  }
  if (!outcome.removed || !outcome.record->kind().custom()) return false;
  // "widgets.example.com" is where "example.com/widgets" come from.
  const auto slash = key.collection.find('/');
  FinishDeletion(key.collection.substr(slash + 1) + "." + key.collection.substr(0, slash),
                 key.collection);
  return false;
}

bool CustomResources::Sync(const std::string& name) {
  std::string going;  // the collection of a CRD that is on its way out
  bool is_new = false;
  {
    const MutexLock lock(mutex_);
    // Read here, so that whoever comes last serves what is there.
    const auto crd = objects_.Get<CustomResourceDefinition>(kDefinitions, "", name);
    std::vector<ResourcePtr> now = crd ? ResourcesOf(*crd) : std::vector<ResourcePtr>();
    is_new = !now.empty() && !served_.contains(name);
    for (const ResourcePtr& old : served_[name]) {
      const bool stays = std::ranges::any_of(now, [&](const ResourcePtr& resource) {
        return resource->kind->version() == old->kind->version();
      });
      if (!stays) resources_.RemoveCustom(old->kind->group(), old->kind->version(), old->plural);
    }
    for (const ResourcePtr& resource : now) resources_.AddCustom(resource);
    if (crd && crd->metadata.deletionTimestamp) {
      going = crd->spec.group + "/" + crd->spec.names.plural;
    }
    if (now.empty()) {
      served_.erase(name);
    } else {
      served_[name] = std::move(now);
    }
  }
  if (going.empty()) return is_new;
  DeleteObjects(going);
  FinishDeletion(name, going);
  return is_new;
}

void CustomResources::OfferNames() {
  for (const RecordPtr& record : objects_.List(kDefinitions, "")) {
    const auto decide = [this](const RecordPtr& current) -> StatusOr<Step> {
      if (!current) return Step::Keep();
      AnyObject object = current->Decode();
      auto& crd = *static_cast<CustomResourceDefinition*>(object.get());
      if (HasCondition(crd, "NamesAccepted")) return Step::Keep();
      AcceptNames(crd, objects_);
      return Step::Put(std::move(object));
    };
    objects_.GuaranteedUpdate(
        {{std::string(kDefinitions), "", std::string(record->Field("metadata.name"))},
         record->kind_ptr(),
         decide},
        [](const StatusOr<Outcome>&) {});
  }
}

void CustomResources::DeleteObjects(const std::string& collection) {
  for (const RecordPtr& record : objects_.List(collection, "")) {
    const auto decide = [this](const RecordPtr& current) -> StatusOr<Step> {
      if (!current) return Step::Keep();
      AnyObject object = current->Decode();
      const Kind& kind = current->kind();
      FLYBALL_TRY(const Deletion deletion,
                  Delete(kind, kind.Metadata(object), {}, std::nullopt, objects_.Now()));
      if (deletion.result == DeletionResult::kGone) return Step::Remove(std::move(object));
      return deletion.result == DeletionResult::kMarked ? Step::Put(std::move(object))
                                                        : Step::Keep();
    };
    objects_.GuaranteedUpdate({{collection, std::string(record->Field("metadata.namespace")),
                                std::string(record->Field("metadata.name"))},
                               record->kind_ptr(),
                               decide},
                              [](const StatusOr<Outcome>&) {});
  }
}

void CustomResources::FinishDeletion(const std::string& name, const std::string& collection) {
  const RecordPtr definition = objects_.Find(kDefinitions, "", name);
  if (!definition || !objects_.List(collection, "").empty()) return;
  const auto decide = [](const RecordPtr& current) -> StatusOr<Step> {
    if (!current) return Step::Keep();
    AnyObject object = current->Decode();
    auto& metadata = current->kind().Metadata(object);
    if (!metadata.deletionTimestamp) return Step::Keep();
    std::erase(metadata.finalizers, kCleanupFinalizer);
    return IsDone(metadata) ? Step::Remove(std::move(object)) : Step::Put(std::move(object));
  };
  objects_.GuaranteedUpdate({{std::string(kDefinitions), "", name}, definition->kind_ptr(), decide},
                            [](const StatusOr<Outcome>&) {});
}

}  // namespace flyball::sandbox

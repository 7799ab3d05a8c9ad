#include "flyball/sandbox/openapi/openapi_document.h"

#include <algorithm>
#include <ranges>

#include "flyball/api/json_encode.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/registry.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/openapi/type_schemas.h"

namespace flyball::sandbox {
namespace {

using api::Json;

/// "example.com" in front of a name: "com.example".
std::string Reversed(std::string_view group) {
  std::string reversed;
  for (const auto part : std::views::split(group, '.')) {
    const std::string text(part.begin(), part.end());
    reversed = reversed.empty() ? text : text + "." + reversed;
  }
  return reversed;
}

Json Parameter(std::string_view name, std::string_view in) {
  Json::Object schema;
  schema["type"] = "string";
  schema["uniqueItems"] = true;
  Json::Object parameter;
  parameter["name"] = name;
  parameter["in"] = in;
  if (in == "path") parameter["required"] = true;
  parameter["schema"] = std::move(schema);
  return parameter;
}

Json Queries(const std::vector<std::string_view>& names) {
  Json::Array parameters;
  for (const std::string_view name : names) parameters.push_back(Parameter(name, "query"));
  return parameters;
}

Json Content(const std::vector<std::string_view>& types, const Json& reference) {
  Json::Object content;
  for (const std::string_view type : types) {
    Json::Object media;
    media["schema"] = reference;
    content[type] = std::move(media);
  }
  return content;
}

/// One resource's part of a document.
class ResourcePaths {
 public:
  ResourcePaths(const Resource& resource, std::string base, TypeSchemas& schemas,
                Json::Object& paths)
      : resource_(resource), base_(std::move(base)), schemas_(schemas), paths_(paths) {}

  void Add() {
    const Json object = ObjectReference();
    const Json list = ListReference(object);
    const std::string all = base_ + "/" + resource_.plural;
    const std::string collection =
        resource_.namespaced ? base_ + "/namespaces/{namespace}/" + resource_.plural : all;
    if (resource_.namespaced) {
      Path(all, {{"list", "get", "list", list}});
    }
    Path(collection, {{"list", "get", "list", list},
                      {"create", "post", "post", object},
                      {"deletecollection", "delete", "deletecollection", object}});
    Path(collection + "/{name}", {{"get", "get", "get", object},
                                  {"update", "put", "put", object},
                                  {"patch", "patch", "patch", object},
                                  {"delete", "delete", "delete", object}});
    for (const auto& subresource : resource_.subresources) {
      AddSubresource(collection + "/{name}/" + subresource.name, subresource);
    }
  }

 private:
  struct Verb {
    std::string_view verb, method, action;
    Json answer;
  };

  void Path(const std::string& path, const std::vector<Verb>& verbs) {
    Json::Object item;
    for (const Verb& verb : verbs) {
      if (!resource_.Allows(verb.verb)) continue;
      const Kind& kind = *resource_.kind;
      item[verb.method] =
          Operation(verb, GroupVersionKind(kind.group(), kind.version(), kind.name()));
    }
    Finish(path, std::move(item));
  }

  void AddSubresource(const std::string& path, const Resource::Subresource& subresource) {
    const auto* const type =
        api::FindKind(subresource.group.empty() ? subresource.version
                                                : subresource.group + "/" + subresource.version,
                      subresource.kind);
    const bool own = subresource.kind == resource_.kind->name();
    if (type == nullptr && !own) return;
    const Json object = own ? ObjectReference() : schemas_.Reference(*type);
    constexpr std::pair<std::string_view, std::string_view> kMethods[] = {
        {"get", "get"}, {"create", "post"}, {"update", "put"}, {"patch", "patch"}};
    Json::Object item;
    for (const auto& [verb, method] : kMethods) {
      if (std::ranges::find(subresource.verbs, verb) == subresource.verbs.end()) continue;
      item[method] =
          Operation({verb, method, method, object},
                    GroupVersionKind(subresource.group, subresource.version, subresource.kind));
    }
    Finish(path, std::move(item));
  }

  void Finish(const std::string& path, Json::Object item) {
    if (item.empty()) return;
    Json::Array parameters;
    if (path.contains("{name}")) parameters.push_back(Parameter("name", "path"));
    if (path.contains("{namespace}")) parameters.push_back(Parameter("namespace", "path"));
    parameters.push_back(Parameter("pretty", "query"));
    item["parameters"] = std::move(parameters);
    paths_[path] = std::move(item);
  }

  Json Operation(const Verb& verb, Json kind) {
    Json::Object operation;
    operation["x-kubernetes-action"] = verb.action;
    operation["x-kubernetes-group-version-kind"] = std::move(kind);
    if (verb.method == "post" || verb.method == "put" || verb.method == "patch") {
      std::vector<std::string_view> names = {"dryRun", "fieldManager", "fieldValidation"};
      if (verb.method == "patch") names.emplace_back("force");
      operation["parameters"] = Queries(names);
      operation["requestBody"] = RequestBody(verb);
    } else if (verb.method == "delete") {
      operation["parameters"] =
          Queries({"dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy"});
    } else if (verb.action == "list") {
      operation["parameters"] =
          Queries({"allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit",
                   "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds",
                   "watch"});
    }
    Json::Object response;
    response["description"] = "OK";
    response["content"] = Content(MediaTypes(), verb.answer);
    Json::Object responses;
    responses["200"] = std::move(response);
    operation["responses"] = std::move(responses);
    return operation;
  }

  Json RequestBody(const Verb& verb) {
    Json::Object body;
    body["required"] = true;
    if (verb.method != "patch") {
      body["content"] = Content({"*/*"}, verb.answer);
      return body;
    }
    std::vector<std::string_view> types = {"application/apply-patch+yaml",
                                           "application/json-patch+json",
                                           "application/merge-patch+json"};
    if (!resource_.custom) types.emplace_back("application/strategic-merge-patch+json");
    Json::Object patch;
    patch["type"] = "object";
    body["content"] =
        Content(types, schemas_.Add("io.k8s.apimachinery.pkg.apis.meta.v1.Patch", patch));
    return body;
  }

  std::vector<std::string_view> MediaTypes() const {
    if (resource_.custom) return {"application/json", "application/yaml"};
    return {"application/json", "application/vnd.kubernetes.protobuf", "application/yaml"};
  }

  std::string CustomName(const std::string& kind) const {
    return Reversed(resource_.kind->group()) + "." + resource_.kind->version() + "." + kind;
  }

  Json ObjectReference() {
    const Kind& kind = *resource_.kind;
    if (!resource_.custom) return schemas_.Reference(kind.type());
    Json schema = Json::Object();
    if (resource_.custom->schema) {
      if (auto tree = api::ToJson(resource_.custom->schema->root())) schema = *std::move(tree);
    }
    auto& object = *schema.If<Json::Object>();
    object["type"] = "object";
    object["x-kubernetes-group-version-kind"] =
        Json::Array{GroupVersionKind(kind.group(), kind.version(), kind.name())};
    AddTypeMembers(object, schemas_.Reference(meta::v1::ObjectMeta::kType));
    return schemas_.Add(CustomName(kind.name()), std::move(schema));
  }

  Json ListReference(const Json& object) {
    const Kind& kind = *resource_.kind;
    if (!resource_.custom) {
      const auto* const type = api::FindKind(kind.api_version(), resource_.list_kind);
      return type != nullptr ? schemas_.Reference(*type) : object;
    }
    Json::Object items;
    items["type"] = "array";
    items["items"] = object;
    Json::Object properties;
    properties["items"] = std::move(items);
    Json::Object list;
    list["type"] = "object";
    list["required"] = Json::Array{"items"};
    list["properties"] = std::move(properties);
    list["x-kubernetes-group-version-kind"] =
        Json::Array{GroupVersionKind(kind.group(), kind.version(), resource_.list_kind)};
    AddTypeMembers(list, schemas_.Reference(meta::v1::ListMeta::kType));
    return schemas_.Add(CustomName(resource_.list_kind), std::move(list));
  }

  /// What a CRD's schema leaves to the server.
  static void AddTypeMembers(Json::Object& schema, Json metadata) {
    Json& properties = schema["properties"];
    if (properties.IsNull()) properties = Json::Object();
    auto* const members = properties.If<Json::Object>();
    if (members == nullptr) return;
    Json::Object text;
    text["type"] = "string";
    (*members)["apiVersion"] = text;
    (*members)["kind"] = text;
    Json::Object reference;
    reference["allOf"] = Json::Array{std::move(metadata)};
    (*members)["metadata"] = std::move(reference);
  }

  const Resource& resource_;
  const std::string base_;
  TypeSchemas& schemas_;
  Json::Object& paths_;
};

}  // namespace

std::string OpenApiDocument(const ServedGroup& group, const ServedVersion& version) {
  const std::string base =
      (group.name.empty() ? "/api/" : "/apis/" + group.name + "/") + version.version;
  TypeSchemas schemas;
  Json::Object paths;
  for (const ResourcePtr& resource : version.resources) {
    ResourcePaths(*resource, base, schemas, paths).Add();
  }
  // Every version has these, and clients look for them there.
  schemas.Reference(meta::v1::DeleteOptions::kType);
  schemas.Reference(meta::v1::Status::kType);
  Json::Object info;
  info["title"] = "Kubernetes";
  info["version"] = "1.37";
  Json::Object components;
  components["schemas"] = schemas.Take();
  Json::Object document;
  document["openapi"] = "3.0.0";
  document["info"] = std::move(info);
  document["paths"] = std::move(paths);
  document["components"] = std::move(components);
  return Json(std::move(document)).ToString();
}

}  // namespace flyball::sandbox

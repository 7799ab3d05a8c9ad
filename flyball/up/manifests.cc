#include "flyball/up/manifests.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "flyball/api/object_identity.h"
#include "flyball/api/yaml_documents.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/client/discovery.h"

namespace flyball::up {
namespace {

namespace fs = std::filesystem;
using api::Json;

std::string_view TextOf(const Json& object, std::string_view member) {
  const Json* const value = object.Find(member);
  const std::string* const text = value == nullptr ? nullptr : value->If<std::string>();
  return text == nullptr ? std::string_view() : *text;
}

Result<> Apply(const client::Client& client, client::RestMapper& mapper, const Json& object) {
  const std::string_view api_version = TextOf(object, "apiVersion");
  const std::size_t slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  FLYBALL_TRY(
      const client::ServedResource served,
      mapper.ByKind(core ? std::string_view() : api_version.substr(0, slash),
                    TextOf(object, "kind"), core ? api_version : api_version.substr(slash + 1)));
  const api::ObjectIdentity identity = api::IdentityOf(object);
  api::ObjectKey key{std::string(identity.namespace_), std::string(identity.name)};
  if (served.resource.namespaced && key.namespace_.empty()) key.namespace_ = "default";
  meta::v1::PatchOptions options;
  options.fieldManager = "flyball";
  options.force = true;
  FLYBALL_TRY(client.Dynamic(served.resource)
                  .Patch(key, {client::PatchType::kApply, object.ToString()}, options));
  return {};
}

}  // namespace

Result<std::vector<Json>> ParseManifests(std::string_view text) {
  std::vector<Json> objects;
  for (const api::YamlDocument& document : api::YamlDocumentsIn(text)) {
    api::JsonTreeSink tree;
    if (auto read = api::ReadYaml(document.text, tree); !read) {
      return std::unexpected(read.error().Wrap("document " + std::to_string(document.number)));
    }
    Json object = tree.Take();
    const Json* const items = object.Find("items");
    const auto* const list = items == nullptr ? nullptr : items->If<Json::Array>();
    if (TextOf(object, "kind") == "List" && list != nullptr) {
      objects.insert(objects.end(), list->begin(), list->end());
    } else {
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

Result<std::vector<Json>> ReadManifests(const fs::path& path) {
  std::error_code failed;
  std::vector<fs::path> files;
  if (fs::is_directory(path, failed)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(path, failed)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".yaml" || ending == ".yml" || ending == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    if (files.empty())
      return Fail(ErrorCode::kNotFound, path.string(),
                  "contains no manifests (*.yaml, *.yml, *.json)");
  } else {
    files.push_back(path);
  }
  std::vector<Json> objects;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return Fail(ErrorCode::kIo, file.string(), "cannot be opened");
    auto parsed = ParseManifests(std::string(std::istreambuf_iterator<char>(in), {}));
    if (!parsed) return std::unexpected(parsed.error().Wrap(file.string()));
    std::ranges::move(*parsed, std::back_inserter(objects));
  }
  return objects;
}

Result<> ApplyManifests(const client::Client& client, const std::vector<Json>& objects) {
  client::RestMapper mapper(client.rest());
  for (const Json& object : objects) {
    const api::ObjectIdentity identity = api::IdentityOf(object);
    if (auto applied = Apply(client, mapper, object); !applied) {
      return std::unexpected(applied.error().Wrap(std::string(TextOf(object, "kind")) + " " +
                                                  std::string(identity.name)));
    }
  }
  return {};
}

}  // namespace flyball::up

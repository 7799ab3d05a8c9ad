#include "flyball/ctl/manifest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "flyball/api/yaml_documents.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/ctl/json_field.h"
#include "flyball/ctl/resource_argument.h"

namespace flyball::ctl {
namespace {

namespace fs = std::filesystem;

bool IsManifest(const fs::path& file) {
  const fs::path extension = file.extension();
  return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

Result<std::string> ReadFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::unexpected(UsageError("open " + file.string() + ": cannot be opened"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The files that a path stands for.
Result<> Expand(const fs::path& path, bool recursive, bool inner, std::vector<fs::path>& files) {
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    return std::unexpected(UsageError("the path \"" + path.string() + "\" does not exist"));
  }
  if (!fs::is_directory(path, failed)) {
    if (!inner || IsManifest(path)) files.push_back(path);
    return {};
  }
  if (inner && !recursive) return {};
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(path, failed)) entries.push_back(entry.path());
  if (failed) {
    return std::unexpected(
        UsageError("error reading \"" + path.string() + "\": " + failed.message()));
  }
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) FLYBALL_TRY(Expand(entry, recursive, true, files));
  return {};
}

Result<Json> ParseDocument(std::string_view document) {
  // Nearly all JSON is YAML; what is not, for a tab in it, is read as what it is.
  if (auto json = Json::Parse(document)) return json;
  api::JsonTreeSink sink;
  FLYBALL_TRY(api::ReadYaml(document, sink));
  return sink.Take();
}

}  // namespace

Result<std::vector<Manifest>> ParseManifests(std::string_view text, const std::string& source) {
  std::vector<Manifest> manifests;
  for (const api::YamlDocument& document : api::YamlDocumentsIn(text)) {
    auto object = ParseDocument(document.text);
    if (!object) {
      return std::unexpected(
          UsageError("error parsing " + source + ": " + object.error().message()));
    }
    if (object->IsNull()) continue;
    const std::string kind = TextAt(*object, {"kind"});
    if (kind.empty()) {
      return std::unexpected(UsageError("unable to decode \"" + source +
                                        "\": Object 'Kind' is missing in '" + object->ToString() +
                                        "'"));
    }
    if (kind.ends_with("List") && FieldAt(*object, {"items"}) != nullptr) {
      for (const Json& item : ListAt(*object, {"items"})) manifests.push_back({item, source});
    } else {
      manifests.push_back({*std::move(object), source});
    }
  }
  return manifests;
}

Result<std::vector<Manifest>> ReadManifests(const Files& files, std::istream& in) {
  std::vector<Manifest> manifests;
  const auto add = [&](std::string_view text, const std::string& source) -> Result<> {
    FLYBALL_TRY(auto more, ParseManifests(text, source));
    std::ranges::move(more, std::back_inserter(manifests));
    return {};
  };
  for (const std::string& name : files.names) {
    if (name == "-") {
      FLYBALL_TRY(add(std::string(std::istreambuf_iterator<char>(in), {}), "STDIN"));
      continue;
    }
    std::vector<fs::path> expanded;
    FLYBALL_TRY(Expand(name, files.recursive, false, expanded));
    if (expanded.empty()) {
      return std::unexpected(UsageError("error reading [" + name +
                                        "]: recognized file extensions are [.json .yaml .yml]"));
    }
    for (const fs::path& file : expanded) {
      FLYBALL_TRY(const std::string text, ReadFile(file));
      FLYBALL_TRY(add(text, file.string()));
    }
  }
  return manifests;
}

Result<PlacedManifest> Place(Cluster& cluster, Manifest manifest) {
  FLYBALL_TRY(const client::Served* const served, cluster.Served());
  Json& object = manifest.object;
  PlacedManifest placed;
  placed.key = {TextAt(object, {"metadata", "namespace"}), NameOf(object)};
  const auto resource = FindKind(*served, TextAt(object, {"apiVersion"}), TextAt(object, {"kind"}));
  if (!resource) {
    return std::unexpected(UsageError("resource mapping not found for name: \"" + placed.key.name +
                                      "\" namespace: \"" + placed.key.namespace_ + "\" from \"" +
                                      manifest.source + "\": " + resource.error().message() +
                                      "\nensure CRDs are installed first"));
  }
  placed.resource = *resource;
  std::string& namespace_ = placed.key.namespace_;
  if (!placed.resource->resource.namespaced) {
    namespace_.clear();
    RemoveField(object, {"metadata", "namespace"});
  } else if (namespace_.empty()) {
    namespace_ = cluster.namespace_();
    MakeField(object, {"metadata", "namespace"}) = namespace_;
  } else if (cluster.namespace_given() && namespace_ != cluster.namespace_()) {
    return std::unexpected(UsageError("the namespace from the provided object \"" + namespace_ +
                                      "\" does not match the namespace \"" + cluster.namespace_() +
                                      "\". You must pass '--namespace=" + namespace_ +
                                      "' to perform this operation."));
  }
  placed.manifest = std::move(manifest);
  return placed;
}

Result<std::vector<PlacedManifest>> ReadPlaced(Cluster& cluster, const Files& files,
                                               Errors& errors) {
  FLYBALL_TRY(auto manifests, ReadManifests(files, cluster.console().in));
  std::vector<PlacedManifest> all;
  for (Manifest& manifest : manifests) {
    if (auto placed = Place(cluster, std::move(manifest))) {
      all.push_back(*std::move(placed));
    } else {
      errors.push_back(placed.error());
    }
  }
  return all;
}

}  // namespace flyball::ctl

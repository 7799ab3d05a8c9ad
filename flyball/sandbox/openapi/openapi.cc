#include "flyball/sandbox/openapi/openapi.h"

#include "flyball/api/json.h"
#include "flyball/sandbox/accept.h"
#include "flyball/sandbox/custom/custom_version.h"
#include "flyball/sandbox/discovery/discovery.h"
#include "flyball/sandbox/openapi/openapi_document.h"

namespace flyball::sandbox {
namespace {

using api::Json;

/// "api/v1", "apis/apps/v1".
std::string PathOf(const ServedGroup& group, const ServedVersion& version) {
  return (group.name.empty() ? "api/" : "apis/" + group.name + "/") + version.version;
}

/// Changes when the document does, and is had without making it.
std::string TagOf(const ServedGroup& group, const ServedVersion& version) {
  std::string facts = PathOf(group, version);
  for (const ResourcePtr& resource : version.resources) {
    facts += "\n" + resource->plural;
    for (const std::string& verb : resource->verbs) facts += " " + verb;
    for (const auto& subresource : resource->subresources) facts += " /" + subresource.name;
    if (!resource->custom || !resource->custom->schema) continue;
    if (const auto schema = api::ToJson(resource->custom->schema->root())) {
      facts += schema->ToString();
    }
  }
  return ContentTag(facts);
}

Answer IndexAnswer(const std::vector<ServedGroup>& groups) {
  Json::Object paths;
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& version : group.versions) {
      const std::string path = PathOf(group, version);
      Json::Object entry;
      entry["serverRelativeURL"] = "/openapi/v3/" + path + "?hash=" + TagOf(group, version);
      paths[path] = std::move(entry);
    }
  }
  Json::Object index;
  index["paths"] = std::move(paths);
  return {200, "application/json", Json(std::move(index)).ToString()};
}

bool AcceptsJson(const Request& request) {
  const auto clauses = ParseAccept(request.Header("accept"));
  if (clauses.empty()) return true;
  for (const AcceptClause& clause : clauses) {
    if (MediaOf(clause.type, /*protobuf=*/false) == MediaType::kJson) return true;
  }
  return false;
}

/// The older document, with nothing in it: kubectl wants it read before it says that a kind is not
/// there.
Answer OlderAnswer(const Request& request) {
  for (const AcceptClause& clause : ParseAccept(request.Header("accept"))) {
    // PARITY: asked for with an @, which no media type may have, and answered without.
    if (clause.type != "application/com.github.proto-openapi.spec.v2@v1.0+protobuf") continue;
    // Of a Document the members swagger (1) and info (2), of that title (1) and version (2).
    const auto text = [](char number, std::string_view bytes) {
      constexpr char kLengthDelimited = 2;
      std::string member = {static_cast<char>(number << 3 | kLengthDelimited),
                            static_cast<char>(bytes.size())};
      return member.append(bytes);
    };
    return {200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
            text(1, "2.0") + text(2, text(1, "Kubernetes") + text(2, "v1.37.1"))};
  }
  return {200, "application/json",
          R"({"swagger":"2.0","info":{"title":"Kubernetes","version":"v1.37.1"},"paths":{}})"};
}

}  // namespace

std::shared_ptr<const std::string> OpenApi::TextOf(const ServedGroup& group,
                                                   const ServedVersion& version) {
  const std::string path = PathOf(group, version);
  {
    const MutexLock lock(mutex_);
    const auto found = documents_.find(path);
    if (found != documents_.end() && found->second.made_from == version.resources) {
      return found->second.text;
    }
  }
  // Two who ask at once may both make it; they make the same.
  auto text = std::make_shared<const std::string>(OpenApiDocument(group, version));
  const MutexLock lock(mutex_);
  documents_[path] = {version.resources, text};
  return text;
}

std::optional<Answer> OpenApi::AnswerPath(const Request& request) {
  const auto& path = request.target.path;
  if (path.size() < 2 || path[0] != "openapi") return std::nullopt;
  if (path.size() == 2 && path[1] == "v2") return OlderAnswer(request);
  if (path[1] != "v3") return std::nullopt;
  if (!AcceptsJson(request)) return Answer::Text(406, "");
  const std::vector<ServedGroup> groups = ServedGroups(resources_);
  if (path.size() == 2) return IndexAnswer(groups);
  std::string wanted;
  for (std::size_t i = 2; i < path.size(); ++i) wanted += (i > 2 ? "/" : "") + path[i];
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& version : group.versions) {
      if (PathOf(group, version) != wanted) continue;
      Answer answer{200, "application/json"};
      answer.headers = {{"etag", "\"" + TagOf(group, version) + "\""}, {"vary", "Accept"}};
      answer.body = *TextOf(group, version);
      return answer;
    }
  }
  return std::nullopt;
}

}  // namespace flyball::sandbox

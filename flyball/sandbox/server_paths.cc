#include "flyball/sandbox/server_paths.h"

#include <algorithm>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/sandbox/discovery/served_groups.h"

namespace flyball::sandbox {
namespace {

using api::Json;

constexpr std::string_view kHealthPaths[] = {"healthz", "livez", "readyz"};
constexpr std::string_view kHealthChecks[] = {"ping", "storage"};

/// People read it with curl: it is indented whoever asks.
Answer JsonAnswer(const Json::Object& object) {
  return {200, "application/json", EncodeJsonResponse(Json(object).ToString(), {.pretty = true})};
}

Answer VersionAnswer() {
  Json::Object version;
  version["major"] = "1";
  version["minor"] = "37";
  version["emulationMajor"] = "1";
  version["emulationMinor"] = "37";
  version["minCompatibilityMajor"] = "1";
  version["minCompatibilityMinor"] = "36";
  version["gitVersion"] = "v1.37.1";
  version["gitCommit"] = "";
  version["gitTreeState"] = "";
  version["buildDate"] = "1970-01-01T00:00:00Z";
  version["goVersion"] = "";
  version["compiler"] = "";
  version["platform"] = "linux/amd64";
  return JsonAnswer(version);
}

Answer PathsAnswer(const Resources& resources) {
  std::vector<std::string> paths = {"/api",        "/apis",        "/apis/",
                                    "/openapi/v3", "/openapi/v3/", "/version"};
  for (const ServedGroup& group : ServedGroups(resources)) {
    const std::string path = group.name.empty() ? "/api" : "/apis/" + group.name;
    if (!group.name.empty()) paths.push_back(path);
    for (const ServedVersion& version : group.versions) {
      paths.push_back(path + "/" + version.version);
    }
  }
  for (const std::string_view health : kHealthPaths) {
    paths.push_back("/" + std::string(health));
    for (const std::string_view check : kHealthChecks) {
      paths.push_back("/" + std::string(health) + "/" + std::string(check));
    }
  }
  std::ranges::sort(paths);
  Json::Object answer;
  answer["paths"] = Json::Array(paths.begin(), paths.end());
  return JsonAnswer(answer);
}

/// A server that answers is well.
std::optional<Answer> HealthAnswer(const Request& request) {
  const auto& path = request.target.path;
  if (path.size() > 2 || std::ranges::find(kHealthPaths, path[0]) == std::end(kHealthPaths)) {
    return std::nullopt;
  }
  if (path.size() == 2) {
    const bool known = std::ranges::find(kHealthChecks, path[1]) != std::end(kHealthChecks);
    return known ? std::optional(Answer::Text(200, "ok")) : std::nullopt;
  }
  if (!request.target.query.Has("verbose")) return Answer::Text(200, "ok");
  std::string text;
  for (const std::string_view check : kHealthChecks) text += "[+]" + std::string(check) + " ok\n";
  return Answer::Text(200, text + path[0] + " check passed\n");
}

}  // namespace

std::optional<Answer> AnswerServerPath(const Request& request, const Resources& resources) {
  const auto& path = request.target.path;
  if (path.empty()) return PathsAnswer(resources);
  if (path.size() == 1 && path[0] == "version") return VersionAnswer();
  return HealthAnswer(request);
}

}  // namespace flyball::sandbox

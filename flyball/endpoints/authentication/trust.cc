#include "flyball/endpoints/authentication/trust.h"

#include <string_view>
#include <utility>

#include "flyball/api/json.h"

namespace flyball::endpoints {
namespace {

std::string Entry(const core::v1::ConfigMap& map, std::string_view key) {
  const std::string* const found = map.data.find(key);
  return found == nullptr ? "" : *found;
}

/// A list of texts, as JSON; nothing is an empty one.
Result<std::vector<std::string>> ReadList(const core::v1::ConfigMap& map, std::string_view key) {
  const std::string text = Entry(map, key);
  if (text.empty()) return std::vector<std::string>();
  FLYBALL_TRY(const api::Json json, api::Json::Parse(text));
  const auto* const array = json.If<api::Json::Array>();
  if (array == nullptr && !json.IsNull()) {
    return Fail(ErrorCode::kMalformed, std::string(key), "not a list");
  }
  std::vector<std::string> list;
  if (array == nullptr) return list;
  for (const api::Json& item : *array) {
    const auto* const value = item.If<std::string>();
    if (value == nullptr) return Fail(ErrorCode::kMalformed, std::string(key), "not all texts");
    list.push_back(*value);
  }
  return list;
}

/// Replaces authorities by others that are there and parse.
Result<> Replace(std::optional<Authorities>& authorities, const core::v1::ConfigMap& map,
                 std::string_view key) {
  std::string pem = Entry(map, key);
  if (pem.empty())
    return Fail(ErrorCode::kNotFound, "missing content for CA bundle " + std::string(key));
  if (authorities && authorities->pem == pem) return {};
  FLYBALL_TRY(authorities, Authorities::Parse(std::move(pem)));
  return {};
}

Result<> ReadProxyHeaders(const core::v1::ConfigMap& map, Trust& trust) {
  FrontProxyHeaders headers;
  FLYBALL_TRY(headers.username, ReadList(map, "requestheader-username-headers"));
  FLYBALL_TRY(headers.uid, ReadList(map, "requestheader-uid-headers"));
  FLYBALL_TRY(headers.group, ReadList(map, "requestheader-group-headers"));
  FLYBALL_TRY(headers.extra_prefix, ReadList(map, "requestheader-extra-headers-prefix"));
  FLYBALL_TRY(trust.proxy_names, ReadList(map, "requestheader-allowed-names"));
  trust.proxy_headers = std::move(headers);
  return {};
}

}  // namespace

Result<Authorities> Authorities::Parse(std::string pem) {
  FLYBALL_TRY(auto roots, serving::ClientRoots::Parse(pem));
  return Authorities{std::move(pem), std::move(roots)};
}

std::string Trust::AllRoots() const {
  std::string all;
  for (const auto* each : {&clients, &proxies}) {
    if (!*each) continue;
    all += (*each)->pem;
    if (!all.ends_with('\n')) all += '\n';
  }
  return all;
}

Result<> ReadClusterTrust(const core::v1::ConfigMap& map, ClusterTrustParts parts, Trust& trust) {
  Result<> all;
  const auto note = [&all](Result<> one) {
    if (all && !one) all = std::move(one);
  };
  if (parts.clients) note(Replace(trust.clients, map, "client-ca-file"));
  if (parts.proxies) {
    // Names before authorities: who would be believed under old names might not be under new ones.
    Result<> names = ReadProxyHeaders(map, trust);
    if (names) names = Replace(trust.proxies, map, "requestheader-client-ca-file");
    note(std::move(names));
  }
  return all;
}

}  // namespace flyball::endpoints

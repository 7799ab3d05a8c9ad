#include "flyball/endpoints/authentication/cluster_authentication_info.h"

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
    return Fail(ErrorCode::kMalformed, std::string(key), "must be a JSON list");
  }
  std::vector<std::string> list;
  if (array == nullptr) return list;
  for (const api::Json& item : *array) {
    const auto* const value = item.If<std::string>();
    if (value == nullptr)
      return Fail(ErrorCode::kMalformed, std::string(key), "must be a list of strings");
    list.push_back(*value);
  }
  return list;
}

/// Replaces a bundle by that of the configmap, if there is one and it parses.
Result<> Replace(std::optional<CaBundle>& bundle, const core::v1::ConfigMap& map,
                 std::string_view key) {
  std::string pem = Entry(map, key);
  if (pem.empty())
    return Fail(ErrorCode::kNotFound, "missing content for CA bundle " + std::string(key));
  if (bundle && bundle->pem == pem) return {};
  FLYBALL_TRY(bundle, CaBundle::Parse(std::move(pem)));
  return {};
}

Result<> ReadProxyHeaders(const core::v1::ConfigMap& map,
                          ClusterAuthenticationInfo& authentication_info) {
  FrontProxyHeaders headers;
  FLYBALL_TRY(headers.username, ReadList(map, "requestheader-username-headers"));
  FLYBALL_TRY(headers.uid, ReadList(map, "requestheader-uid-headers"));
  FLYBALL_TRY(headers.group, ReadList(map, "requestheader-group-headers"));
  FLYBALL_TRY(headers.extra_prefix, ReadList(map, "requestheader-extra-headers-prefix"));
  FLYBALL_TRY(authentication_info.proxy_names, ReadList(map, "requestheader-allowed-names"));
  authentication_info.proxy_headers = std::move(headers);
  return {};
}

}  // namespace

Result<CaBundle> CaBundle::Parse(std::string pem) {
  FLYBALL_TRY(auto roots, serving::ClientRoots::Parse(pem));
  return CaBundle{std::move(pem), std::move(roots)};
}

std::string ClusterAuthenticationInfo::AllRoots() const {
  std::string all;
  for (const auto* each : {&clients, &proxies}) {
    if (!*each) continue;
    all += (*each)->pem;
    if (!all.ends_with('\n')) all += '\n';
  }
  return all;
}

Result<> ReadClusterAuthenticationInfo(const core::v1::ConfigMap& map,
                                       ClusterAuthenticationParts parts,
                                       ClusterAuthenticationInfo& authentication_info) {
  Result<> all;
  const auto note = [&all](Result<> one) {
    if (all && !one) all = std::move(one);
  };
  if (parts.clients) note(Replace(authentication_info.clients, map, "client-ca-file"));
  if (parts.proxies) {
    // Names before the bundle: a proxy that old names allow might not be allowed by the new ones.
    Result<> names = ReadProxyHeaders(map, authentication_info);
    if (names) names = Replace(authentication_info.proxies, map, "requestheader-client-ca-file");
    note(std::move(names));
  }
  return all;
}

}  // namespace flyball::endpoints

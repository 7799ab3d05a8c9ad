#include "flyball/client/resource.h"

#include "flyball/base/check.h"

namespace flyball::client {

Resource Resource::Of(const api::TypeInfo& type) {
  FLYBALL_CHECK(type.resource != nullptr, type.name);
  return {std::string(type.group), std::string(type.version), std::string(type.resource->plural),
          std::string(type.name), type.resource->namespaced};
}

std::string Resource::Path(std::string_view namespace_, std::string_view name,
                           std::string_view subresource) const {
  std::string path;
  path.reserve(128);
  path.append(group.empty() ? "/api/" : "/apis/");
  if (!group.empty()) path.append(group).append("/");
  path.append(version);
  if (namespaced && !namespace_.empty()) {
    path.append("/namespaces/").append(EscapeUrl(namespace_));
  }
  path.append("/").append(plural);
  if (!name.empty()) path.append("/").append(EscapeUrl(name));
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

std::string EscapeUrl(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kDigits[static_cast<unsigned char>(c) >> 4];
      escaped += kDigits[static_cast<unsigned char>(c) & 0xf];
    }
  }
  return escaped;
}

}  // namespace flyball::client

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
  std::string path = group.empty() ? "/api/" : "/apis/" + group + "/";
  path += version;
  if (namespaced && !namespace_.empty()) path += "/namespaces/" + EscapeUrl(namespace_);
  path += "/" + plural;
  if (!name.empty()) path += "/" + EscapeUrl(name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
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

#include "flyball/endpoints/authentication/front_proxy.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "flyball/endpoints/request_target.h"

namespace flyball::endpoints {
namespace {

std::string Folded(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return folded;
}

/// The first value that says something.
std::string FirstOf(const std::vector<std::string>& names, const transport::Headers& headers) {
  for (const std::string& name : names) {
    if (const auto value = transport::FindHeader(headers, Folded(name)); !value.empty()) {
      return std::string(value);
    }
  }
  return "";
}

std::vector<std::string> AllOf(const std::vector<std::string>& names,
                               const transport::Headers& headers) {
  std::vector<std::string> values;
  for (const std::string& wanted : names) {
    const std::string folded = Folded(wanted);
    for (const auto& [name, value] : headers) {
      if (name == folded && !value.empty()) values.push_back(value);
    }
  }
  return values;
}

}  // namespace

std::optional<User> ReadFrontProxyHeaders(const FrontProxyHeaders& names,
                                          const transport::Headers& headers) {
  User user{.name = FirstOf(names.username, headers)};
  if (user.name.empty()) return std::nullopt;
  user.uid = FirstOf(names.uid, headers);
  user.groups = AllOf(names.group, headers);
  for (const std::string& wanted : names.extra_prefix) {
    const std::string prefix = Folded(wanted);
    for (const auto& [name, value] : headers) {
      if (!name.starts_with(prefix)) continue;
      const std::string escaped = name.substr(prefix.size());
      // What is not escaped as it should be is meant as it stands.
      user.extra[UnescapePath(escaped).value_or(escaped)].push_back(value);
    }
  }
  return user;
}

}  // namespace flyball::endpoints

#include "flyball/api/registry.h"

namespace flyball::api {

const TypeInfo* FindKind(std::span<const TypeInfo* const> kinds, std::string_view api_version,
                         std::string_view kind) {
  const auto slash = api_version.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view group = core ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version = core ? api_version : api_version.substr(slash + 1);
  const TypeInfo* common = nullptr;
  for (const TypeInfo* type : kinds) {
    if (type->name != kind) continue;
    if (type->group == group && type->version == version) return type;
    if (type->package == "meta/v1") common = type;
  }
  return common;
}

const TypeInfo* FindKind(std::string_view api_version, std::string_view kind) {
  return FindKind(AllKinds(), api_version, kind);
}

}  // namespace flyball::api

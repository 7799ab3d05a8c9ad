#pragma once

#include <span>
#include <string_view>

#include "flyball/api/type_info.h"

/// Finding a kind's table by name, for code that learns the kind at run time. Code that knows its
/// type says `core::v1::Pod::kType` instead, and links nothing it does not use.
namespace flyball::api {

/// Every kind of every group and version in the schema.
std::span<const TypeInfo* const> AllKinds();

/// The kind that `apiVersion` ("v1", "apps/v1") and `kind` name, or null. Options, WatchEvent and
/// Status, which upstream registers with every group, are found under any group and version.
const TypeInfo* FindKind(std::string_view api_version, std::string_view kind);

/// The same among other kinds, such as those that a program has from CRDs.
const TypeInfo* FindKind(std::span<const TypeInfo* const> kinds, std::string_view api_version,
                         std::string_view kind);

}  // namespace flyball::api

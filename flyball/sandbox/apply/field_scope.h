#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "flyball/sandbox/apply/field_filter.h"
#include "flyball/sandbox/apply/type_schema.h"

namespace flyball::sandbox::apply {

/// The other versions in which managers may know an object. Any thread.
class VersionConverter {
 public:
  virtual ~VersionConverter() = default;
  /// Null where the version is not served any more: managers who know only that are forgotten.
  virtual const TypeSchema* SchemaOf(std::string_view api_version) const = 0;
  virtual Result<Json> Convert(const Json& object, std::string_view from,
                               std::string_view to) const = 0;
};

/// What is written to: a resource or one of its subresources, in one version.
struct FieldScope {
  const TypeSchema& schema;
  std::string api_version;  ///< "apps/v1"
  std::string kind;
  std::string subresource = {};
  /// By version, what writes here can own; all where a version is not named.
  std::map<std::string, FieldFilter, std::less<>> filters = {};
  const VersionConverter* versions = nullptr;  ///< null: there is only one

  /// Null where the version is gone.
  const TypeSchema* SchemaOf(std::string_view version) const {
    if (version == api_version) return &schema;
    return versions != nullptr ? versions->SchemaOf(version) : nullptr;
  }
  /// Only between versions that have a schema.
  Result<Json> Convert(const Json& object, std::string_view from, std::string_view to) const {
    if (from == to) return object;
    return versions->Convert(object, from, to);
  }
  void Filter(FieldSet& fields, std::string_view version) const {
    if (const auto at = filters.find(version); at != filters.end()) at->second.Apply(fields);
  }
};

}  // namespace flyball::sandbox::apply

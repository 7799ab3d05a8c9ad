#pragma once

#include <string>

#include "flyball/api/json.h"
#include "flyball/api/type_info.h"

namespace flyball::sandbox {

/// The schemas of types, made from their tables, and of all that they are made of.
/// DIVERGES: without descriptions, enums and the defaults of single members, which the tables do
/// not have.
class TypeSchemas {
 public:
  /// {"$ref": "#/components/schemas/io.k8s.api.core.v1.Pod"}; the schema is there afterwards.
  api::Json Reference(const api::TypeInfo& type);
  /// The same for one that is given. A name that is there keeps what it has.
  api::Json Add(const std::string& name, api::Json schema);

  api::Json::Object Take() { return std::move(schemas_); }

 private:
  api::Json SchemaOf(const api::TypeInfo& type);
  void AddMembers(const api::TypeInfo& type, api::Json::Object& properties,
                  api::Json::Array& required);
  api::Json MemberSchema(const api::TypeInfo& owner, const api::Field& field);
  api::Json ValueSchema(const api::TypeInfo& owner, const api::Field& field);
  api::Json RawSchema(const api::TypeInfo& owner, const api::Field& field);

  api::Json::Object schemas_;
};

/// {"group": "apps", "kind": "Deployment", "version": "v1"}.
api::Json GroupVersionKind(std::string_view group, std::string_view version, std::string_view kind);

}  // namespace flyball::sandbox

#pragma once

#include <string>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/result.h"
#include "flyball/crd/cpp_identifier.h"
#include "flyball/gen/schema.h"

namespace flyball::crd {

/// Turns the schemas of one package's kinds into structs.
///
/// A named struct for every object with properties, called after the way to it:
/// CertificateSpecPrivateKey, with Item for an element of a list and Value for one of a map. A
/// member that must be there is a plain value; one that may be absent, or null, or that has a
/// default, is std::optional or Box. Lists and maps are themselves: they are absent when empty, or
/// `[]` and `{}` where they are required. A list or map inside of another, and an element that may
/// be null, is a struct with the one member `value`, of which JSON shows nothing else. What the
/// schema leaves open stays JSON.
class SchemaMapper {
 public:
  /// `names` are those of the package's structs; it has the kinds' already.
  SchemaMapper(std::string package, NameSet& names, std::vector<gen::StructFacts>& structs)
      : package_(std::move(package)), names_(names), structs_(structs) {}

  /// The struct of a kind, and all that it is made of. `path` is the schema's, for errors; the
  /// schema has passed CheckStructural().
  Result<> MapKind(const apiextensions::v1::JSONSchemaProps& schema, const std::string& name,
                   const std::string& kind, const std::string& path);

 private:
  using Props = apiextensions::v1::JSONSchemaProps;

  /// A schema, what its struct is to be called, and where it stands.
  struct Place {
    std::string name;
    std::string path;
    int depth = 0;

    Place Inside(const std::string& part, std::string at) const {
      return {name + part, std::move(at), depth + 1};
    }
  };

  Result<> Members(const Props& schema, const Place& place, gen::StructFacts& facts);
  Result<gen::FieldFacts> Member(const Props& schema, bool required, const Place& place);
  Result<gen::TypeRef> Type(const Props& schema, const Place& place);
  Result<gen::TypeRef> ObjectType(const Props& schema, const Place& place);
  Result<gen::TypeRef> Struct(const Props& schema, const Place& place);
  Result<gen::TypeRef> Element(const Props& schema, const Place& place);
  gen::TypeRef Named(const std::string& name) const;

  const std::string package_;
  NameSet& names_;
  std::vector<gen::StructFacts>& structs_;
};

}  // namespace flyball::crd

#pragma once

#include <map>
#include <string>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/json.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/apply/type_schema.h"
#include "flyball/sandbox/custom/pattern.h"

namespace flyball::sandbox {

/// A structural schema, as a CRD gives it for one version: what objects may have, what they get
/// where they have nothing, and what is wrong with them. Any thread.
///
/// DIVERGES: of formats only date-time is checked, CEL rules (x-kubernetes-validations) are not
/// evaluated, and every text matches a pattern that cannot be compiled: one that takes too much
/// memory or names a group as `(?<name>...)`.
class CustomSchema {
 public:
  using Props = apiextensions::v1::JSONSchemaProps;

  explicit CustomSchema(Props root);

  const Props& root() const { return root_; }
  /// As server-side apply sees it.
  const apply::TypeSchema& types() const { return types_; }

  /// Drops members that the schema does not name; their paths.
  std::vector<std::string> Prune(api::Json& object) const;
  /// Sets what is absent and has a default, and drops nulls where null is no value.
  void SetDefaults(api::Json& object) const;
  FieldErrors Validate(const api::Json& object) const;

  /// Whether a text matches a pattern of the schema.
  bool Matches(const std::string& text, const std::string& pattern) const;

 private:
  void CompilePatterns();

  const Props root_;
  const apply::TypeSchema types_;
  std::map<std::string, Pattern> patterns_;  // constant once constructed
};

}  // namespace flyball::sandbox

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/sandbox/apply/field_set.h"

namespace flyball::sandbox::apply {

/// Which fields a write through one resource or subresource can own: the server resets the others,
/// so that nobody who sends them has changed them. `status` of a Deployment, when it is not its
/// status that is written.
class FieldFilter {
 public:
  /// All fields.
  FieldFilter() = default;
  /// All but these, and what is below them.
  static FieldFilter Excluding(FieldSet excluded);
  /// Only what is below one of these paths of fields, and the steps on the way; "*" is any step.
  static FieldFilter Including(std::vector<std::vector<std::string>> patterns);

  void Apply(FieldSet& fields) const;

 private:
  FieldSet excluded_;
  std::vector<std::vector<std::string>> included_;  // empty: all
};

}  // namespace flyball::sandbox::apply

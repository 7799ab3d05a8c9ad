#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/selector_lookup.h"
#include "flyball/base/result.h"

namespace flyball::api {

enum class FieldOperator : std::uint8_t { kEquals, kNotEquals };

/// One condition on one field. Which fields a resource can be selected by is the server's to say.
struct FieldRequirement {
  std::string field;
  FieldOperator op = FieldOperator::kEquals;
  std::string value;

  friend bool operator==(const FieldRequirement&, const FieldRequirement&) = default;
};

/// Which objects, by a few of their fields: `metadata.name=web-0,status.phase!=Running`. All of its
/// requirements must hold; with none it selects every object; Nothing() selects none.
///
/// A value like any other: copy it freely, share a const one between threads.
class FieldSelector {
 public:
  /// Selects everything.
  FieldSelector() = default;
  static FieldSelector Everything() { return FieldSelector(); }
  static FieldSelector Nothing();
  static FieldSelector Equals(std::string field, std::string value);
  static FieldSelector NotEquals(std::string field, std::string value);

  /// Reads the string form, what the `fieldSelector` query parameter holds: terms `field=value`,
  /// `field==value` and `field!=value` joined by commas, where `\` stands before each `,` `=` and
  /// `\` of a value. Blanks are part of the text. Terms are sorted; empty ones are skipped, and so
  /// is one with neither field nor value. kMalformed otherwise, naming the term.
  [[nodiscard]] static Result<FieldSelector> Parse(std::string_view text);

  /// Puts a condition behind the others. Nothing() still selects nothing.
  void Add(FieldRequirement requirement);

  /// Whether an object with these fields is selected. A field that `fields` does not know is empty.
  template <ValueSource Fields>
  bool Matches(const Fields& fields) const {
    if (nothing_) return false;
    for (const FieldRequirement& requirement : requirements_) {
      const std::string_view value =
          LookUpValue(fields, requirement.field).value_or(std::string_view());
      if ((value == requirement.value) != (requirement.op == FieldOperator::kEquals)) return false;
    }
    return true;
  }

  bool SelectsEverything() const { return !nothing_ && requirements_.empty(); }
  bool SelectsNothing() const { return nothing_; }

  std::span<const FieldRequirement> requirements() const { return requirements_; }

  /// The one value that `field` must have, if the selector says so.
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;

  /// The string form; `==` becomes `=`. Nothing() has none and gives "".
  std::string ToString() const;

  friend bool operator==(const FieldSelector&, const FieldSelector&) = default;

 private:
  std::vector<FieldRequirement> requirements_;
  bool nothing_ = false;
};

/// A value as it stands in a field selector: `a,b` becomes `a\,b`.
std::string EscapeFieldValue(std::string_view value);

/// The reverse. Fails on a `,` or `=` without its backslash and on a backslash before anything
/// else.
[[nodiscard]] Result<std::string> UnescapeFieldValue(std::string_view text);

}  // namespace flyball::api

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::sandbox {

/// A place, or several, in a JSON document, as CRDs name them: `.spec.replicas`, `.items[0]`,
/// `.items[*].name`, `['a.b']`, `.status.conditions[?(@.type=="Ready")].status`.
/// DIVERGES: slices, unions, recursive descent and other comparisons are not there, which columns
/// of CRDs hardly ever have.
class JsonPath {
 public:
  static Result<JsonPath> Parse(std::string_view text);

  /// All that it leads to, in order. What is not there is left out.
  std::vector<const api::Json*> Find(const api::Json& document) const;
  /// The first of these; null if there is none.
  const api::Json* FindFirst(const api::Json& document) const;

  /// Names alone, one below the other: ".spec.replicas". Only such a path can be written to.
  bool IsPlain() const;
  /// Puts a value there, into objects made on the way as needed. False if something else is in the
  /// way, or the path is not plain.
  bool Put(api::Json& document, api::Json value) const;

 private:
  struct Member {
    std::string name;
  };
  struct Element {
    std::int64_t index;  // negative: from the end
  };
  struct Everything {};
  struct Filter {
    std::vector<std::string> members;  // below the element
    api::Json value;
  };
  using Step = std::variant<Member, Element, Everything, Filter>;

  static Result<Step> ParseBrackets(std::string_view inside);
  static Result<Step> ParseFilter(std::string_view inside);
  static void Take(const Step& step, const api::Json& from, std::vector<const api::Json*>& to);

  std::vector<Step> steps_;
};

}  // namespace flyball::sandbox

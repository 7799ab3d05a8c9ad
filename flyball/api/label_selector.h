#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/selector_lookup.h"
#include "flyball/base/result.h"

namespace flyball::api {

/// How a requirement relates a label to its values. `=` and `==` mean the same and stay apart
/// because the printed form keeps the spelling it was read in.
enum class LabelOperator : std::uint8_t {
  kIn,
  kNotIn,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kExists,
  kDoesNotExist,
  kGreaterThan,
  kLessThan,
};

/// The spelling in a selector's string form: "in", "notin", "=", "==", "!=", "exists", "!", ">",
/// "<" ("exists" is for messages; in a selector it is the bare key).
std::string_view ToString(LabelOperator op);

/// One condition on one label. Made only by Selector, hence valid: a key and values that labels can
/// have, and as many values as the operator takes. Values are sorted; duplicates are kept, since
/// the structured form may hold them and printing shows them.
class LabelRequirement {
 public:
  const std::string& key() const { return key_; }
  LabelOperator op() const { return op_; }
  std::span<const std::string> values() const { return values_; }

  /// Whether an object satisfies this whose label `key()` is `value`, or which has no such label.
  bool Matches(std::optional<std::string_view> value) const {
    switch (op_) {
      case LabelOperator::kEquals:
      case LabelOperator::kDoubleEquals:
      case LabelOperator::kIn:
        return value && HasValue(*value);
      case LabelOperator::kNotEquals:
      case LabelOperator::kNotIn:
        return !value || !HasValue(*value);
      case LabelOperator::kExists:
        return value.has_value();
      case LabelOperator::kDoesNotExist:
        return !value;
      case LabelOperator::kGreaterThan:
      case LabelOperator::kLessThan:
        return value && ComparesToBound(*value);
    }
    return false;
  }

  std::string ToString() const;

  friend bool operator==(const LabelRequirement&, const LabelRequirement&) = default;

 private:
  friend class Selector;
  LabelRequirement(std::string key, LabelOperator op, std::vector<std::string> values);
  static Result<LabelRequirement> Make(std::string key, LabelOperator op,
                                       std::vector<std::string> values);

  bool HasValue(std::string_view value) const {
    if (values_.size() == 1) return values_.front() == value;
    return IsOneOfMany(value);
  }
  bool IsOneOfMany(std::string_view value) const;
  bool ComparesToBound(std::string_view value) const;
  void AppendTo(std::string& out) const;

  std::string key_;
  std::vector<std::string> values_;
  std::int64_t bound_ = 0;  ///< the value as a number, for kGreaterThan and kLessThan
  LabelOperator op_;
};

/// Which objects, by their labels: all of its requirements must hold. With no requirements it
/// selects every object; Nothing() selects none. (The API message of the same purpose is called
/// LabelSelector; FromMessage() turns it into this.)
///
/// Invariant: requirements are in the order of their keys; those of one key in the order they were
/// added. A value like any other: copy it freely, share a const one between threads.
class Selector {
 public:
  /// Selects everything.
  Selector() = default;
  static Selector Everything() { return Selector(); }
  static Selector Nothing();

  /// Reads the string form: `a=b,c==d,e!=f,g in (x,y),h notin (z),i,!j,k>5,l<6`, what `kubectl -l`
  /// and the `labelSelector` query parameter take. Keys and values are held to the rules of labels;
  /// kMalformed for bad syntax, kInvalid for a bad key, value or number. The empty text selects
  /// everything.
  [[nodiscard]] static Result<Selector> Parse(std::string_view text);

  /// Reads the structured form: `message` is a `LabelSelector`, or a pointer-like thing
  /// (raw or smart pointer, std::optional) that may be null. A null one selects nothing, an empty
  /// one everything. The error's path is that in the message: "matchExpressions[2].values[0]".
  template <class MessageOrPointer>
  [[nodiscard]] static Result<Selector> FromMessage(const MessageOrPointer& message);

  /// The objects that have all of these labels: what a Service and a ReplicationController have for
  /// a selector. Nothing is validated, since the API server did when it took the object. No labels:
  /// everything; a Service without a selector, which selects nothing, is the caller's to notice.
  template <class PairRange>
  static Selector FromLabels(const PairRange& labels);

  /// Adds a condition. The error's path is "key", "operator", "values" or "values[i]". Nothing()
  /// checks it and still selects nothing. For as many as somebody has written there is Builder,
  /// which does not move those before to make room for each.
  [[nodiscard]] Result<> AddRequirement(std::string key, LabelOperator op,
                                        std::vector<std::string> values = {});

  /// Takes conditions in any order and sorts them once.
  class Builder;

  /// Whether an object with these labels is selected. Takes the sum of requirements and labels at
  /// most, or of the requirements times the logarithm of the labels where those are in a map.
  /// Allocates nothing, unless the labels are a range in no order and the requirements many.
  template <ValueSource Labels>
  bool Matches(const Labels& labels) const {
    if (nothing_) return false;
    if constexpr (!selector_lookup::Function<Labels>) {
      const bool many = requirements_.size() > selector_lookup::kFew;
      if constexpr (selector_lookup::SortedRange<Labels>) {
        if (many) return MatchesSorted(labels);
      } else if constexpr (!selector_lookup::Map<Labels>) {
        if (many) return MatchesSorted(selector_lookup::Sorted(labels));
      }
    }
    for (const LabelRequirement& requirement : requirements_) {
      if (!requirement.Matches(LookUpValue(labels, requirement.key()))) return false;
    }
    return true;
  }

  /// Every object is selected. A false answer does not promise that some are not.
  bool SelectsEverything() const { return !nothing_ && requirements_.empty(); }
  /// No object is selected. True for Nothing() only; `a,!a` is not seen through.
  bool SelectsNothing() const { return nothing_; }

  std::span<const LabelRequirement> requirements() const { return requirements_; }

  /// The one value that `key` must have, if the selector says so.
  /// PARITY: only the first requirement of that key is looked at.
  std::optional<std::string_view> RequiresExactMatch(std::string_view key) const;

  /// The string form, requirements by key, values sorted. Parse() reads it back as the same
  /// selector, but for Nothing(), which has no string form and gives "".
  std::string ToString() const;

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  /// Of many: one walk through both.
  template <class Labels>
  bool MatchesSorted(const Labels& labels) const {
    auto at = std::ranges::begin(labels);
    const auto end = std::ranges::end(labels);
    for (const LabelRequirement& requirement : requirements_) {
      at = selector_lookup::Advance(at, end, requirement.key());
      if (!requirement.Matches(selector_lookup::ValueAt(at, end, requirement.key()))) return false;
    }
    return true;
  }

  std::vector<LabelRequirement> requirements_;
  bool nothing_ = false;
};

class Selector::Builder {
 public:
  /// As Selector::AddRequirement().
  [[nodiscard]] Result<> Add(std::string key, LabelOperator op,
                             std::vector<std::string> values = {});
  /// A member of a LabelSelector's matchLabels. The error's path is that in the message.
  [[nodiscard]] Result<> AddMatchLabel(std::string_view key, std::string_view value);
  /// One of its matchExpressions, by its place among them.
  [[nodiscard]] Result<> AddExpression(std::size_t index, std::string_view key, std::string_view op,
                                       std::vector<std::string> values);
  /// The label must have the value, be they what they may.
  void AddUnchecked(std::string_view key, std::string_view value);

  Selector Build() &&;

 private:
  std::vector<LabelRequirement> requirements_;
};

template <class MessageOrPointer>
Result<Selector> Selector::FromMessage(const MessageOrPointer& message) {
  if constexpr (requires { message.matchLabels; }) {
    Builder builder;
    for (const auto& [key, value] : message.matchLabels) {
      FLYBALL_TRY(builder.AddMatchLabel(key, value));
    }
    std::size_t index = 0;
    for (const auto& expression : message.matchExpressions) {
      std::vector<std::string> values(expression.values.begin(), expression.values.end());
      FLYBALL_TRY(
          builder.AddExpression(index++, expression.key, expression.operator_, std::move(values)));
    }
    return std::move(builder).Build();
  } else {
    if (!message) return Nothing();
    return FromMessage(*message);
  }
}

template <class PairRange>
Selector Selector::FromLabels(const PairRange& labels) {
  Builder builder;
  for (const auto& [key, value] : labels) builder.AddUnchecked(key, value);
  return std::move(builder).Build();
}

}  // namespace flyball::api

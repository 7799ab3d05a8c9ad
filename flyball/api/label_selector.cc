#include "flyball/api/label_selector.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include "flyball/api/label_validation.h"
#include "flyball/base/stable_sort.h"

namespace flyball::api {
namespace {

/// A decimal number with an optional sign. Labels of objects are compared too, and theirs may
/// have the '+' that from_chars does not take.
std::optional<std::int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

Result<> CheckValueCount(LabelOperator op, std::size_t count) {
  const auto wrong = [&](std::string_view wanted) {
    return Fail(ErrorCode::kInvalid, "values",
                "the operator '" + std::string(ToString(op)) + "' takes " + std::string(wanted) +
                    ", not " + std::to_string(count));
  };
  switch (op) {
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      if (count == 0) return wrong("at least one value");
      return {};
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kNotEquals:
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      if (count != 1) return wrong("one value");
      return {};
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      if (count != 0) return wrong("no values");
      return {};
  }
  return Fail(ErrorCode::kInvalid, "operator", "no such operator");
}

Result<> CheckKey(std::string_view key) {
  if (const auto valid = ValidateQualifiedName(key); !valid) {
    return Fail(ErrorCode::kInvalid, "key",
                "label key " + QuoteForMessage(key) + ": " + valid.error().message());
  }
  return {};
}

Result<> CheckValues(LabelOperator op, std::span<const std::string> values) {
  const bool numeric = op == LabelOperator::kGreaterThan || op == LabelOperator::kLessThan;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bad = [&](std::string_view reason) {
      return Fail(ErrorCode::kInvalid, "values[" + std::to_string(i) + "]",
                  "label value " + QuoteForMessage(values[i]) + ": " + std::string(reason));
    };
    if (const auto valid = ValidateLabelValue(values[i]); !valid) {
      return bad(valid.error().message());
    }
    if (numeric && !ParseInteger(values[i])) return bad("not a 64-bit decimal integer");
  }
  return {};
}

/// From "key" to "matchExpressions[2].key".
std::unexpected<Error> Under(std::string parent, const Error& error) {
  return Fail(error.code(), std::move(parent) + "." + error.path(), error.message());
}

}  // namespace

std::string_view ToString(LabelOperator op) {
  switch (op) {
    case LabelOperator::kIn:
      return "in";
    case LabelOperator::kNotIn:
      return "notin";
    case LabelOperator::kEquals:
      return "=";
    case LabelOperator::kDoubleEquals:
      return "==";
    case LabelOperator::kNotEquals:
      return "!=";
    case LabelOperator::kExists:
      return "exists";
    case LabelOperator::kDoesNotExist:
      return "!";
    case LabelOperator::kGreaterThan:
      return ">";
    case LabelOperator::kLessThan:
      return "<";
  }
  return "unknown";
}

LabelRequirement::LabelRequirement(std::string key, LabelOperator op,
                                   std::vector<std::string> values)
    : key_(std::move(key)), values_(std::move(values)), op_(op) {
  std::ranges::sort(values_);
  if (op_ == LabelOperator::kGreaterThan || op_ == LabelOperator::kLessThan) {
    bound_ = ParseInteger(values_.front()).value_or(0);
  }
}

bool LabelRequirement::IsOneOfMany(std::string_view value) const {
  // Most values differ in length, which is all that a failed comparison of a short list looks at.
  constexpr std::size_t kShort = 8;
  if (values_.size() <= kShort) {
    return std::ranges::any_of(values_, [&](const std::string& own) { return own == value; });
  }
  const auto place = std::ranges::lower_bound(values_, value, std::less<>());
  return place != values_.end() && *place == value;
}

bool LabelRequirement::ComparesToBound(std::string_view value) const {
  const auto number = ParseInteger(value);
  if (!number) return false;
  return op_ == LabelOperator::kGreaterThan ? *number > bound_ : *number < bound_;
}

void LabelRequirement::AppendTo(std::string& out) const {
  if (op_ == LabelOperator::kDoesNotExist) out.push_back('!');
  out.append(key_);
  if (op_ == LabelOperator::kExists || op_ == LabelOperator::kDoesNotExist) return;

  const bool set = op_ == LabelOperator::kIn || op_ == LabelOperator::kNotIn;
  if (set) out.push_back(' ');
  out.append(api::ToString(op_));
  if (set) out.append(" (");
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i > 0) out.push_back(',');
    out.append(values_[i]);
  }
  if (set) out.push_back(')');
}

std::string LabelRequirement::ToString() const {
  std::string text;
  AppendTo(text);
  return text;
}

Selector Selector::Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelRequirement> LabelRequirement::Make(std::string key, LabelOperator op,
                                                std::vector<std::string> values) {
  FLYBALL_TRY(CheckKey(key));
  FLYBALL_TRY(CheckValueCount(op, values.size()));
  FLYBALL_TRY(CheckValues(op, values));
  return LabelRequirement(std::move(key), op, std::move(values));
}

Result<> Selector::AddRequirement(std::string key, LabelOperator op,
                                  std::vector<std::string> values) {
  FLYBALL_TRY(LabelRequirement requirement,
              LabelRequirement::Make(std::move(key), op, std::move(values)));
  if (nothing_) return {};
  const auto place = std::ranges::upper_bound(requirements_, requirement.key(), std::less<>(),
                                              &LabelRequirement::key);
  requirements_.insert(place, std::move(requirement));
  return {};
}

Result<> Selector::Builder::Add(std::string key, LabelOperator op,
                                std::vector<std::string> values) {
  FLYBALL_TRY(LabelRequirement requirement,
              LabelRequirement::Make(std::move(key), op, std::move(values)));
  requirements_.push_back(std::move(requirement));
  return {};
}

Result<> Selector::Builder::AddMatchLabel(std::string_view key, std::string_view value) {
  const auto added = Add(std::string(key), LabelOperator::kEquals, {std::string(value)});
  if (added) return {};
  return Fail(added.error().code(), "matchLabels[" + QuoteForMessage(key) + "]",
              added.error().message());
}

Result<> Selector::Builder::AddExpression(std::size_t index, std::string_view key,
                                          std::string_view op, std::vector<std::string> values) {
  // The structured form has fewer operators than the string form, under names of its own.
  constexpr std::pair<std::string_view, LabelOperator> kNames[] = {
      {"In", LabelOperator::kIn},
      {"NotIn", LabelOperator::kNotIn},
      {"Exists", LabelOperator::kExists},
      {"DoesNotExist", LabelOperator::kDoesNotExist},
  };
  std::string path = "matchExpressions[" + std::to_string(index) + "]";
  for (const auto& [name, known] : kNames) {
    if (name != op) continue;
    const auto added = Add(std::string(key), known, std::move(values));
    if (!added) return Under(std::move(path), added.error());
    return {};
  }
  return Fail(ErrorCode::kInvalid, std::move(path) + ".operator",
              QuoteForMessage(op) + " is none of In, NotIn, Exists, DoesNotExist");
}

void Selector::Builder::AddUnchecked(std::string_view key, std::string_view value) {
  requirements_.push_back(
      LabelRequirement(std::string(key), LabelOperator::kEquals, {std::string(value)}));
}

// DIVERGES: requirements of one key stay in the order they were added. Upstream's sort is unstable
// beyond twelve requirements and may then print those of one key in another order.
Selector Selector::Builder::Build() && {
  if (!std::ranges::is_sorted(requirements_, std::less<>(), &LabelRequirement::key)) {
    StableSort(requirements_, std::less<>(), &LabelRequirement::key);
  }
  Selector selector;
  selector.requirements_ = std::move(requirements_);
  return selector;
}

std::optional<std::string_view> Selector::RequiresExactMatch(std::string_view key) const {
  const auto place =
      std::ranges::lower_bound(requirements_, key, std::less<>(), &LabelRequirement::key);
  if (place == requirements_.end() || place->key() != key || place->values().size() != 1) {
    return std::nullopt;
  }
  switch (place->op()) {
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kIn:
      return place->values().front();
    default:
      return std::nullopt;
  }
}

std::string Selector::ToString() const {
  std::string text;
  for (const LabelRequirement& requirement : requirements_) {
    if (!text.empty()) text.push_back(',');
    requirement.AppendTo(text);
  }
  return text;
}

}  // namespace flyball::api

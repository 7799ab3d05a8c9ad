#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

/// Whether pods put up with what nodes are tainted with. Taints and tolerations are of generated
/// types or of views.
namespace flyball::api {

struct TolerationRules {
  /// The feature gate TaintTolerationComparisonOperators: `Gt` and `Lt` mean something.
  bool compare_numbers = false;
};

namespace toleration {

/// An integer as one writes it: no plus sign, no zeros in front.
inline std::optional<std::int64_t> Number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.starts_with('0') && text != "0") return std::nullopt;
  return number;
}

}  // namespace toleration

template <typename Toleration>
bool Tolerates(const Toleration& toleration, std::string_view key, std::string_view value,
               std::string_view effect, TolerationRules rules = {}) {
  const std::string_view op = toleration.operator_;
  const std::string_view its_value = toleration.value;
  if (!toleration.effect.empty() && toleration.effect != effect) return false;
  if (!toleration.key.empty() && toleration.key != key) return false;
  if (op == "Exists") return true;
  if (op.empty() || op == "Equal") return its_value == value;
  if (!rules.compare_numbers || (op != "Gt" && op != "Lt")) return false;
  const auto bound = toleration::Number(its_value);
  const auto actual = toleration::Number(value);
  if (!bound || !actual) return false;
  return op == "Gt" ? *actual > *bound : *actual < *bound;
}

/// Whether any of them tolerates a taint.
template <typename Tolerations, typename Taint>
bool AnyTolerates(const Tolerations& tolerations, const Taint& taint, TolerationRules rules = {}) {
  return std::ranges::any_of(tolerations, [&](const auto& one) {
    return Tolerates(one, taint.key, taint.value, taint.effect, rules);
  });
}

}  // namespace flyball::api

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/api/human_duration.h"
#include "flyball/api/map.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/time.h"
#include "flyball/base/clock.h"

/// How values look in cells.
namespace flyball::sandbox::printing {

using api::HumanDuration;

/// How long ago that was; "<unknown>" if it is not set.
template <api::TimeForm kForm>
std::string Since(const api::BasicTime<kForm>& moment, WallTime now) {
  if (moment.IsZero()) return "<unknown>";
  return HumanDuration(api::BasicTime<kForm>(now) - moment);
}
template <typename T>
std::string AgeOf(const T& object, WallTime now) {
  return Since(object.metadata.creationTimestamp, now);
}

inline std::string Or(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}
/// What an optional holds, or something else.
template <typename Optional>
std::string TextOr(const Optional& text, std::string_view otherwise) {
  return text ? std::string(*text) : std::string(otherwise);
}
inline std::string Fraction(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}
template <typename Container>
std::int64_t Count(const Container& container) {
  return static_cast<std::int64_t>(container.size());
}

template <typename Container>
std::string Join(const Container& texts, std::string_view separator = ",") {
  std::string joined;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) joined += separator;
    joined += text;
    first = false;
  }
  return joined;
}

std::string InLowerCase(std::string text);

/// The first few; "a,b,c + 2 more..." where there are more.
std::string FirstFew(const std::vector<std::string>& texts, std::size_t few,
                     std::string_view separator = ",");

/// "a=b,c=d"; "<none>" if there are none.
std::string LabelsText(const api::Map<std::string>& labels);
std::string SelectorText(const meta::v1::LabelSelector& selector);
template <typename Optional>
  requires requires(const Optional& optional) { *optional; }
std::string SelectorText(const Optional& selector) {
  return selector ? SelectorText(*selector) : "<none>";
}

std::string ContainerNames(const std::vector<core::v1::Container>& containers);
std::string ContainerImages(const std::vector<core::v1::Container>& containers);

/// Addresses that a load balancer was given.
template <typename Ingress>
std::string IngressAddresses(const std::vector<Ingress>& ingress) {
  std::set<std::string> addresses;
  for (const Ingress& each : ingress) {
    const std::string& address = each.ip.empty() ? each.hostname : each.ip;
    if (!address.empty()) addresses.insert(address);
  }
  return Join(addresses);
}

/// The status of the first condition of a type; empty if there is none.
template <typename Condition>
std::string_view ConditionStatus(const std::vector<Condition>& conditions, std::string_view type) {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return condition.status;
  }
  return {};
}

}  // namespace flyball::sandbox::printing

#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "flyball/api/value.h"

/// What the tables of defaults are written in. A table's rows read
///
///   Default<&Container::terminationMessagePath>("/dev/termination-log"),
///   Default<&Job::spec, &JobSpec::suspend>(false),
///   RoundUpToMilli<&PodSpec::overhead>(),
///   Compute<SyncPodIPs>(),
///
/// and hold for every occurrence of the type they start at: Container, Job, PodSpec, and whatever
/// SyncPodIPs() takes. A type's rows are applied in the order in which they stand, outer types
/// before what is in them.
namespace flyball::api {

/// Stands for a struct with nothing set.
struct EmptyObject {};

/// The constant that a row gives to a member.
struct DefaultValue {
  std::int64_t number = 0;
  std::string_view text = {};
};

struct DefaultRule {
  const TypeInfo* type;
  void (*apply)(void* object, const DefaultValue& value);
  DefaultValue value;
};

/// The rows of one topic, and the kinds whose defaults they complete. Upstream sets no defaults in
/// other kinds, even if they contain one of the types.
struct DefaultTable {
  std::span<const TypeInfo* const> kinds;
  std::span<const DefaultRule> rules;
};

namespace default_rule_internal {

template <typename MemberPointer>
struct Parts;
template <typename T, typename M>
struct Parts<M T::*> {
  using Owner = T;
  using Member = M;
};

/// A path of members: the struct it starts at, and what it leads to.
template <auto kFirst, auto... kRest>
struct Path {
  using Owner = typename Parts<decltype(kFirst)>::Owner;
  using Target = typename Path<kRest...>::Target;
  static Target& Follow(Owner& object) { return Path<kRest...>::Follow(object.*kFirst); }
};
template <auto kLast>
struct Path<kLast> {
  using Owner = typename Parts<decltype(kLast)>::Owner;
  using Target = typename Parts<decltype(kLast)>::Member;
  static Target& Follow(Owner& object) { return object.*kLast; }
};

/// How a member of type T tells that it is unset, and what constants it takes.
template <typename T>
struct Slot {
  template <typename Value>
  static constexpr bool kTakes =
      std::same_as<T, bool> ? std::same_as<Value, bool>
                            : std::same_as<Value, int> && std::integral<T>;
  static bool IsUnset(T member) { return member == T(); }
  static void Set(T& member, const DefaultValue& value) { member = static_cast<T>(value.number); }
};
template <>
struct Slot<std::string> {
  template <typename Value>
  static constexpr bool kTakes = std::convertible_to<Value, std::string_view>;
  static bool IsUnset(const std::string& member) { return member.empty(); }
  static void Set(std::string& member, const DefaultValue& value) { member = value.text; }
};
template <typename T>
struct Slot<std::optional<T>> {
  template <typename Value>
  static constexpr bool kTakes = Slot<T>::template kTakes<Value>;
  static bool IsUnset(const std::optional<T>& member) { return !member; }
  static void Set(std::optional<T>& member, const DefaultValue& value) {
    Slot<T>::Set(member.emplace(), value);
  }
};
template <typename T>
struct Slot<Box<T>> {
  template <typename Value>
  static constexpr bool kTakes = std::same_as<Value, EmptyObject>;
  static bool IsUnset(const Box<T>& member) { return !member; }
  static void Set(Box<T>& member, const DefaultValue& /*empty*/) { member.emplace(); }
};

constexpr DefaultValue Constant(std::int64_t number) { return {.number = number}; }
constexpr DefaultValue Constant(std::string_view text) { return {.text = text}; }
constexpr DefaultValue Constant(EmptyObject) { return {}; }

template <typename Function>
struct ArgumentOf;
template <typename T>
struct ArgumentOf<void (*)(T&)> {
  using Type = T;
};

}  // namespace default_rule_internal

/// When the member is absent, empty or zero, it becomes the value. More than one member is a path.
template <auto... kPath, typename Value>
constexpr DefaultRule Default(Value value) {
  using Path = default_rule_internal::Path<kPath...>;
  using Slot = default_rule_internal::Slot<typename Path::Target>;
  static_assert(Slot::template kTakes<Value>, "the member is of another type");
  return {&Path::Owner::kType,
          [](void* object, const DefaultValue& constant) {
            auto& member = Path::Follow(*static_cast<typename Path::Owner*>(object));
            if (Slot::IsUnset(member)) Slot::Set(member, constant);
          },
          default_rule_internal::Constant(value)};
}

/// A quantity finer than a thousandth is rounded away from zero, in each entry of a resource list.
template <auto kMember>
constexpr DefaultRule RoundUpToMilli() {
  using Owner = typename default_rule_internal::Path<kMember>::Owner;
  return {&Owner::kType,
          [](void* object, const DefaultValue&) {
            for (auto& [name, quantity] : static_cast<Owner*>(object)->*kMember) {
              quantity.RoundUp(Quantity::kMilli);
            }
          },
          {}};
}

/// What depends on more than the member itself: calls `kFunction` with the object.
template <auto kFunction>
constexpr DefaultRule Compute() {
  using T = typename default_rule_internal::ArgumentOf<decltype(kFunction)>::Type;
  return {&T::kType,
          [](void* object, const DefaultValue&) { kFunction(*static_cast<T*>(object)); },
          {}};
}

extern const DefaultTable kPodDefaults;
extern const DefaultTable kVolumeDefaults;
extern const DefaultTable kAppsDefaults;
extern const DefaultTable kBatchDefaults;
extern const DefaultTable kServiceDefaults;
extern const DefaultTable kAutoscalingDefaults;
extern const DefaultTable kClusterDefaults;
extern const DefaultTable kPolicyDefaults;

std::span<const DefaultTable* const> AllDefaultTables();

}  // namespace flyball::api

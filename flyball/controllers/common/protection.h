#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/runtime/context.h"

/// Finalizers that keep storage from going while it is in use. The server's admission puts them on;
/// controllers put them on what was there before, and take them off what nobody uses any more.
namespace flyball::controllers::common {

template <typename T>
bool HasFinalizer(const T& object, std::string_view finalizer) {
  const auto& all = object.metadata.finalizers;
  return std::ranges::find(all, finalizer) != all.end();
}

/// It is to stay, and nothing would keep it.
template <typename T>
bool LacksProtection(const T& object, std::string_view finalizer) {
  return !object.metadata.deletionTimestamp && !HasFinalizer(object, finalizer);
}

/// It is to go, and only stays as long as somebody uses it.
template <typename T>
bool IsKeptByProtection(const T& object, std::string_view finalizer) {
  return object.metadata.deletionTimestamp && HasFinalizer(object, finalizer);
}

enum class Protection {
  kLeave,
  kAdd,     ///< so that it stays when it comes to be used
  kRemove,  ///< nobody uses it: let it go
};

inline std::string_view ToString(Protection protection) {
  switch (protection) {
    case Protection::kAdd:
      return "protect it";
    case Protection::kRemove:
      return "let it go";
    case Protection::kLeave:
      break;
  }
  return "leave it";
}

/// What is to be done, where it is known whether somebody uses the object.
template <typename T>
Protection ProtectionFor(const T& object, std::string_view finalizer, bool used) {
  if (LacksProtection(object, finalizer)) return Protection::kAdd;
  if (IsKeptByProtection(object, finalizer) && !used) return Protection::kRemove;
  return Protection::kLeave;
}

/// Carries it out. The object's version goes with it: nothing is let go that has changed since it
/// was looked at.
template <typename T>
Result<> Apply(runtime::Context& context, T object, std::string_view finalizer,
               Protection protection) {
  auto& finalizers = object.metadata.finalizers;
  if (protection == Protection::kLeave) return {};
  if (protection == Protection::kAdd) finalizers.emplace_back(finalizer);
  if (protection == Protection::kRemove) std::erase(finalizers, finalizer);
  FLYBALL_TRY(context.Update(object));
  return {};
}

}  // namespace flyball::controllers::common

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/runtime/context.h"

/// Finalizers: clean-up that has to be done before an object may be deleted.
namespace flyball {

bool HasFinalizer(const meta::v1::ObjectMeta& metadata, std::string_view finalizer);

/// A patch after which the object has these finalizers; kConflict where it has changed meanwhile,
/// so that nobody's finalizer gets lost.
client::Patch FinalizersPatch(const meta::v1::ObjectMeta& metadata,
                              const std::vector<std::string>& finalizers);

/// What the object's finalizers are with, or without, one more.
std::vector<std::string> WithFinalizer(const meta::v1::ObjectMeta& metadata,
                                       std::string_view finalizer);
std::vector<std::string> WithoutFinalizer(const meta::v1::ObjectMeta& metadata,
                                          std::string_view finalizer);

template <typename T>
Result<> AddFinalizer(runtime::Context& context, const T& object, std::string_view finalizer) {
  const auto finalizers = WithFinalizer(object.metadata, finalizer);
  FLYBALL_TRY(
      context.Patch<T>(api::ObjectKey::Of(object), FinalizersPatch(object.metadata, finalizers)));
  return {};
}

/// The last one that goes takes the object with it.
template <typename T>
Result<> RemoveFinalizer(runtime::Context& context, const T& object, std::string_view finalizer) {
  const auto finalizers = WithoutFinalizer(object.metadata, finalizer);
  const auto removed =
      context.Patch<T>(api::ObjectKey::Of(object), FinalizersPatch(object.metadata, finalizers));
  // Somebody else may have taken it off.
  if (!removed && removed.error().code() != ErrorCode::kNotFound) {
    return std::unexpected(removed.error());
  }
  return {};
}

}  // namespace flyball

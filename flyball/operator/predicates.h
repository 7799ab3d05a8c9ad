#pragma once

#include <functional>

namespace flyball {

/// Whether an update of an object is worth a reconcile. Objects that are added or deleted always
/// are.
template <typename T>
using Predicate = std::function<bool(const T& before, const T& now)>;

/// What people ask for has changed, or the object is being deleted: not what a controller writes
/// into its status.
template <typename T>
Predicate<T> SpecChanged() {
  return [](const T& before, const T& now) {
    return before.metadata.generation != now.metadata.generation ||
           before.metadata.deletionTimestamp != now.metadata.deletionTimestamp;
  };
}

/// Something people write has changed: spec, labels, annotations, finalizers.
template <typename T>
Predicate<T> SpecOrMetadataChanged() {
  return [spec_changed = SpecChanged<T>()](const T& before, const T& now) {
    return spec_changed(before, now) || before.metadata.labels != now.metadata.labels ||
           before.metadata.annotations != now.metadata.annotations ||
           before.metadata.finalizers != now.metadata.finalizers;
  };
}

template <typename T>
Predicate<T> Either(Predicate<T> one, Predicate<T> other) {
  return [one = std::move(one), other = std::move(other)](const T& before, const T& now) {
    return one(before, now) || other(before, now);
  };
}

}  // namespace flyball

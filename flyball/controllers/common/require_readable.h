#pragma once

#include <string>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/result.h"
#include "flyball/cache/informer.h"
#include "flyball/client/unreadable.h"

namespace flyball::controllers::common {

/// Those of which all was decoded: for who deletes by what it sees of an object.
template <typename T>
std::vector<cache::Ref<T>> ReadableOf(std::vector<cache::Ref<T>> objects) {
  std::erase_if(objects, [](const auto& object) { return !client::IsReadable(object); });
  return objects;
}

/// An error that names the first of these objects that could not be decoded. For a controller that
/// would take what it cannot see of them for absent: the node of a daemon pod, the template of a
/// ReplicaSet.
template <typename T>
Result<> RequireReadable(const std::vector<cache::Ref<T>>& objects) {
  for (const auto& object : objects) {
    const std::string* const reason = client::UnreadableReason(object);
    if (reason == nullptr) continue;
    return Fail(ErrorCode::kUnsupported, "depends on " + api::ObjectKey::Of(*object).ToString() +
                                             ", which cannot be decoded: " + *reason);
  }
  return {};
}

}  // namespace flyball::controllers::common

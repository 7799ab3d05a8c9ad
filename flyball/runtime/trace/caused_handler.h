#pragma once

#include <string>
#include <utility>

#include "flyball/api/object_identity.h"
#include "flyball/cache/informer.h"
#include "flyball/runtime/trace/cause.h"

namespace flyball::runtime {

/// The same handler; what it adds to queues, it adds on account of what it is told.
template <typename T>
cache::EventHandler<T> WithCauses(const std::string& resource, cache::EventHandler<T> handler) {
  const auto caused = [resource](const T& object, std::string_view what, const auto& call) {
    const api::ObjectIdentity identity = api::IdentityOf(object);
    const Cause cause{.resource = resource,
                      .namespace_ = identity.namespace_,
                      .name = identity.name,
                      .what = what};
    const CauseScope scope(cause);
    call();
  };
  cache::EventHandler<T> with;
  if (handler.added) {
    with.added = [caused, added = std::move(handler.added)](const auto& now, bool initial) {
      caused(*now, initial ? "found" : "added", [&] { added(now, initial); });
    };
  }
  if (handler.updated) {
    with.updated = [caused, updated = std::move(handler.updated)](const auto& old,
                                                                  const auto& now) {
      caused(*now, "updated", [&] { updated(old, now); });
    };
  }
  if (handler.deleted) {
    with.deleted = [caused, deleted = std::move(handler.deleted)](const auto& last,
                                                                  bool final_state_unknown) {
      caused(*last, "deleted", [&] { deleted(last, final_state_unknown); });
    };
  }
  return with;
}

}  // namespace flyball::runtime

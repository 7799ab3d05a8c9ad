#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_identity.h"
#include "flyball/api/object_key.h"
#include "flyball/base/mutex.h"
#include "flyball/cache/informer.h"

namespace flyball::cluster {

/// Follows a collection by what a handler is told and nothing else, and keeps what cannot be: an
/// object added twice, one changed that is not there, or not from what it was. Any thread.
template <typename T>
class Replay {
 public:
  using Object = cache::Ref<T>;

  cache::EventHandler<T> Handler() {
    return {
        .added =
            [this](const Object& now, bool) {
              MutexLock lock(mutex_);
              if (!objects_.emplace(KeyOf(now), now).second) Wrong("added twice", now);
            },
        .updated =
            [this](const Object& old, const Object& now) {
              MutexLock lock(mutex_);
              Object& kept = objects_[KeyOf(now)];
              if (kept != old) Wrong("not changed from what it was", now);
              if (UidOf(old) != UidOf(now)) Wrong("changed into another", now);
              kept = now;
            },
        .deleted =
            [this](const Object& last, bool) {
              MutexLock lock(mutex_);
              const auto kept = objects_.find(KeyOf(last));
              if (kept == objects_.end()) return Wrong("deleted without being there", last);
              if (UidOf(kept->second) != UidOf(last)) Wrong("another deleted", last);
              objects_.erase(kept);
            },
    };
  }

  /// What was wrong, and where it is not what the cache holds: the very same objects.
  std::vector<std::string> Differences(const cache::Lister<T>& lister) const {
    std::map<api::ObjectKey, Object> held;
    for (const Object& object : lister.List()) held.emplace(KeyOf(object), object);
    MutexLock lock(mutex_);
    std::vector<std::string> found = wrong_;
    for (const auto& [key, object] : held) {
      const auto kept = objects_.find(key);
      if (kept == objects_.end()) {
        found.push_back("not told of " + key.name);
      } else if (kept->second != object) {
        found.push_back("last told of another " + key.name);
      }
    }
    for (const auto& [key, object] : objects_) {
      if (!held.contains(key)) found.push_back("not told of the end of " + key.name);
    }
    return found;
  }

 private:
  static api::ObjectKey KeyOf(const Object& object) {
    const api::ObjectIdentity identity = api::IdentityOf(*object);
    return {std::string(identity.namespace_), std::string(identity.name)};
  }
  static std::string_view UidOf(const Object& object) {
    return object ? api::IdentityOf(*object).uid : std::string_view();
  }
  void Wrong(const char* what, const Object& object) FLYBALL_REQUIRES(mutex_) {
    wrong_.push_back(std::string(what) + ": " + KeyOf(object).name);
  }

  mutable Mutex mutex_;
  std::map<api::ObjectKey, Object> objects_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::string> wrong_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::cluster

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/error.h"
#include "flyball/client/resource.h"

namespace flyball::runtime {

/// What a reconcile wrote, or was refused, as far as a cache will show it.
struct Write {
  enum class Kind : std::uint8_t {
    kStored,   ///< shown once the cache has got to `resource_version`
    kDeleted,  ///< shown once the object with `uid` is gone or terminating
    /// The server may have acted, and may still do so. A write of this kind with a `uid` is a
    /// delete: shown as kDeleted is, too.
    kAmbiguous,
    /// Refused with a reason that proves that the cache is behind (a conflict, an object that is
    /// gone or is there already): shown once the cache no longer shows the object with this `uid`
    /// and `resource_version`. Where these are empty: once it shows an object of that name.
    kRefused,
  };

  Kind kind = Kind::kStored;
  client::Resource resource;
  std::string resource_version = {};
  api::ObjectKey key = {};  ///< of the object; without a name where the server was to make one
  std::string uid = {};
  std::chrono::nanoseconds unsettled_for = {};  ///< of kAmbiguous: how long it may still act

  friend bool operator==(const Write&, const Write&) = default;
};

/// The writes of one reconcile, in order. One thread.
class WriteLog {
 public:
  void Stored(const client::Resource& resource, api::ObjectKey key,
              std::string_view resource_version) {
    writes_.push_back({.kind = Write::Kind::kStored,
                       .resource = resource,
                       .resource_version = std::string(resource_version),
                       .key = std::move(key)});
  }
  void Deleted(const client::Resource& resource, api::ObjectKey key, std::string uid) {
    writes_.push_back({.kind = Write::Kind::kDeleted,
                       .resource = resource,
                       .key = std::move(key),
                       .uid = std::move(uid)});
  }
  /// A write failed: only one whose fate is unknown may have happened. `deleted_uid` is that of the
  /// object if the write was a delete.
  void Failed(const client::Resource& resource, api::ObjectKey key, const Error& error,
              std::string_view deleted_uid = {}) {
    if (error.fate() != RequestFate::kUnknown) return;
    // What has a name can be stored but once: a late one meets what was done meanwhile, and is
    // refused. A late delete is not: it takes its object even if another was deleted in its place.
    const bool settles = !key.name.empty() && deleted_uid.empty();
    writes_.push_back(
        {.kind = Write::Kind::kAmbiguous,
         .resource = resource,
         .key = std::move(key),
         .uid = std::string(deleted_uid),
         .unsettled_for = settles ? std::chrono::nanoseconds() : error.detail().unsettled_for});
  }
  /// A write failed for what the server has of the object: the cache shows something else.
  void ProvedStale(const client::Resource& resource, api::ObjectKey key, std::string uid,
                   std::string resource_version) {
    writes_.push_back({.kind = Write::Kind::kRefused,
                       .resource = resource,
                       .resource_version = std::move(resource_version),
                       .key = std::move(key),
                       .uid = std::move(uid)});
  }

  std::vector<Write> Take() { return std::exchange(writes_, {}); }

 private:
  std::vector<Write> writes_;
};

}  // namespace flyball::runtime

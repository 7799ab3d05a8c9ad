#pragma once

#include <string>
#include <utility>
#include <vector>

#include "flyball/api/object_key.h"
#include "flyball/base/error.h"
#include "flyball/client/resource.h"

namespace flyball::runtime {

/// What a reconcile wrote, as far as a cache will show it.
struct Write {
  enum class Kind : std::uint8_t {
    kStored,     ///< shown once the cache has got to `resource_version`
    kDeleted,    ///< shown once the object with `uid` is gone or terminating
    kAmbiguous,  ///< nobody knows whether the server acted
  };

  Kind kind = Kind::kStored;
  client::Resource resource;
  std::string resource_version = {};
  api::ObjectKey key = {};
  std::string uid = {};
};

/// The writes of one reconcile, in order. One thread.
class WriteLog {
 public:
  void Stored(const client::Resource& resource, std::string_view resource_version) {
    writes_.push_back({.kind = Write::Kind::kStored,
                       .resource = resource,
                       .resource_version = std::string(resource_version)});
  }
  void Deleted(const client::Resource& resource, api::ObjectKey key, std::string uid) {
    writes_.push_back({.kind = Write::Kind::kDeleted,
                       .resource = resource,
                       .key = std::move(key),
                       .uid = std::move(uid)});
  }
  /// Some errors leave it open whether the write has happened: no answer, or one from a server
  /// that does not know itself (etcd took too long for it, which it tells as an internal error).
  void Failed(const client::Resource& resource, const Error& error) {
    const bool open = error.code() == ErrorCode::kIo || error.code() == ErrorCode::kTimeout ||
                      error.code() == ErrorCode::kCancelled ||
                      error.code() == ErrorCode::kServerTimeout ||
                      error.code() == ErrorCode::kInternal || error.code() == ErrorCode::kMalformed;
    if (open) writes_.push_back({.kind = Write::Kind::kAmbiguous, .resource = resource});
  }

  std::vector<Write> Take() { return std::exchange(writes_, {}); }

 private:
  std::vector<Write> writes_;
};

}  // namespace flyball::runtime

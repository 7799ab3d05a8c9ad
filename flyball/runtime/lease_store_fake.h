#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "flyball/base/check.h"
#include "flyball/base/mutex.h"
#include "flyball/client/object_codec.h"
#include "flyball/runtime/lease_record.h"
#include "flyball/transport/transport_fake.h"

namespace flyball::runtime {

/// An API server that has room for one Lease, behind a FakeTransport: gets, creates, and updates
/// that must name the version they are of. Any thread.
class FakeLeaseStore {
 public:
  using Answer = transport::FakeTransport::Answer;

  /// What a client's transport is made of.
  Answer Handle(const transport::Request& request) {
    MutexLock lock(mutex_);
    if (request.method == "GET") return lease_ ? Ok(200) : NotFound(request);
    auto sent = client::DecodeBody<Lease>(request.body);
    FLYBALL_CHECK(sent.has_value(), "an elector sends leases");
    if (request.method == "POST") {
      if (lease_) return Refusal(409, "AlreadyExists");
      Keep(*std::move(sent));
      return Ok(201);
    }
    if (!lease_) return NotFound(request);
    if (sent->metadata.resourceVersion != lease_->metadata.resourceVersion) {
      return Refusal(409, "Conflict");
    }
    Keep(*std::move(sent));
    return Ok(200);
  }

  /// Changes it as somebody else would.
  void Change(const std::function<void(Lease&)>& change) {
    MutexLock lock(mutex_);
    Lease lease = lease_.value_or(Lease());
    change(lease);
    Keep(std::move(lease));
  }
  void Remove() {
    MutexLock lock(mutex_);
    lease_.reset();
  }

  std::optional<Lease> lease() const {
    MutexLock lock(mutex_);
    return lease_;
  }
  std::string holder() const {
    MutexLock lock(mutex_);
    return lease_ ? std::string(HolderOf(*lease_)) : "";
  }

 private:
  void Keep(Lease lease) FLYBALL_REQUIRES(mutex_) {
    lease.metadata.resourceVersion = std::to_string(++version_);
    lease_ = std::move(lease);
  }
  Answer Ok(int status) FLYBALL_REQUIRES(mutex_) {
    auto body = client::EncodeBody(&*lease_, Lease::kType, client::Encoding::kProtobuf);
    FLYBALL_CHECK(body.has_value(), "a lease can be encoded");
    return Answer::Of(status, std::move(body->bytes));
  }
  static Answer NotFound(const transport::Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    return Refusal(404, "NotFound", path.substr(path.rfind('/') + 1));
  }
  static Answer Refusal(int status, const std::string& reason, const std::string& name = {}) {
    return Answer::Of(status,
                      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" +
                          reason + R"(","reason":")" + reason + R"(","details":{"name":")" + name +
                          R"("},"code":)" + std::to_string(status) + "}",
                      {{"content-type", "application/json"}});
  }

  mutable Mutex mutex_;
  std::optional<Lease> lease_ FLYBALL_GUARDED_BY(mutex_);
  int version_ FLYBALL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flyball::runtime

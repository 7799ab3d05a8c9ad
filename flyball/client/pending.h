#pragma once

#include <string_view>
#include <utility>

#include "flyball/base/result.h"
#include "flyball/client/rest_client.h"

namespace flyball::client {

/// What a call will return. Many may be under way from one caller, and cost it no thread:
///
///   std::vector<Pending<Pod>> created;
///   for (const Pod& pod : wanted) created.push_back(pods.Async().Create(pod));
///   for (Pending<Pod>& pod : created) FLYBALL_TRY(pod.Wait());
///
/// Destroying it gives the call up, which the server may have acted on. One thread at a time.
template <typename T>
class Pending {
 public:
  using Decode = Result<T> (*)(std::string_view body);

  Pending(PendingAnswer answer, Decode decode) : answer_(std::move(answer)), decode_(decode) {}
  /// A call that failed before it began.
  explicit Pending(Error error) : answer_(std::unexpected(std::move(error))), decode_(nullptr) {}

  /// Whether Wait() would not block, unless there is a retry to make.
  bool Ready() const { return !answer_ || answer_->Ready(); }
  /// Once.
  Result<T> Wait() {
    if (!answer_) return std::unexpected(answer_.error());
    FLYBALL_TRY(const auto response, answer_->Wait());
    Result<T> decoded = decode_(response.body);
    if (!decoded) {
      // The server has acted, but nobody knows on what.
      return std::unexpected(decoded.error().Wrap(answer_->asked()).With(RequestFate::kUnknown));
    }
    return decoded;
  }

 private:
  Result<PendingAnswer> answer_;
  Decode decode_;
};

}  // namespace flyball::client

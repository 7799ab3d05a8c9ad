#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "flyball/base/mutex.h"
#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/review.h"
#include "flyball/endpoints/user.h"
#include "flyball/runtime/lru_cache.h"

namespace flyball::endpoints {

/// Finds out whose a bearer token is: asks the API server (TokenReview), and remembers what it says
/// for a short while. However many requests come with a token, the server is asked about it once at
/// a time.
///
/// Tokens are not kept, only what cannot be turned back into them. Any thread; blocks.
class TokenReviews {
 public:
  struct Options {
    std::chrono::nanoseconds cache_ttl = std::chrono::seconds(10);  ///< zero: nothing is kept
    std::chrono::nanoseconds timeout = std::chrono::seconds(10);    ///< all attempts together
  };

  TokenReviews(ReviewDeps deps, Options options, TokenCacheMetrics metrics = {});

  /// Whose it is. kUnauthorized if it is nobody's; other errors if that could not be found out.
  Result<User> Authenticate(const std::string& token);

 private:
  struct Kept {
    Result<User> user;
    SteadyTime until;
  };
  /// One that is on its way, for all who want to know.
  struct Question {
    std::optional<Result<User>> answer;
  };

  static constexpr std::size_t kMostKept = 32'768;

  std::optional<Result<User>> Find(const std::string& key) FLYBALL_REQUIRES(mutex_);
  /// What is not remembered: asks, or waits for somebody else's answer.
  Result<User> Fetch(const std::string& key, const std::string& token);
  struct Answer {
    Result<User> user;
    bool lasting = false;  ///< it may be kept
  };
  Answer Ask(const std::string& token) const;

  const ReviewDeps deps_;
  const Options options_;
  const TokenCacheMetrics metrics_;
  const std::string secret_;  // so that nobody can choose tokens whose digests are alike

  Mutex mutex_;
  CondVar answered_;
  runtime::LruCache<std::optional<Kept>> kept_ FLYBALL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Question>> asked_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints

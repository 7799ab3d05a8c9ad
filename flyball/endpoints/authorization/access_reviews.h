#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "flyball/base/mutex.h"
#include "flyball/endpoints/authorization/attributes.h"
#include "flyball/endpoints/review.h"
#include "flyball/runtime/lru_cache.h"

namespace flyball::endpoints {

/// Asks the API server who may do what (SubjectAccessReview), and remembers what it says for a
/// short while. Any thread; blocks.
class AccessReviews {
 public:
  struct Options {
    std::chrono::nanoseconds allowed_ttl = std::chrono::seconds(10);
    std::chrono::nanoseconds refused_ttl = std::chrono::seconds(10);
    std::chrono::nanoseconds timeout = std::chrono::seconds(10);  ///< all attempts together
  };

  AccessReviews(ReviewDeps deps, Options options)
      : deps_(std::move(deps)), options_(options), kept_(kMostKept) {}

  Result<Verdict> Authorize(const Attributes& attributes);

 private:
  struct Kept {
    Verdict verdict;
    SteadyTime until;
  };
  static constexpr std::size_t kMostKept = 8'192;
  /// A path so long is somebody's who wants to fill our memory.
  static constexpr std::size_t kLongestKept = 10'000;

  std::optional<Verdict> Find(const std::string& key);
  void Keep(const std::string& key, const Verdict& verdict);

  const ReviewDeps deps_;
  const Options options_;
  Mutex mutex_;
  runtime::LruCache<std::optional<Kept>> kept_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints

#include "flyball/endpoints/authentication/token_reviews.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <utility>

#include "flyball/api/authentication/v1.h"
#include "flyball/base/check.h"

namespace flyball::endpoints {
namespace {

using authentication::v1::TokenReview;

constexpr std::size_t kSecretSize = 32;

std::string MakeSecret() {
  unsigned char bytes[kSecretSize];
  FLYBALL_CHECK(RAND_bytes(bytes, sizeof(bytes)) == 1, "no random numbers");
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}

std::string Digest(const std::string& secret, const std::string& token) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const auto* const made =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest, &size);
  FLYBALL_CHECK(made != nullptr, "no HMAC");
  return {reinterpret_cast<const char*>(digest), size};
}

User UserOf(authentication::v1::UserInfo info) {
  User user{.name = std::move(info.username),
            .uid = std::move(info.uid),
            .groups = std::move(info.groups)};
  for (const auto& [key, values] : info.extra) user.extra.emplace(key, values);
  return user;
}

}  // namespace

TokenReviews::TokenReviews(ReviewDeps deps, Options options, TokenCacheMetrics metrics)
    : deps_(std::move(deps)),
      options_(options),
      metrics_(metrics),
      secret_(MakeSecret()),
      kept_(kMostKept) {}

Result<User> TokenReviews::Authenticate(const std::string& token) {
  const SteadyTime start = deps_.clock.SteadyNow();
  const auto record = [&](std::string_view status) {
    metrics_.requests.With({status}).Increment();
    metrics_.seconds.With({status}).Observe(
        std::chrono::duration<double>(deps_.clock.SteadyNow() - start).count());
  };
  const std::string key = Digest(secret_, token);
  std::optional<Result<User>> known;
  {
    const MutexLock lock(mutex_);
    known = Find(key);
  }
  if (known) {
    record("hit");
    return *std::move(known);
  }
  metrics_.blocked.Add(1);
  auto user = Fetch(key, token);
  metrics_.blocked.Add(-1);
  record("miss");
  return user;
}

Result<User> TokenReviews::Fetch(const std::string& key, const std::string& token) {
  const auto question = std::make_shared<Question>();
  {
    MutexLock lock(mutex_);
    if (auto known = Find(key)) return *std::move(known);  // somebody else's answer has come
    const auto [others, first] = asked_.try_emplace(key, question);
    if (!first) {
      const auto same = others->second;
      deps_.clock.Wait(lock, answered_, [&] { return same->answer.has_value(); });
      return *same->answer;
    }
  }
  metrics_.in_flight.Add(1);
  Answer answer = Ask(token);
  metrics_.in_flight.Add(-1);
  metrics_.fetches.With({answer.lasting ? "ok" : "error"}).Increment();
  {
    MutexLock lock(mutex_);
    question->answer = answer.user;
    asked_.erase(key);
    if (answer.lasting && options_.cache_ttl.count() > 0) {
      kept_.Use(key).value = Kept{answer.user, deps_.clock.DeadlineAfter(options_.cache_ttl)};
    }
  }
  answered_.NotifyAll();
  return std::move(answer.user);
}

std::optional<Result<User>> TokenReviews::Find(const std::string& key) {
  const auto& kept = kept_.Use(key).value;
  if (!kept || kept->until <= deps_.clock.SteadyNow()) return std::nullopt;
  return kept->user;
}

TokenReviews::Answer TokenReviews::Ask(const std::string& token) const {
  TokenReview review;
  review.spec.token = token;
  auto answer = Review(deps_, review, deps_.clock.DeadlineAfter(options_.timeout));
  if (!answer) {
    deps_.log.Error(answer.error(), "Failed to make webhook authenticator request");
    return {std::unexpected(std::move(answer).error())};
  }
  if (answer->status.authenticated) return {UserOf(std::move(answer->status.user)), true};
  // PARITY: a refusal with a reason is taken for a failure to find out, and is asked for again.
  if (!answer->status.error.empty()) {
    return {Fail(ErrorCode::kUnauthorized, answer->status.error)};
  }
  return {Fail(ErrorCode::kUnauthorized, "invalid bearer token"), true};
}

}  // namespace flyball::endpoints

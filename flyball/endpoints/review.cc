#include "flyball/endpoints/review.h"

#include <algorithm>

namespace flyball::endpoints {
namespace {

using namespace std::chrono_literals;

constexpr int kAttempts = 5;
constexpr std::chrono::nanoseconds kFirstPause = 500ms;
constexpr double kLonger = 1.5;
constexpr double kJitter = 0.2;

bool WorthAnotherTry(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
    case ErrorCode::kServerTimeout:
    case ErrorCode::kTooManyRequests:
      return true;
    default:
      return error.detail().retry_after.count() > 0;
  }
}

}  // namespace

Result<transport::Response> SendReview(const ReviewDeps& deps, const client::RestRequest& request,
                                       SteadyTime deadline) {
  double pause = static_cast<double>(kFirstPause.count());
  for (int attempt = 1;; ++attempt, pause *= kLonger) {
    const SteadyTime start = deps.clock.SteadyNow();
    client::RestRequest again = request;
    again.once = true;
    again.timeout = std::max<std::chrono::nanoseconds>(deadline - start, 1ms);
    auto response = deps.client.rest().Do(std::move(again));
    deps.metrics.Record(response ? nullptr : &response.error(), deps.clock.SteadyNow() - start);
    if (response || attempt == kAttempts || !WorthAnotherTry(response.error())) return response;

    const auto wait =
        std::chrono::nanoseconds(static_cast<std::int64_t>(pause * (1 + kJitter * deps.random())));
    if (deps.clock.SteadyNow() + wait >= deadline) return response;
    if (!deps.clock.SleepFor(wait, deps.stop)) return response;
  }
}

}  // namespace flyball::endpoints

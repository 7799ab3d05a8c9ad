#include "flyball/endpoints/access_metrics.h"

#include <algorithm>
#include <vector>

namespace flyball::endpoints {
namespace {

/// As HTTP has it, or that there was no answer.
std::string_view StatusLabel(const Error* failure) {
  if (failure == nullptr) return "201";
  switch (failure->code()) {
    case ErrorCode::kUnauthorized:
      return "401";
    case ErrorCode::kForbidden:
      return "403";
    case ErrorCode::kNotFound:
      return "404";
    case ErrorCode::kConflict:
    case ErrorCode::kAlreadyExists:
      return "409";
    case ErrorCode::kInvalid:
      return "422";
    case ErrorCode::kBadRequest:
      return "400";
    case ErrorCode::kTooManyRequests:
      return "429";
    case ErrorCode::kInternal:
      return "500";
    case ErrorCode::kServerTimeout:
      return "504";
    default:
      return "<error>";
  }
}

/// From a millisecond to 16 seconds.
std::vector<double> FilterBuckets() {
  std::vector<double> bounds = {0.001};
  while (bounds.size() < 15) bounds.push_back(bounds.back() * 2);
  return bounds;
}

ReviewMetrics MakeReviewMetrics(MetricRegistry& registry, const std::string& name,
                                const std::string& what) {
  return {.requests = registry.Counters({.name = name + "_request_total",
                                         .help = "[ALPHA] Requests to the API server to find out " +
                                                 what + ", by the status of the answer.",
                                         .labels = {"code"}}),
          .seconds = registry.Histograms(
              {.name = name + "_request_duration_seconds",
               .help = "[ALPHA] Seconds that requests to the API server took to find out " + what +
                       ", by the status of the answer.",
               .labels = {"code"}},
              {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10})};
}

TokenCacheMetrics MakeTokenCacheMetrics(MetricRegistry& registry) {
  const std::string prefix = "authentication_token_cache_";
  const GaugeFamily active =
      registry.Gauges({.name = prefix + "active_fetch_count",
                       .help = "[ALPHA] Answers about tokens that are waited for (in_flight), and "
                               "requests that wait for them (blocked).",
                       .labels = {"status"}});
  return {
      .requests = registry.Counters({.name = prefix + "request_total",
                                     .help = "[ALPHA] Tokens that came, by whether they were "
                                             "remembered: hit or miss.",
                                     .labels = {"status"}}),
      .seconds = registry.Histograms(
          {.name = prefix + "request_duration_seconds",
           .help = "[ALPHA] Seconds until it was known whose a token is: hit or miss.",
           .labels = {"status"}},
          {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}),
      .fetches = registry.Counters({.name = prefix + "fetch_total",
                                    .help = "[ALPHA] Tokens that the API server was asked about, "
                                            "by whether it answered: ok or error.",
                                    .labels = {"status"}}),
      .blocked = active.With({"blocked"}),
      .in_flight = active.With({"in_flight"})};
}

}  // namespace

void ReviewMetrics::Record(const Error* failure, std::chrono::nanoseconds took) const {
  const std::string_view status = StatusLabel(failure);
  requests.With({status}).Increment();
  seconds.With({status}).Observe(std::chrono::duration<double>(took).count());
}

AccessMetrics::AccessMetrics(MetricRegistry& registry)
    : token_reviews(MakeReviewMetrics(registry, "apiserver_delegated_authn", "who asks")),
      token_cache(MakeTokenCacheMetrics(registry)),
      access_reviews(MakeReviewMetrics(registry, "apiserver_delegated_authz", "who may")),
      users(registry.Counters({.name = "authenticated_user_requests",
                               .help = "[ALPHA] Requests of users who are known, by name.",
                               .labels = {"username"}})),
      authentications(registry.Counters({.name = "authentication_attempts",
                                         .help = "[ALPHA] Requests whose sender was looked for, "
                                                 "by result.",
                                         .labels = {"result"}})),
      authentication_seconds(
          registry.Histograms({.name = "authentication_duration_seconds",
                               .help = "[ALPHA] Seconds it took to find a sender, by result.",
                               .labels = {"result"}},
                              FilterBuckets())),
      authorizations(registry.Counters({.name = "authorization_attempts_total",
                                        .help = "[ALPHA] Requests that were allowed or not: "
                                                "allowed, denied, no-opinion or error.",
                                        .labels = {"result"}})),
      authorization_seconds(
          registry.Histograms({.name = "authorization_duration_seconds",
                               .help = "[ALPHA] Seconds it took to allow a request or not.",
                               .labels = {"result"}},
                              FilterBuckets())),
      certificate_seconds(
          registry
              .Histograms({.name = "apiserver_client_certificate_expiration_seconds",
                           .help = "[ALPHA] Seconds that the certificates of clients are valid for "
                                   "when they are used."},
                          {0, 1800, 3600, 7200, 21600, 43200, 86400, 172800, 345600, 604800,
                           2592000, 7776000, 15552000, 31104000})
              .With()) {}

std::string_view AccessMetrics::UserLabel(std::string_view name) {
  constexpr std::string_view kKnown[] = {"admin", "client", "kube_proxy", "kubelet",
                                         "system:serviceaccount:kube-system:default"};
  const auto* const known = std::ranges::find(kKnown, name);
  if (known != std::end(kKnown)) return *known;
  return name.contains('@') ? "email_id" : "other";
}

}  // namespace flyball::endpoints

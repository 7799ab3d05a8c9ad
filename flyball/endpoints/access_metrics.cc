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

CounterFamily ReviewCounters(MetricRegistry& registry, const char* name, const char* help) {
  return registry.Counters({.name = name, .help = help, .labels = {"code"}});
}

HistogramFamily ReviewHistograms(MetricRegistry& registry, const char* name, const char* help) {
  return registry.Histograms({.name = name, .help = help, .labels = {"code"}},
                             {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10});
}

TokenCacheMetrics MakeTokenCacheMetrics(MetricRegistry& registry) {
  const GaugeFamily active = registry.Gauges(
      {.name = "authentication_token_cache_active_fetch_count",
       .help = "[ALPHA] Number of TokenReview requests under way for the authentication token "
               "cache (status in_flight) and of requests that wait for them (status blocked).",
       .labels = {"status"}});
  return {.requests = registry.Counters({.name = "authentication_token_cache_request_total",
                                         .help = "[ALPHA] Number of lookups in the authentication "
                                                 "token cache, by status: hit or miss.",
                                         .labels = {"status"}}),
          .seconds = registry.Histograms(
              {.name = "authentication_token_cache_request_duration_seconds",
               .help = "[ALPHA] Time in seconds that a lookup in the authentication token cache "
                       "took, by status: hit or miss.",
               .labels = {"status"}},
              {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}),
          .fetches = registry.Counters(
              {.name = "authentication_token_cache_fetch_total",
               .help = "[ALPHA] Number of TokenReview requests that the authentication token cache "
                       "sent to the API server, by status: ok or error.",
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
    : token_reviews{.requests = ReviewCounters(
                        registry, "apiserver_delegated_authn_request_total",
                        "[ALPHA] Number of TokenReview requests, with which this process delegates "
                        "authentication to the API server, by status code."),
                    .seconds = ReviewHistograms(
                        registry, "apiserver_delegated_authn_request_duration_seconds",
                        "[ALPHA] Duration in seconds of a TokenReview request, with which this "
                        "process delegates authentication to the API server, by status code.")},
      token_cache(MakeTokenCacheMetrics(registry)),
      access_reviews{
          .requests =
              ReviewCounters(registry, "apiserver_delegated_authz_request_total",
                             "[ALPHA] Number of SubjectAccessReview requests, with which this "
                             "process delegates authorization to the API server, by status code."),
          .seconds = ReviewHistograms(
              registry, "apiserver_delegated_authz_request_duration_seconds",
              "[ALPHA] Duration in seconds of a SubjectAccessReview request, with which this "
              "process delegates authorization to the API server, by status code.")},
      users(registry.Counters(
          {.name = "authenticated_user_requests",
           .help = "[ALPHA] Number of authenticated requests to this process by user name; names "
                   "that are not well known are counted as other.",
           .labels = {"username"}})),
      authentications(registry.Counters({.name = "authentication_attempts",
                                         .help = "[ALPHA] Number of requests to this process whose "
                                                 "authentication was attempted, by result.",
                                         .labels = {"result"}})),
      authentication_seconds(
          registry.Histograms({.name = "authentication_duration_seconds",
                               .help = "[ALPHA] Time in seconds that the authentication of a "
                                       "request to this process took, by result.",
                               .labels = {"result"}},
                              FilterBuckets())),
      authorizations(
          registry.Counters({.name = "authorization_attempts_total",
                             .help = "[ALPHA] Number of requests to this process by result of "
                                     "their authorization: allowed, denied, no-opinion or error.",
                             .labels = {"result"}})),
      authorization_seconds(
          registry.Histograms({.name = "authorization_duration_seconds",
                               .help = "[ALPHA] Time in seconds that the authorization of a "
                                       "request to this process took, by result.",
                               .labels = {"result"}},
                              FilterBuckets())),
      certificate_seconds(
          registry
              .Histograms({.name = "apiserver_client_certificate_expiration_seconds",
                           .help = "[ALPHA] Remaining validity in seconds of the client "
                                   "certificate that authenticated a request to this process."},
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

#pragma once

#include <chrono>
#include <string_view>

#include "flyball/base/error.h"
#include "flyball/base/metrics.h"

namespace flyball::endpoints {

/// One kind of question to the API server: how many, and how long they took, by what it answered.
struct ReviewMetrics {
  CounterFamily requests = {};
  HistogramFamily seconds = {};

  /// `failure` is null where it answered.
  void Record(const Error* failure, std::chrono::nanoseconds took) const;
};

/// Tokens that are remembered, and those that the API server is asked about.
struct TokenCacheMetrics {
  CounterFamily requests = {};  ///< "hit" or "miss"
  HistogramFamily seconds = {};
  CounterFamily fetches = {};  ///< "ok" or "error"
  Gauge blocked = {};          ///< requests that wait for an answer
  Gauge in_flight = {};        ///< answers that are waited for
};

/// What is counted of who asks and who gets in; names, labels and buckets are upstream's. Default
/// constructed, it counts nothing.
struct AccessMetrics {
  AccessMetrics() = default;
  explicit AccessMetrics(MetricRegistry& registry);

  ReviewMetrics token_reviews = {};
  TokenCacheMetrics token_cache = {};
  ReviewMetrics access_reviews = {};
  CounterFamily users = {};            ///< by name, of a few names
  CounterFamily authentications = {};  ///< by result
  HistogramFamily authentication_seconds = {};
  CounterFamily authorizations = {};  ///< by result
  HistogramFamily authorization_seconds = {};
  Histogram certificate_seconds = {};  ///< that are left of clients' certificates

  /// How a user is counted: names that anybody could make up are not.
  static std::string_view UserLabel(std::string_view name);
};

}  // namespace flyball::endpoints

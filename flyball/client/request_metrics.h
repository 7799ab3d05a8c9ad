#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"
#include "flyball/transport/http.h"

namespace flyball::client {

/// How the requests to a server go: rest_client_requests_total and its like, with upstream's names,
/// labels and buckets. The label `verb`, or `method`, is the HTTP method ("GET" for a list too);
/// `code` is the status or "<error>"; `host` is as the server is configured.
///
/// Cheap to copy; copies share what they know. All clients of a server may share one. Any thread.
// DIVERGES: an answer that breaks off is an "<error>"; upstream has counted its status by then.
// PARITY: rest_client_dns_resolution_duration_seconds is not here, since upstream measures it but
// never registers it: no scrape shows it.
class RequestMetrics {
 public:
  /// Records nothing.
  RequestMetrics() = default;

  /// `server` as it is configured: "https://10.0.0.1:6443/prefix". The registry must outlive all
  /// copies.
  RequestMetrics(MetricRegistry& registry, std::string_view server);

  class Call;

 private:
  class Method;
  class Server;

  std::shared_ptr<Server> server_;  // null: records nothing
};

/// One call of a RestClient, with all its attempts. An attempt that has not ended when this is
/// destroyed was given up. One thread at a time; the metrics it is made from must outlive it.
class RequestMetrics::Call {
 public:
  enum class Kind {
    kWhole,   ///< its time, from now to the end of the last attempt, and its sizes count too
    kStream,  ///< a watch: how long it lasts says nothing
  };

  Call(const RequestMetrics& metrics, Kind kind, std::string_view method, const Clock& clock);
  Call(Call&& other) noexcept;
  Call& operator=(Call&& other) noexcept;
  ~Call();

  /// The limiter has held an attempt back since then.
  void Throttled(SteadyTime since) const;
  void AttemptBegins(std::size_t body_bytes);
  /// With a status, or with 0 where there was no answer.
  void AttemptEnded(int status, SteadyTime at);
  /// There is no further attempt: this is the answer to the call.
  void Answered(const transport::Response& response) const;

 private:
  Method* method_ = nullptr;  // null: records nothing
  const Clock* clock_;
  Kind kind_;
  SteadyTime start_;
  SteadyTime end_;  // of the last attempt
  int attempts_ = 0;
  bool under_way_ = false;  // an attempt is
};

}  // namespace flyball::client

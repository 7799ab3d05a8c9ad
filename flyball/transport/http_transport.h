#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "flyball/transport/network.h"
#include "flyball/transport/tls.h"
#include "flyball/transport/transport.h"
#include "flyball/transport/transport_metrics.h"
#include "flyball/transport/url.h"

namespace flyball::transport {

/// HTTP/2 over TLS to one server, over as few connections as its limit on streams allows; HTTP/1.1
/// where the server has nothing else. Connections are made when there is something to send, watched
/// with pings, and replaced when the server asks for it or they break.
///
/// Any thread may call it. Destroying it ends all exchanges with kCancelled, soon.
class HttpTransport final : public Transport {
 public:
  struct Options {
    Url server;
    std::optional<Url> proxy;
    /// Asked for each new connection, so that rotated certificates are used.
    std::function<Result<TlsOptions>()> tls = [] { return TlsOptions(); };
    std::chrono::nanoseconds connect_timeout = std::chrono::seconds(30);
    /// A peer from which nothing comes for this long is pinged, and dead without an answer.
    /// Together they make it 30 seconds at most until that is known.
    std::chrono::nanoseconds ping_after = std::chrono::seconds(10);
    std::chrono::nanoseconds ping_timeout = std::chrono::seconds(10);
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(90);
    std::size_t max_http1_connections = 64;
    /// How long responses to requests with `allow_batching` may wait to be read. These requests
    /// have connections of their own.
    std::chrono::nanoseconds batch_interval = std::chrono::seconds(1);
    /// So long after its start such a request is as quick as any: a watch begins with all there is,
    /// which somebody waits for.
    std::chrono::nanoseconds batching_pause = std::chrono::seconds(10);
    TransportMetrics metrics = {};
  };

  HttpTransport(Network& network, Options options);
  ~HttpTransport() override;

  std::shared_ptr<Exchange> Send(Request request,
                                 std::shared_ptr<ResponseHandler> handler) override;

  /// New requests go over new connections: for when what we prove ourselves with has changed.
  void Renew();

  /// How many connections there are.
  std::size_t connections() const;

 private:
  class Pool;
  const TransportMetrics metrics_;
  const std::shared_ptr<NetworkLoop> loop_;
  const std::shared_ptr<Pool> pool_;
  const std::shared_ptr<Pool> allow_batching_;
};

}  // namespace flyball::transport

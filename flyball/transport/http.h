#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/transport/write_fence.h"

namespace flyball::transport {

/// Names are in lower case, as HTTP/2 has them.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// The first value of a header, or an empty text.
std::string_view FindHeader(const Headers& headers, std::string_view name);

/// Who is at the other end of a connection, as TLS has proved it.
struct PeerIdentity {
  std::string common_name = {};                 ///< of the subject of its certificate
  std::vector<std::string> organizations = {};  ///< likewise: an API server's groups

  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

/// The certificates that the other end of a connection has shown, its own first, DER. It has the
/// first one's key; whether the one who signed it is to be believed, the reader finds out.
using CertificateChain = std::vector<std::string>;

/// What part of an exchange a request's timeout covers.
enum class TimeoutScope : std::uint8_t {
  kExchange,  ///< the whole exchange, the wait for a connection included
  kIdle,      ///< each wait for more bytes: a long response may take long, as a list's
  kHeaders,   ///< until the headers have come: the body may take for ever, as a watch's
};

struct Request {
  std::string method = "GET";
  std::string target = {};  ///< path and query, as they go onto the wire
  Headers headers = {};     ///< without host and content-length, which the transport adds
  std::string body = {};
  std::chrono::nanoseconds timeout = {};  ///< zero: none
  TimeoutScope timeout_scope = TimeoutScope::kExchange;
  /// If there is one, the request is sent only while the fence is open.
  std::shared_ptr<const WriteFence> fence = {};
  /// What the server sends may be read late and in batches: for watches that nobody waits for. Its
  /// first seconds are read without batching.
  bool allow_batching = false;
  /// Of a request that a server has taken in: whose certificate the server has verified, if it has
  /// one. Is not sent anywhere.
  std::shared_ptr<const PeerIdentity> peer = {};
  /// The same, whoever has signed it; null where there is none.
  std::shared_ptr<const CertificateChain> peer_certificates = {};
};

struct ResponseHead {
  int status = 0;
  Headers headers;
};

struct Response : ResponseHead {
  std::string body;
};

}  // namespace flyball::transport

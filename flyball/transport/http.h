#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/transport/send_gate.h"

namespace flyball::transport {

/// Names are in lower case, as HTTP/2 has them.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// The first value of a header, or an empty text.
std::string_view FindHeader(const Headers& headers, std::string_view name);

struct Request {
  std::string method = "GET";
  std::string target = {};  ///< path and query, as they go onto the wire
  Headers headers = {};     ///< without host and content-length, which the transport adds
  std::string body = {};
  /// For the whole exchange, the wait for a connection included. Zero: none, as for a watch.
  std::chrono::nanoseconds timeout = {};
  /// If there is one, the request leaves only while it is open.
  std::shared_ptr<const SendGate> gate = {};
};

struct ResponseHead {
  int status = 0;
  Headers headers;
};

struct Response : ResponseHead {
  std::string body;
};

}  // namespace flyball::transport

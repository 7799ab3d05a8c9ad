#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "flyball/base/result.h"
#include "flyball/transport/internal/byte_stream.h"
#include "flyball/transport/tls.h"
#include "flyball/transport/url.h"

namespace flyball::transport {

struct DialOptions {
  Url server;
  std::optional<Url> proxy;
  TlsOptions tls;
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

using Dialed = std::move_only_function<void(Result<std::unique_ptr<ByteStream>>)>;

/// Connects: the name resolved, the proxy asked, the handshake made. Calls `done` once, on the
/// network thread; the error says which of the steps failed and with whom. The function that is
/// returned gives up earlier; after `done` it does nothing.
std::function<void()> Dial(boost::asio::io_context& network, DialOptions options, Dialed done);

}  // namespace flyball::transport

#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "flyball/base/result.h"
#include "flyball/transport/internal/fenced_socket.h"
#include "flyball/transport/url.h"

namespace flyball::transport {

/// Asks the HTTP proxy at the other end for a tunnel to `server`.
template <typename Stream>
boost::asio::awaitable<Result<>> OpenHttpTunnel(Stream& stream, const Url& proxy,
                                                const Url& server);

/// The same of a SOCKS5 proxy, which resolves the server's name.
boost::asio::awaitable<Result<>> OpenSocksTunnel(boost::asio::ip::tcp::socket& socket,
                                                 const Url& proxy, const Url& server);

extern template boost::asio::awaitable<Result<>> OpenHttpTunnel(boost::asio::ip::tcp::socket&,
                                                                const Url&, const Url&);
extern template boost::asio::awaitable<Result<>> OpenHttpTunnel(
    boost::asio::ssl::stream<FencedSocket>&, const Url&, const Url&);

}  // namespace flyball::transport

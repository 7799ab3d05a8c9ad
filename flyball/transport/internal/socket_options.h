#pragma once

#include <boost/asio/ip/tcp.hpp>

namespace flyball::transport {

/// What every connection of ours has, whoever made it: no delays, an end when the peer is dead, and
/// no heirs among the programs that we start.
void PrepareSocket(boost::asio::ip::tcp::socket& socket);

}  // namespace flyball::transport

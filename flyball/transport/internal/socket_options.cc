#include "flyball/transport/internal/socket_options.h"

#include <fcntl.h>
#include <netinet/tcp.h>

#include <tuple>

namespace flyball::transport {
namespace {

using boost::asio::ip::tcp;

template <int kLevel, int kName>
void SetOption(tcp::socket& socket, int value) {
  boost::system::error_code ignored;
  std::ignore =
      socket.set_option(boost::asio::detail::socket_option::integer<kLevel, kName>(value), ignored);
}

}  // namespace

void PrepareSocket(tcp::socket& socket) {
  // A program that we start, a credential plugin for one, must not hold on to the connection.
  fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  SetOption<IPPROTO_TCP, TCP_NODELAY>(socket, 1);
  // HTTP/2 has its pings; these are for HTTP/1.1, and for bytes that are never acknowledged.
  SetOption<SOL_SOCKET, SO_KEEPALIVE>(socket, 1);
  SetOption<IPPROTO_TCP, TCP_KEEPIDLE>(socket, 15);
  SetOption<IPPROTO_TCP, TCP_KEEPINTVL>(socket, 5);
  SetOption<IPPROTO_TCP, TCP_KEEPCNT>(socket, 3);
  SetOption<IPPROTO_TCP, TCP_USER_TIMEOUT>(socket, 30'000);
}

}  // namespace flyball::transport

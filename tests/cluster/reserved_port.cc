#include "tests/cluster/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace flyball::cluster {

Result<ReservedPort> ReservedPort::Take() {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0 ||
      bind(socket.get(), generic, size) != 0 || getsockname(socket.get(), generic, &size) != 0) {
    return Fail(ErrorCode::kIo, std::string("a port on 127.0.0.1: ") + std::strerror(errno));
  }
  return ReservedPort(std::move(socket), ntohs(address.sin_port));
}

}  // namespace flyball::cluster

#include "tests/cluster/reserved_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace flyball::cluster {
namespace {

bool CanBind(std::uint16_t port, bool shared) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (shared) setsockopt(socket.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
         listen(socket.get(), 1) == 0;
}

TEST(ReservedPort, IsForThoseWhoShareItAgainAndAgainAndForNobodyElse) {
  const auto port = ReservedPort::Take();
  ASSERT_TRUE(port.has_value()) << port.error().Describe();
  EXPECT_FALSE(CanBind(port->number(), false));
  EXPECT_TRUE(CanBind(port->number(), true));
  EXPECT_TRUE(CanBind(port->number(), true));
}

TEST(ReservedPort, IsNeverReservedTwice) {
  std::vector<ReservedPort> ports;
  std::set<std::uint16_t> numbers;
  for (int i = 0; i < 500; ++i) {
    auto port = ReservedPort::Take();
    ASSERT_TRUE(port.has_value()) << port.error().Describe();
    numbers.insert(port->number());
    ports.push_back(*std::move(port));
  }
  EXPECT_EQ(numbers.size(), 500U);
}

}  // namespace
}  // namespace flyball::cluster

#include "flyball/transport/internal/proxy.h"

#include <openssl/evp.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace flyball::transport {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::use_awaitable;

std::string_view SocksReason(std::uint8_t code) {
  constexpr std::string_view kReasons[] = {"granted",
                                           "failure",
                                           "not allowed",
                                           "network unreachable",
                                           "host unreachable",
                                           "connection refused",
                                           "time to live expired",
                                           "command not supported",
                                           "address type not supported"};
  return code < std::size(kReasons) ? kReasons[code] : "unknown SOCKS5 reply code";
}

std::string Base64(const std::string& text) {
  std::string encoded((text.size() + 2) / 3 * 4 + 1, '\0');
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()), bytes,
                                   static_cast<int>(text.size()));
  encoded.resize(static_cast<std::size_t>(size));
  return encoded;
}

std::unexpected<Error> Refused(const Url& proxy, std::string_view why) {
  return Fail(ErrorCode::kUnavailable, "proxy " + proxy.Authority() + ": " + std::string(why));
}

/// Agrees on how to say who we are, and says it.
asio::awaitable<Result<>> SocksLogin(asio::ip::tcp::socket& socket, const Url& proxy) {
  const bool named = !proxy.user.empty();
  const std::string greeting =
      named ? std::string("\x05\x02\x00\x02", 4) : std::string("\x05\x01\x00", 3);
  co_await asio::async_write(socket, asio::buffer(greeting), use_awaitable);
  std::array<std::uint8_t, 2> answer;
  co_await asio::async_read(socket, asio::buffer(answer), use_awaitable);
  if (answer[0] != 5) co_return Refused(proxy, "does not speak SOCKS5");
  if (answer[1] == 0) co_return Result<>();
  if (answer[1] != 2 || !named)
    co_return Refused(proxy, "requires an unsupported authentication method");
  if (proxy.user.size() > 255 || proxy.password.size() > 255) {
    co_return Refused(proxy, "user or password is longer than 255 bytes, the limit of SOCKS5");
  }
  std::string login = "\x01";
  login += static_cast<char>(proxy.user.size());
  login += proxy.user;
  login += static_cast<char>(proxy.password.size());
  login += proxy.password;
  co_await asio::async_write(socket, asio::buffer(login), use_awaitable);
  co_await asio::async_read(socket, asio::buffer(answer), use_awaitable);
  if (answer[1] != 0) co_return Refused(proxy, "rejected the user and password");
  co_return Result<>();
}

}  // namespace

template <typename Stream>
asio::awaitable<Result<>> OpenHttpTunnel(Stream& stream, const Url& proxy, const Url& server) {
  http::request<http::empty_body> request(http::verb::connect, server.Authority(), 11);
  request.set(http::field::host, server.Authority());
  if (!proxy.user.empty()) {
    request.set(http::field::proxy_authorization,
                "Basic " + Base64(proxy.user + ":" + proxy.password));
  }
  co_await http::async_write(stream, request, use_awaitable);
  http::response_parser<http::empty_body> answer;
  answer.skip(true);
  boost::beast::flat_buffer buffer;
  co_await http::async_read_header(stream, buffer, answer, use_awaitable);
  const unsigned status = answer.get().result_int();
  if (status / 100 != 2) {
    co_return Refused(proxy, "answered CONNECT with status " + std::to_string(status));
  }
  if (buffer.size() > 0) co_return Refused(proxy, "sent data before the tunnel was established");
  co_return Result<>();
}

template asio::awaitable<Result<>> OpenHttpTunnel(asio::ip::tcp::socket&, const Url&, const Url&);
template asio::awaitable<Result<>> OpenHttpTunnel(asio::ssl::stream<FencedSocket>&, const Url&,
                                                  const Url&);

asio::awaitable<Result<>> OpenSocksTunnel(asio::ip::tcp::socket& socket, const Url& proxy,
                                          const Url& server) {
  auto login = co_await SocksLogin(socket, proxy);
  if (!login) co_return login;
  if (server.host.size() > 255)
    co_return Refused(proxy, "host name is longer than 255 bytes, the limit of SOCKS5");
  std::string request("\x05\x01\x00\x03", 4);
  request += static_cast<char>(server.host.size());
  request += server.host;
  request += static_cast<char>(server.port >> 8);
  request += static_cast<char>(server.port & 0xff);
  co_await asio::async_write(socket, asio::buffer(request), use_awaitable);

  std::array<std::uint8_t, 5> answer;  // the fifth byte is the first of the address
  co_await asio::async_read(socket, asio::buffer(answer), use_awaitable);
  if (answer[1] != 0) co_return Refused(proxy, SocksReason(answer[1]));
  constexpr std::size_t kPort = 2;
  std::size_t rest = 0;
  if (answer[3] == 1) rest = 4 + kPort - 1;
  if (answer[3] == 3) rest = answer[4] + kPort;
  if (answer[3] == 4) rest = 16 + kPort - 1;
  if (rest == 0) co_return Refused(proxy, "answered with an unknown address type");
  std::string address(rest, '\0');
  co_await asio::async_read(socket, asio::buffer(address), use_awaitable);
  co_return Result<>();
}

}  // namespace flyball::transport

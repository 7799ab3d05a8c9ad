#include <boost/asio/post.hpp>
#include <charconv>

#include "tests/scripted/connection.h"

namespace flyball::scripted {
namespace {

class Http1 final : public Connection {
 public:
  using Connection::Connection;

  void Open() override { ReadMore(); }

  void SendHead(Request::Stream& stream, int status, const transport::Headers& headers) override {
    output_ += "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n";
    for (const auto& [name, value] : headers) output_ += name + ": " + value + "\r\n";
    chunked_ = transport::FindHeader(headers, "content-length").empty();
    output_ += chunked_ ? "transfer-encoding: chunked\r\n\r\n" : "\r\n";
    stream.head_sent = true;
    WriteOutput();
  }

  void SendData(Request::Stream& stream) override {
    if (!stream.unsent.empty()) {
      if (chunked_) {
        char size[16];
        const auto end = std::to_chars(size, size + sizeof(size), stream.unsent.size(), 16).ptr;
        output_ += std::string(size, end) + "\r\n" + stream.unsent + "\r\n";
      } else {
        output_ += stream.unsent;
      }
      stream.unsent.clear();
    }
    if (stream.ending && chunked_) output_ += "0\r\n\r\n";
    WriteOutput();
  }

  void Reset(Request::Stream&, std::uint32_t) override { Close(); }
  void GoAway(std::int32_t) override { Close(); }

 private:
  void Received(std::string_view bytes) override {
    input_ += bytes;
    while (TakeRequest()) {
    }
  }
  void Written() override { WriteOutput(); }

  bool TakeRequest() {
    const auto end = input_.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    auto stream = std::make_shared<Request::Stream>();
    std::size_t at = input_.find("\r\n");
    const std::string first = input_.substr(0, at);
    const auto space = first.find(' ');
    stream->method = first.substr(0, space);
    stream->target = first.substr(space + 1, first.rfind(' ') - space - 1);
    while (at < end) {
      const std::size_t next = input_.find("\r\n", at + 2);
      const std::string line = input_.substr(at + 2, next - at - 2);
      const auto colon = line.find(": ");
      stream->headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
      at = next;
    }
    const auto size_text = transport::FindHeader(stream->headers, "content-length");
    std::size_t size = 0;
    std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
    if (input_.size() < end + 4 + size) return false;
    stream->body = input_.substr(end + 4, size);
    input_.erase(0, end + 4 + size);
    stream->connection = shared_from_this();
    Handle(std::move(stream));
    return true;
  }

  std::string input_;
  bool chunked_ = false;
};

}  // namespace

std::shared_ptr<Connection> MakeHttp1(boost::asio::io_context& loop, std::unique_ptr<Socket> socket,
                                      Server::Handler handler, std::function<void()> closed) {
  return std::make_shared<Http1>(loop, std::move(socket), std::move(handler), std::move(closed));
}

}  // namespace flyball::scripted

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/transport/internal/byte_stream.h"
#include "flyball/transport/internal/call.h"

namespace flyball::transport {

/// One call after another over one connection, for servers that have nothing better.
class Http1Connection final : public Connection,
                              public std::enable_shared_from_this<Http1Connection> {
 public:
  /// `changed` is called when it is free again, or when it has closed.
  Http1Connection(boost::asio::io_context& network, std::unique_ptr<ByteStream> stream,
                  std::string authority, std::function<void()> changed);
  ~Http1Connection() override;

  void Open() { ReadIfRoom(); }
  bool closed() const override { return closed_; }

  bool opening() const override { return false; }
  bool HasRoom() const override { return !closed_ && !draining_ && !call_; }
  void Start(std::shared_ptr<Call> call) override;
  void Flush() override {}
  void Abandon(Call& call) override;
  void Consumed(Call& call, std::size_t bytes) override;
  void Drain() override;
  void Close(const Error& why) override;

 private:
  class Parser;

  /// Reads on, also while nobody asks: that is how the server's closing is noticed.
  void ReadIfRoom();
  void Received(std::size_t size);
  void Ended(boost::system::error_code how);
  void Finish();
  void Broken(std::string_view why);

  const std::string authority_;
  const std::function<void()> changed_;
  boost::asio::io_context& network_;
  const std::unique_ptr<ByteStream> stream_;
  std::shared_ptr<Call> call_;
  std::unique_ptr<Parser> parser_;
  std::vector<char> input_;
  std::string unparsed_;
  std::string output_;
  std::size_t unconsumed_ = 0;  // of the body, by whoever asked
  bool reading_ = false;        // until what was read has been dealt with
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace flyball::transport

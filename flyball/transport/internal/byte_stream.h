#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "flyball/transport/internal/fenced_socket.h"

namespace flyball::transport {

/// A connection as bytes, with or without TLS and proxies around it. On the network thread only.
/// One read and one write may be under way at once. After Close() both end with an error, soon.
/// Whoever waits keeps this alive, by what it has put into `done`.
class ByteStream {
 public:
  using Done = std::move_only_function<void(boost::system::error_code, std::size_t)>;

  /// Who reads with less room than this may have to come again for what is here already.
  static constexpr std::size_t kMostAtOnce = std::size_t{128} << 10;

  explicit ByteStream(std::shared_ptr<WriteGuard> guard) : guard_(std::move(guard)) {}
  virtual ~ByteStream() = default;
  virtual void ReadSome(boost::asio::mutable_buffer into, Done done) = 0;
  /// Whether all of it went out at once; otherwise the bytes must stay where they are until `done`
  /// is called, later.
  [[nodiscard]] virtual bool WriteAll(boost::asio::const_buffer bytes, Done done) = 0;
  /// Tells the peer that nothing follows, as far as that can be done at once, and where the end of
  /// the connection alone does not say so. Close() is to follow.
  virtual void SayGoodbye() {}
  virtual void Close() = 0;
  /// What was chosen in ALPN: "h2", or something else that means HTTP/1.1.
  virtual std::string Protocol() const = 0;

  /// Puts this before every system call that sends, until there is another. A write that it forbids
  /// ends with operation_aborted; and on Close() the kernel takes back what it has not sent.
  void GuardWrites(WriteGuard guard) { *guard_ = std::move(guard); }

 protected:
  bool MayWrite() const { return !*guard_ || (*guard_)(); }

 private:
  const std::shared_ptr<WriteGuard> guard_;
};

}  // namespace flyball::transport

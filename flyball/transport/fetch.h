#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/transport/gunzip.h"
#include "flyball/transport/transport.h"

/// The two ways in which blocking code uses a transport: wait for a whole response, or read its
/// body as it comes.
namespace flyball::transport {

/// A response that is on its way. Many may be, started by one caller. Destroying it cancels.
/// One thread at a time.
class PendingResponse {
 public:
  PendingResponse(Transport& transport, Clock& clock, Request request);
  PendingResponse(PendingResponse&&) noexcept = default;
  PendingResponse& operator=(PendingResponse&&) noexcept = default;
  ~PendingResponse();

  bool Ready() const;
  /// Blocks until it is there. Once only.
  Result<Response> Wait();
  /// When it was; after Wait().
  SteadyTime ended_at() const;
  /// Makes Wait() return, from any thread.
  void Cancel() const {
    if (exchange_) exchange_->Cancel();
  }

 private:
  class Collector;

  std::shared_ptr<Collector> collector_;
  std::shared_ptr<Exchange> exchange_;
};

/// Sends and waits.
Result<Response> Fetch(Transport& transport, Clock& clock, Request request);

/// A response whose body is read piece by piece. What has not been read yet is bounded: a slow
/// reader makes the server wait, on this stream only. A body that comes packed is unpacked, once
/// Head() has been asked for; so a request may say that it takes gzip. Destroying it cancels.
/// Head() and Read() by one thread at a time, Cancel() by any.
class ResponseStream {
 public:
  /// A request to stop cancels.
  ResponseStream(Transport& transport, Clock& clock, Request request, std::stop_token stop = {});
  ResponseStream(ResponseStream&&) noexcept = default;
  ResponseStream& operator=(ResponseStream&&) noexcept = default;
  ~ResponseStream();

  /// Blocks until the head is there.
  Result<ResponseHead> Head();
  /// The most that a reader may wait for at once: well below what the server may send unread.
  static constexpr std::size_t kMostAtOnce = std::size_t{128} << 10;

  /// Blocks until there is more, and returns all there is; an empty text is the end. Who has no use
  /// for less than `at_least` bytes is not woken for less, but at the end.
  Result<std::string> Read(std::size_t at_least = 1);
  /// All there is, without blocking; nothing if there is nothing yet.
  Result<std::optional<std::string>> TryRead();
  /// Has `readable` called each time there is something new to read, by a thread of the transport:
  /// it must not block. It is called at once if there is something already.
  void OnReadable(std::function<void()> readable);
  void Cancel() const { exchange_->Cancel(); }

 private:
  class Buffer;

  /// What was read, as it is meant; nothing if that cannot be told yet.
  Result<std::optional<std::string>> Unpacked(std::string bytes);

  struct CancelExchange {
    std::shared_ptr<Exchange> exchange;
    void operator()() const;
  };

  std::shared_ptr<Buffer> buffer_;
  std::shared_ptr<Exchange> exchange_;
  std::unique_ptr<std::stop_callback<CancelExchange>> on_stop_;
  std::optional<Gunzip> gunzip_;  // if it comes packed
};

}  // namespace flyball::transport

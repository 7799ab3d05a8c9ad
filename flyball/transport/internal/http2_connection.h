#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/transport/internal/byte_stream.h"
#include "flyball/transport/internal/call.h"
#include "flyball/transport/internal/http2_session.h"

namespace flyball::transport {

struct Http2Options {
  std::string authority;
  std::chrono::nanoseconds ping_after = std::chrono::seconds(10);
  std::chrono::nanoseconds ping_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(90);
  /// Between one read and the next, `batching_pause` after the last call began: to be woken for
  /// each little thing costs far more than the thing itself. Zero: what comes is read as it comes.
  std::chrono::nanoseconds batch_interval = {};
  std::chrono::nanoseconds batching_pause = {};
};

/// Many calls over one connection. What one run of the network thread's loop has to send goes out
/// in one write. A call's data counts against its own window until consumed, and against the
/// connection's only until it is here, so that a slow reader holds up nobody else.
///
/// Calls with a fence are looked at before each write, and again before each system call of it. If
/// the fence of one closes when part of the write has left, the connection is reset: the stream's
/// own reset would wait behind the bytes that must not leave.
class Http2Connection final : public Connection,
                              public std::enable_shared_from_this<Http2Connection> {
 public:
  /// `changed` is called when there may be room again, or when it has closed.
  Http2Connection(boost::asio::io_context& network, std::unique_ptr<ByteStream> stream,
                  Http2Options options, std::function<void()> changed);
  ~Http2Connection() override;

  void Open();
  bool closed() const override { return closed_; }

  bool HasRoom() const override;
  bool opening() const override { return opening_ && !closed_; }
  void Start(std::shared_ptr<Call> call) override;
  void Flush() override;
  void Abandon(Call& call) override;
  void Consumed(Call& call, std::size_t bytes) override;
  void Drain() override;
  void Close(const Error& why) override;

 private:
  void MakeSession();
  void Submit(Call& call);
  void ScheduleFlush();
  void Gather();
  void Written(boost::system::error_code failed);
  void AbortFencedRequests();
  bool WriteMayGoOn() const;
  void WatchFences();
  void TellNews();
  void TellNewsSoon();
  void ReadMore();
  void ReadMoreAfterInterval();
  void PauseReadBatching();
  void Received(std::size_t size);
  void CloseIfDone();
  void Broken(std::string_view why);
  void WatchPeer();
  void AwaitPong();

  // nghttp2's callbacks.
  int OnHeader(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int OnFrameReceived(const nghttp2_frame& frame);
  int OnFrameSent(const nghttp2_frame& frame);
  int OnStreamClosed(std::int32_t stream, std::uint32_t code);
  Call* CallOf(std::int32_t stream) const;

  const Http2Options options_;
  const std::function<void()> changed_;
  boost::asio::io_context& network_;
  const std::unique_ptr<ByteStream> stream_;
  Http2SessionPtr session_;
  std::unordered_map<std::int32_t, std::shared_ptr<Call>> calls_;
  boost::asio::steady_timer peer_timer_;
  std::vector<nghttp2_nv> fields_;  // of the request that is being submitted
  boost::asio::steady_timer fence_timer_;
  boost::asio::steady_timer batch_timer_;
  boost::asio::steady_timer pause_timer_;
  std::vector<char> input_;
  std::string output_;
  std::vector<std::int32_t> fenced_;                         // streams that have not left whole
  std::vector<std::shared_ptr<const WriteFence>> in_write_;  // fences of what is in `output_`
  std::string close_reason_;                                 // what the server said in GOAWAY
  std::chrono::nanoseconds idle_for_ = {};
  bool batching_paused_ = true;  // it reads at once
  bool heard_ = false;           // something came since the timer was set
  bool writing_ = false;
  bool flush_scheduled_ = false;
  bool receiving_ = false;  // what nghttp2 calls meanwhile leaves sending and news to the end of it
  bool news_ = false;       // to tell `changed_` of
  bool opening_ = true;     // until the server has said how many streams it allows
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace flyball::transport

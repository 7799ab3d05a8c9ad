#include "flyball/transport/internal/http2_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <charconv>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::transport {
namespace {

constexpr std::size_t kOutputSize = 64 << 10;  // a few TLS records
constexpr std::size_t kUsualHeaders = 12;
constexpr std::int32_t kStreamWindow = 1 << 20;
constexpr std::int32_t kConnectionWindow = 256 << 20;
/// Where a read brought so much, there is likely more: who rested then would fall behind.
constexpr std::size_t kALot = ByteStream::kMostAtOnce / 4;

Http2Connection& Self(void* user_data) { return *static_cast<Http2Connection*>(user_data); }

/// Takes the next part of a request's body.
ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* buffer, std::size_t length,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  Call& call = *static_cast<Call*>(source->ptr);
  const std::string& body = call.request().body;
  const std::size_t size = std::min(length, body.size() - call.body_sent);
  std::copy_n(body.data() + call.body_sent, size, buffer);
  call.body_sent += size;
  if (call.body_sent == body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(size);
}

}  // namespace

Http2Connection::Http2Connection(boost::asio::io_context& network,
                                 std::unique_ptr<ByteStream> stream, Http2Options options,
                                 std::function<void()> changed)
    : options_(std::move(options)),
      changed_(std::move(changed)),
      network_(network),
      stream_(std::move(stream)),
      peer_timer_(network),
      fence_timer_(network),
      batch_timer_(network),
      pause_timer_(network),
      input_(ByteStream::kMostAtOnce) {}

Http2Connection::~Http2Connection() = default;

void Http2Connection::Open() {
  MakeSession();
  stream_->GuardWrites([this] { return WriteMayGoOn(); });
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
  };
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  ReadMore();
  Flush();
  WatchPeer();
}

void Http2Connection::MakeSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self) {
        return Self(self).OnHeader(*frame, Http2View(name, name_size),
                                   Http2View(value, value_size));
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session* session, std::uint8_t, std::int32_t stream,
                    const std::uint8_t* data, std::size_t size, void* self) {
        nghttp2_session_consume_connection(session, size);
        if (Call* const call = Self(self).CallOf(stream)) call->OnData(Http2View(data, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return Self(self).OnFrameReceived(*frame);
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return Self(self).OnFrameSent(*frame);
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t code, void* self) {
        return Self(self).OnStreamClosed(stream, code);
      });
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new2(&session, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
}

bool Http2Connection::HasRoom() const {
  if (closed_ || draining_ || opening_) return false;
  if (nghttp2_session_check_request_allowed(session_.get()) == 0) return false;
  return calls_.size() < nghttp2_session_get_remote_settings(
                             session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

void Http2Connection::Start(std::shared_ptr<Call> call) {
  Call& started = *call;
  started.Attach(this);
  Submit(started);
  if (started.stream < 0) {
    return started.OnEnd(Fail(ErrorCode::kUnavailable,
                              options_.authority + ": " + nghttp2_strerror(started.stream)));
  }
  idle_for_ = {};
  PauseReadBatching();
  if (started.request().fence) fenced_.push_back(started.stream);
  calls_.emplace(started.stream, std::move(call));
}

void Http2Connection::Submit(Call& call) {
  const Request& request = call.request();
  const std::string size = std::to_string(request.body.size());
  fields_.clear();
  fields_.push_back(Http2Field(":method", request.method));
  fields_.push_back(Http2Field(":scheme", "https"));
  fields_.push_back(Http2Field(":authority", options_.authority));
  fields_.push_back(Http2Field(":path", request.target));
  for (const auto& [name, value] : request.headers) fields_.push_back(Http2Field(name, value));
  nghttp2_data_provider body = {{.ptr = &call}, ReadBody};
  if (!request.body.empty()) fields_.push_back(Http2Field("content-length", size));
  call.stream = nghttp2_submit_request(session_.get(), nullptr, fields_.data(), fields_.size(),
                                       request.body.empty() ? nullptr : &body, nullptr);
}

void Http2Connection::Abandon(Call& call) {
  const auto found = calls_.find(call.stream);
  if (found == calls_.end()) return;
  // nghttp2 may still ask for its body, until the stream is closed.
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, call.stream, NGHTTP2_CANCEL);
  ScheduleFlush();
}

void Http2Connection::Consumed(Call& call, std::size_t bytes) {
  if (closed_) return;
  nghttp2_session_consume_stream(session_.get(), call.stream, bytes);
  // The server is told of a lot at once.
  if (nghttp2_session_want_write(session_.get()) != 0) ScheduleFlush();
}

void Http2Connection::Drain() {
  draining_ = true;
  CloseIfDone();
}

void Http2Connection::CloseIfDone() {
  if (closed_ || !calls_.empty()) return;
  const bool may_go_on = nghttp2_session_check_request_allowed(session_.get()) != 0;
  if (draining_ || !may_go_on) Close({ErrorCode::kUnavailable, options_.authority + ": closed"});
}

void Http2Connection::Close(const Error& why) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();  // `changed_` may let go of the last reference
  peer_timer_.cancel();
  fence_timer_.cancel();
  batch_timer_.cancel();
  pause_timer_.cancel();
  fenced_.clear();
  stream_->Close();
  for (auto& [stream, call] : std::exchange(calls_, {})) {
    if (call->ended()) continue;
    if (call->sent() || why.code() == ErrorCode::kCancelled) {
      call->OnEnd(std::unexpected(why));
    } else {
      call->OnRefused(why);
    }
  }
  changed_();
}

void Http2Connection::Broken(std::string_view why) {
  std::string text = "connection to " + options_.authority + " broke: " + std::string(why);
  if (!close_reason_.empty()) text += " (the server said: " + close_reason_ + ")";
  Close({ErrorCode::kIo, std::move(text)});
}

void Http2Connection::ScheduleFlush() {
  if (flush_scheduled_ || receiving_ || closed_) return;
  flush_scheduled_ = true;
  boost::asio::post(network_, [self = shared_from_this()] {
    self->flush_scheduled_ = false;
    self->Flush();
  });
}

/// There may be room again, or the connection takes no more.
void Http2Connection::TellNews() {
  if (std::exchange(news_, false)) changed_();
}

void Http2Connection::TellNewsSoon() {
  boost::asio::post(network_, [self = shared_from_this()] { self->TellNews(); });
}

void Http2Connection::Flush() {
  while (!writing_ && !closed_) {
    AbortFencedRequests();
    Gather();
    if (closed_) return;
    if (output_.empty()) return CloseIfDone();
    writing_ =
        !stream_->WriteAll(boost::asio::buffer(output_),
                           [self = shared_from_this()](boost::system::error_code failed,
                                                       std::size_t) { self->Written(failed); });
    if (in_write_.empty()) continue;
    writing_ ? WatchFences() : in_write_.clear();
  }
}

/// Takes from nghttp2 what there is to send, but not without end.
void Http2Connection::Gather() {
  output_.clear();
  in_write_.clear();
  while (output_.size() < kOutputSize) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return Broken(nghttp2_strerror(static_cast<int>(size)));
    if (size == 0) return;
    output_.append(Http2View(bytes, static_cast<std::size_t>(size)));
  }
}

void Http2Connection::Written(boost::system::error_code failed) {
  writing_ = false;
  if (failed) return Broken(WriteMayGoOn() ? failed.message() : "its fence closed in a write");
  if (!in_write_.empty()) fence_timer_.cancel();
  in_write_.clear();
  Flush();
}

/// nghttp2 drops a request that is reset before its head has been compressed, so that the peer's
/// table of headers stays the same as ours. (Its own callback before a frame comes too late.)
void Http2Connection::AbortFencedRequests() {
  std::vector<std::shared_ptr<Call>> closed;
  std::erase_if(fenced_, [&](std::int32_t stream) {
    const auto found = calls_.find(stream);
    if (found == calls_.end() || found->second->ended() || found->second->left) return true;
    if (found->second->MayLeave()) return false;
    closed.push_back(found->second);
    return true;
  });
  for (const auto& call : closed) {
    Abandon(*call);
    call->OnFenceClosed();
  }
}

bool Http2Connection::WriteMayGoOn() const {
  return std::ranges::all_of(in_write_, [](const auto& fence) { return fence->IsOpen(); });
}

/// For a write that the peer does not take.
void Http2Connection::WatchFences() {
  std::chrono::nanoseconds left = in_write_.front()->Left();
  for (const auto& fence : in_write_) left = std::min(left, fence->Left());
  fence_timer_.expires_after(left);
  fence_timer_.async_wait([self = shared_from_this()](boost::system::error_code aborted) {
    if (aborted || self->closed_ || self->in_write_.empty()) return;
    if (self->WriteMayGoOn()) return self->WatchFences();
    self->Broken("its fence closed in a write");
  });
}

void Http2Connection::ReadMore() {
  stream_->ReadSome(boost::asio::buffer(input_),
                    [self = shared_from_this()](boost::system::error_code failed, std::size_t n) {
                      if (self->closed_) return;
                      if (failed) return self->Broken(failed.message());
                      self->Received(n);
                    });
}

void Http2Connection::Received(std::size_t size) {
  heard_ = true;
  receiving_ = true;
  const ssize_t read = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(input_.data()), size);
  receiving_ = false;
  if (closed_) return;
  if (read < 0) return Broken(nghttp2_strerror(static_cast<int>(read)));
  TellNews();
  Flush();
  CloseIfDone();
  if (closed_) return;
  batching_paused_ || size >= kALot ? ReadMore() : ReadMoreAfterInterval();
}

void Http2Connection::ReadMoreAfterInterval() {
  batch_timer_.expires_after(options_.batch_interval);
  batch_timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
    if (!self->closed_) self->ReadMore();
  });
}

void Http2Connection::PauseReadBatching() {
  if (options_.batch_interval.count() == 0) return;
  batching_paused_ = true;
  batch_timer_.cancel();  // a paused read goes on
  pause_timer_.expires_after(options_.batching_pause);
  pause_timer_.async_wait([self = shared_from_this()](boost::system::error_code aborted) {
    if (!aborted) self->batching_paused_ = false;
  });
}

Call* Http2Connection::CallOf(std::int32_t stream) const {
  const auto found = calls_.find(stream);
  return found == calls_.end() ? nullptr : found->second.get();
}

int Http2Connection::OnHeader(const nghttp2_frame& frame, std::string_view name,
                              std::string_view value) {
  if (frame.hd.type != NGHTTP2_HEADERS || frame.headers.cat == NGHTTP2_HCAT_PUSH_RESPONSE) return 0;
  Call* const call = CallOf(frame.hd.stream_id);
  if (call == nullptr) return 0;
  if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), call->partial_head.status);
  } else {
    Headers& headers = call->partial_head.headers;
    if (headers.empty()) headers.reserve(kUsualHeaders);
    headers.emplace_back(name, value);
  }
  return 0;
}

int Http2Connection::OnFrameReceived(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_GOAWAY) {
    const auto& goaway = frame.goaway;
    close_reason_ = nghttp2_http2_strerror(goaway.error_code);
    if (goaway.opaque_data_len > 0) {
      close_reason_ += ": " + std::string(Http2View(goaway.opaque_data, goaway.opaque_data_len));
    }
    draining_ = true;
    news_ = true;
  } else if (frame.hd.type == NGHTTP2_SETTINGS) {
    opening_ = false;
    news_ = true;
  }
  Call* const call = CallOf(frame.hd.stream_id);
  if (call == nullptr) return 0;
  if (frame.hd.type == NGHTTP2_HEADERS) {
    // Neither what comes ahead of the answer (1xx) nor what comes behind it.
    ResponseHead head = std::exchange(call->partial_head, {});
    if (head.status >= 200) call->OnHead(std::move(head));
  }
  const bool carries_end = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
  if (carries_end && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) call->complete = true;
  return 0;
}

int Http2Connection::OnFrameSent(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return 0;
  Call* const call = CallOf(frame.hd.stream_id);
  if (call == nullptr) return 0;
  call->MarkSent();
  call->left = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (const auto& fence = call->request().fence) in_write_.push_back(fence);
  return 0;
}

int Http2Connection::OnStreamClosed(std::int32_t stream, std::uint32_t code) {
  const auto ended = calls_.extract(stream);
  if (ended.empty()) return 0;
  news_ = true;
  if (!receiving_) TellNewsSoon();
  Call& call = *ended.mapped();
  if (call.ended()) return 0;
  if (code == NGHTTP2_NO_ERROR && call.complete) {
    call.OnEnd({});
  } else if (code == NGHTTP2_REFUSED_STREAM) {
    std::string text = options_.authority + " refused the request";
    if (!close_reason_.empty()) text += " (" + close_reason_ + ")";
    call.OnRefused({ErrorCode::kUnavailable, std::move(text)});
  } else {
    call.OnEnd(Fail(ErrorCode::kIo,
                    options_.authority + " reset the stream: " + nghttp2_http2_strerror(code)));
  }
  return 0;
}

void Http2Connection::WatchPeer() {
  heard_ = false;
  peer_timer_.expires_after(options_.ping_after);
  peer_timer_.async_wait([self = shared_from_this()](boost::system::error_code aborted) {
    if (aborted || self->closed_) return;
    self->idle_for_ += self->options_.ping_after;
    if (self->calls_.empty() && self->idle_for_ >= self->options_.idle_timeout) {
      return self->Drain();
    }
    if (self->heard_) return self->WatchPeer();
    nghttp2_submit_ping(self->session_.get(), NGHTTP2_FLAG_NONE, nullptr);
    self->Flush();
    self->AwaitPong();
  });
}

void Http2Connection::AwaitPong() {
  peer_timer_.expires_after(options_.ping_timeout);
  peer_timer_.async_wait([self = shared_from_this()](boost::system::error_code aborted) {
    if (aborted || self->closed_) return;
    self->idle_for_ += self->options_.ping_timeout;
    if (self->heard_) return self->WatchPeer();
    self->Broken("no answer to a ping");
  });
}

}  // namespace flyball::transport

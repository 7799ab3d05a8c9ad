#include "flyball/serving/internal/http2_session.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <charconv>

#include "flyball/serving/internal/connection_headers.h"

namespace flyball::serving {
namespace {

using boost::system::error_code;
using transport::Http2Field;
using transport::Http2View;

constexpr std::size_t kInputSize = 32 << 10;
constexpr std::size_t kUsualHeaders = 12;
/// As many bytes of a body as may come unasked, of one request and of all.
constexpr std::int32_t kStreamWindow = 256 << 10;
constexpr std::int32_t kConnectionWindow = 1 << 20;
/// More frames than this that wait to be sent are those of a client that provokes and never reads.
constexpr std::size_t kMostQueued = 10'000;
/// How a header counts against the limit, besides its text: RFC 9113, 6.5.2.
constexpr std::size_t kHeaderOverhead = 32;

Http2Session& Self(void* user_data) { return *static_cast<Http2Session*>(user_data); }

/// Says how much of an answer's body comes next. The bytes themselves are taken by SendData().
ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t length,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  const ServerResponse& answer = *static_cast<const ServerResponse*>(source->ptr);
  const std::size_t size = std::min(length, answer.body().size());
  const bool last = answer.ended() && size == answer.body().size();
  if (last && answer.failed() && size == 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (last && !answer.failed()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (!last && size == 0) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  return static_cast<ssize_t>(size);
}

}  // namespace

Http2Session::Http2Session(SessionDeps deps, std::unique_ptr<transport::ByteStream> stream,
                           Peer peer, Closed closed)
    : Session(std::move(deps), std::move(stream), std::move(peer), std::move(closed)),
      alarm_(deps_.deadlines),
      input_(kInputSize) {}

Http2Session::~Http2Session() = default;

void Http2Session::Open(std::string received) {
  MakeSession();
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, deps_.limits.streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<std::uint32_t>(deps_.limits.request_head)},
  };
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  WatchClient();
  Received(received);
}

void Http2Session::MakeSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return Self(self).OnBeginHeaders(*frame);
      });
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* self) {
        return Self(self).OnHeader(*frame, Http2View(name, name_size),
                                   Http2View(value, value_size));
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks,
      [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
         std::size_t size, void* self) { return Self(self).OnData(id, Http2View(data, size)); });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return Self(self).OnFrameReceived(*frame);
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return Self(self).OnFrameSent(*frame);
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
        return Self(self).OnStreamClosed(id);
      });
  nghttp2_session_callbacks_set_send_data_callback(
      callbacks, [](nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* frame_head,
                    std::size_t size, nghttp2_data_source* source, void* self) {
        return Self(self).SendData(*frame, frame_head, size,
                                   *static_cast<ServerResponse*>(source->ptr));
      });
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  // Nobody depends on streams that are over, and each would be kept for a while.
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session* session = nullptr;
  nghttp2_session_server_new2(&session, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  session_.reset(session);
}

Http2Session::Stream* Http2Session::StreamOf(std::int32_t id) const {
  return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_.get(), id));
}

int Http2Session::OnBeginHeaders(const nghttp2_frame& frame) {
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  auto stream = std::make_unique<Stream>();
  stream->id = frame.hd.stream_id;
  stream->request.method.clear();
  nghttp2_session_set_stream_user_data(session_.get(), stream->id, stream.get());
  streams_.emplace(stream->id, std::move(stream));
  heard_ = true;
  return 0;
}

int Http2Session::OnHeader(const nghttp2_frame& frame, std::string_view name,
                           std::string_view value) {
  Stream* const stream = StreamOf(frame.hd.stream_id);
  if (stream == nullptr || stream->complete) return 0;
  stream->head_size += name.size() + value.size() + kHeaderOverhead;
  if (stream->head_size > deps_.limits.request_head) {
    Refuse(*stream, 431);
    return 0;
  }
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // behind the body
  transport::Request& request = stream->request;
  if (name.starts_with(':')) {
    if (name == ":method") request.method = value;
    if (name == ":path") request.target = value;
    return 0;
  }
  if (name == "expect") stream->expects_continue = value == "100-continue";
  if (name == "content-length") {
    std::uint64_t size = 0;
    std::from_chars(value.data(), value.data() + value.size(), size);
    if (size > deps_.limits.request_body) Refuse(*stream, 413);
  }
  if (BelongsToConnection(name)) return 0;
  if (request.headers.empty()) request.headers.reserve(kUsualHeaders);
  request.headers.emplace_back(name, value);
  return 0;
}

int Http2Session::OnData(std::int32_t id, std::string_view bytes) {
  Stream* const stream = StreamOf(id);
  if (stream == nullptr || stream->complete) return 0;
  std::string& body = stream->request.body;
  if (body.size() + bytes.size() > deps_.limits.request_body) {
    Refuse(*stream, 413);
    return 0;
  }
  body.append(bytes);
  return 0;
}

int Http2Session::OnFrameReceived(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return 0;
  Stream* const stream = StreamOf(frame.hd.stream_id);
  if (stream == nullptr || stream->complete) return 0;
  if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
    const std::string& target = stream->request.target;
    if (!target.starts_with('/') && target != "*") {  // a CONNECT
      Refuse(*stream, 400);
      return 0;
    }
    stream->complete = true;
    ready_.push_back(stream->id);
  } else if (std::exchange(stream->expects_continue, false)) {
    const nghttp2_nv go_on = Http2Field(":status", "100");
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream->id, nullptr, &go_on, 1,
                           nullptr);
  }
  return 0;
}

/// An answer of our own to a request of which no more is wanted.
void Http2Session::Refuse(Stream& stream, int status) {
  stream.complete = true;
  stream.request = {};
  stream.answer =
      std::make_shared<ServerResponse>(deps_.notifier, weak_from_this(), /*wants_body=*/false);
  stream.answer->stream = stream.id;
  stream.answer->AnswerWith(status, "");
  ready_.push_back(stream.id);
}

void Http2Session::HandOver() {
  for (const std::int32_t id : std::exchange(ready_, {})) {
    Stream* const stream = closed_ ? nullptr : StreamOf(id);
    if (stream == nullptr) continue;  // given up already
    if (!stream->answer) {
      const bool wants_body = stream->request.method != "HEAD";
      const auto answer =
          std::make_shared<ServerResponse>(deps_.notifier, weak_from_this(), wants_body);
      stream->answer = answer;
      answer->stream = id;
      stream->request.peer = peer_.identity;
      stream->request.peer_certificates = peer_.certificates;
      answer->Ask(deps_.answers, std::exchange(stream->request, {}));
    }
    if (!closed_) Respond(*stream->answer);
  }
}

void Http2Session::OnResponseProgress(ServerResponse& answer) {
  if (closed_) return;
  if (!dropped_.empty()) {
    const auto found = dropped_.find(answer.shared_from_this());
    if (found != dropped_.end()) {
      if (answer.ended()) dropped_.erase(found);
      return;
    }
  }
  Respond(answer);
  ScheduleFlush();
}

/// Tells nghttp2 that there is something new to send.
void Http2Session::Respond(ServerResponse& answer) {
  if (answer.begun) {
    nghttp2_session_resume_data(session_.get(), answer.stream);
    return;
  }
  if (answer.head() == nullptr) return;
  answer.begun = true;
  char status[8];
  const auto end = std::to_chars(status, status + sizeof(status), answer.head()->status).ptr;
  fields_.clear();
  fields_.push_back(Http2Field(":status", {status, end}));
  for (const auto& [name, value] : answer.head()->headers) {
    fields_.push_back(Http2Field(name, value));
  }
  if (transport::FindHeader(answer.head()->headers, "date").empty()) {
    fields_.push_back(Http2Field("date", deps_.date->Now()));
  }
  const bool empty = answer.ended() && !answer.failed() && answer.body().empty();
  nghttp2_data_provider body = {{.ptr = &answer}, ReadBody};
  nghttp2_submit_response(session_.get(), answer.stream, fields_.data(), fields_.size(),
                          answer.has_body() && !empty ? &body : nullptr);
}

int Http2Session::SendData(const nghttp2_frame& frame, const std::uint8_t* frame_head,
                           std::size_t size, ServerResponse& answer) {
  constexpr std::size_t kFrameHead = 9;
  output_.append(Http2View(frame_head, kFrameHead));
  if (frame.data.padlen > 0) return NGHTTP2_ERR_CALLBACK_FAILURE;  // we never ask for it
  output_.append(answer.body().substr(0, size));
  answer.Take(size);
  in_write_.emplace_back(answer.shared_from_this(), size);
  return 0;
}

int Http2Session::OnFrameSent(const nghttp2_frame& frame) {
  const bool may_end = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
  if (!may_end || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
  // Who was refused need not send the rest. (nghttp2 drops it, where there is no rest.)
  const int remote = nghttp2_session_get_stream_remote_close(session_.get(), frame.hd.stream_id);
  if (remote == 0) {
    nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, frame.hd.stream_id,
                              NGHTTP2_NO_ERROR);
  }
  return 0;
}

int Http2Session::OnStreamClosed(std::int32_t id) {
  const auto ended = streams_.extract(id);
  if (ended.empty()) return 0;
  const std::shared_ptr<ServerResponse>& answer = ended.mapped()->answer;
  if (!answer || answer->ended()) return 0;
  answer->Drop();
  dropped_.insert(answer);
  return 0;
}

void Http2Session::ScheduleFlush() {
  if (flush_scheduled_ || receiving_ || writing_ || closed_) return;
  flush_scheduled_ = true;
  boost::asio::post(deps_.network, [self = shared_from_this(), this] {
    flush_scheduled_ = false;
    Flush();
  });
}

void Http2Session::Flush() {
  for (int writes = 0; !writing_ && !closed_; ++writes) {
    if (writes == kWritesATurn) return ScheduleFlush();
    Gather();
    if (closed_) return;
    if (output_.empty()) return CloseIfDone();
    writing_ =
        !stream_->WriteAll(boost::asio::buffer(output_),
                           [self = shared_from_this(), this](error_code failed, std::size_t) {
                             writing_ = false;
                             if (closed_) return;
                             if (failed) return Close();
                             AcknowledgeWritten();
                             Flush();
                           });
    if (!writing_) AcknowledgeWritten();
  }
}

/// Takes from nghttp2 what there is to send, but not without end.
void Http2Session::Gather() {
  output_.clear();
  while (output_.size() < kOutputSize) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return Close();
    if (size == 0) return;
    output_.append(Http2View(bytes, static_cast<std::size_t>(size)));
  }
}

void Http2Session::AcknowledgeWritten() {
  wrote_ = true;
  for (const auto& [answer, size] : std::exchange(in_write_, {})) answer->Sent(size);
}

void Http2Session::ReadMore() {
  stream_->ReadSome(boost::asio::buffer(input_),
                    [self = shared_from_this(), this](error_code failed, std::size_t size) {
                      if (closed_) return;
                      if (failed) return Close();
                      Received({input_.data(), size});
                    });
}

void Http2Session::Received(std::string_view bytes) {
  receiving_ = true;
  const ssize_t read = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (!closed_ && read >= 0) HandOver();
  receiving_ = false;
  if (closed_) return;
  if (read < 0) return CutOff(NGHTTP2_PROTOCOL_ERROR);
  if (dropped_.size() > deps_.limits.streams ||
      nghttp2_session_get_outbound_queue_size(session_.get()) > kMostQueued) {
    return CutOff(NGHTTP2_ENHANCE_YOUR_CALM);
  }
  Flush();
  CloseIfDone();
  if (!closed_) ReadMore();
}

/// Says why, if that can be said at once.
void Http2Session::CutOff(std::uint32_t code) {
  deps_.log.V(4).Info("Closing HTTP/2 connection", {{"reason", nghttp2_http2_strerror(code)}});
  nghttp2_session_terminate_session(session_.get(), code);
  Flush();
  Close();
}

void Http2Session::Drain() {
  if (std::exchange(draining_, true)) return;
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  Flush();
  CloseIfDone();
}

void Http2Session::CloseIfDone() {
  if (closed_ || writing_ || nghttp2_session_want_write(session_.get()) != 0) return;
  const bool over = nghttp2_session_want_read(session_.get()) == 0;
  if (over || (draining_ && streams_.empty())) Close();
}

void Http2Session::Close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  alarm_.Clear();
  stream_->Close();
  for (const auto& [id, stream] : std::exchange(streams_, {})) {
    if (stream->answer) stream->answer->Drop();
  }
  dropped_.clear();
  closed_callback_(*this);
}

/// Looks from time to time who keeps us waiting: what was unfinished the last time already is given
/// up. So nothing has to be done for the requests that come and go in between.
void Http2Session::WatchClient() {
  const Limits& limits = deps_.limits;
  const auto period = std::min({limits.request, limits.idle, limits.write});
  alarm_.Set(period, [this, period] {
    const auto self = shared_from_this();
    const bool busy = std::exchange(heard_, false) || !streams_.empty();
    idle_for_ = busy ? std::chrono::nanoseconds() : idle_for_ + period;
    if (idle_for_ >= deps_.limits.idle) return Drain();
    stuck_for_ = std::exchange(wrote_, false) || !writing_ ? std::chrono::nanoseconds()
                                                           : stuck_for_ + period;
    if (stuck_for_ >= deps_.limits.write) return Close();
    for (const auto& [id, stream] : streams_) {
      if (!IsGivenUp(*stream, period)) continue;
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    }
    WatchClient();
    Flush();
  });
}

/// Whether its client sends no more of the request, or takes no more of the answer.
bool Http2Session::IsGivenUp(Stream& stream, std::chrono::nanoseconds since_last_look) const {
  if (!stream.complete) return std::exchange(stream.old, true);
  if (!stream.answer) return false;
  const bool waits = !stream.answer->body().empty();
  const bool moved = std::exchange(stream.answer->moved, false);
  stream.stuck_for =
      waits && !moved ? stream.stuck_for + since_last_look : std::chrono::nanoseconds();
  return stream.stuck_for >= deps_.limits.write;
}

std::shared_ptr<Session> MakeHttp2Session(SessionDeps deps,
                                          std::unique_ptr<transport::ByteStream> stream, Peer peer,
                                          Session::Closed closed) {
  return std::make_shared<Http2Session>(std::move(deps), std::move(stream), std::move(peer),
                                        std::move(closed));
}

}  // namespace flyball::serving

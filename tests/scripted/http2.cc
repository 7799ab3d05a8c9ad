#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <map>

#include "tests/scripted/connection.h"

namespace flyball::scripted {
namespace {

std::string_view View(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv Pair(std::string_view name, std::string_view value) {
  return {const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(name.data())),
          const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(value.data())),
          name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class Http2 final : public Connection {
 public:
  Http2(boost::asio::io_context& network, std::unique_ptr<Socket> socket, Server::Handler handler,
        std::function<void()> closed, std::uint32_t max_streams)
      : Connection(network, std::move(socket), std::move(handler), std::move(closed)),
        max_streams_(max_streams) {}
  ~Http2() override { nghttp2_session_del(session_); }

  void Open() override {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
          static_cast<Http2*>(self)->OnHeader(frame->hd.stream_id, View(name, name_size),
                                              View(value, value_size));
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                      std::size_t size, void* self) {
          static_cast<Http2*>(self)->streams_[stream]->body += View(data, size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          static_cast<Http2*>(self)->OnFrame(*frame);
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t, void* self) {
          static_cast<Http2*>(self)->streams_.erase(stream);
          return 0;
        });
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams_}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 1);
    Flush();
    ReadMore();
  }

  void SendHead(Request::Stream& stream, int status, const transport::Headers& headers) override {
    const std::string status_text = std::to_string(status);
    std::vector<nghttp2_nv> fields = {Pair(":status", status_text)};
    for (const auto& [name, value] : headers) fields.push_back(Pair(name, value));
    nghttp2_data_provider body = {{.ptr = &stream}, ReadUnsent};
    nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(), &body);
    stream.head_sent = true;
    Flush();
  }

  void SendData(Request::Stream& stream) override {
    nghttp2_session_resume_data(session_, stream.id);
    Flush();
  }

  void Reset(Request::Stream& stream, std::uint32_t code) override {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, code);
    Flush();
  }

  void GoAway(std::int32_t last_stream) override {
    constexpr std::string_view kReason = "shutting down";
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last_stream, NGHTTP2_NO_ERROR,
                          reinterpret_cast<const std::uint8_t*>(kReason.data()), kReason.size());
    Flush();
  }

 private:
  static ssize_t ReadUnsent(nghttp2_session*, std::int32_t, std::uint8_t* buffer,
                            std::size_t length, std::uint32_t* flags, nghttp2_data_source* source,
                            void*) {
    auto& stream = *static_cast<Request::Stream*>(source->ptr);
    const std::size_t size = std::min(length, stream.unsent.size());
    std::copy_n(stream.unsent.data(), size, buffer);
    stream.unsent.erase(0, size);
    if (stream.unsent.empty() && stream.ending) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (size == 0 && !stream.ending) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(size);
  }

  void OnHeader(std::int32_t id, std::string_view name, std::string_view value) {
    auto& stream = streams_[id];
    if (!stream) {
      stream = std::make_shared<Request::Stream>();
      stream->connection = shared_from_this();
      stream->id = id;
    }
    if (name == ":method") {
      stream->method = value;
    } else if (name == ":path") {
      stream->target = value;
    } else {
      stream->headers.emplace_back(name, value);
    }
  }

  void OnFrame(const nghttp2_frame& frame) {
    const bool carries_end = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
    if (!carries_end || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
    // A copy, since the handler may close the stream.
    if (const auto found = streams_.find(frame.hd.stream_id); found != streams_.end()) {
      Handle(std::shared_ptr(found->second));
    }
  }

  void Received(std::string_view bytes) override {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    receiving_ = true;
    const bool failed = nghttp2_session_mem_recv(session_, data, bytes.size()) < 0;
    receiving_ = false;
    if (failed) return Close();
    Flush();
  }

  void Flush() {
    if (receiving_ || closed_) return;
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size <= 0) break;
      output_ += View(bytes, static_cast<std::size_t>(size));
    }
    WriteOutput();
  }
  void Written() override { Flush(); }
  void Forget() override { streams_.clear(); }

  const std::uint32_t max_streams_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::shared_ptr<Request::Stream>> streams_;
  bool receiving_ = false;
};

}  // namespace

std::shared_ptr<Connection> MakeHttp2(boost::asio::io_context& loop, std::unique_ptr<Socket> socket,
                                      Server::Handler handler, std::function<void()> closed,
                                      std::uint32_t max_streams) {
  return std::make_shared<Http2>(loop, std::move(socket), std::move(handler), std::move(closed),
                                 max_streams);
}

}  // namespace flyball::scripted

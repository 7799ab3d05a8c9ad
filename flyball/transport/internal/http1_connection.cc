#include "flyball/transport/internal/http1_connection.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cctype>
#include <tuple>
#include <utility>

namespace flyball::transport {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

constexpr std::size_t kMaxUnconsumed = 1 << 20;

std::string RequestText(const Request& request, const std::string& authority) {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\nhost: " + authority;
  for (const auto& [name, value] : request.headers) {
    text.append("\r\n").append(name).append(": ").append(value);
  }
  if (!request.body.empty() || request.method != "GET") {
    text += "\r\ncontent-length: " + std::to_string(request.body.size());
  }
  return text + "\r\n\r\n" + request.body;
}

}  // namespace

/// Tells a call what comes. Beast's parser calls the methods.
class Http1Connection::Parser final : public http::basic_parser<false> {
 public:
  Parser(Call& call, std::size_t& unconsumed) : call_(call), unconsumed_(unconsumed) {
    eager(true);
    body_limit(boost::none);
    header_limit(1 << 20);
    skip(call.request().method == "HEAD");
  }

  int status() const { return status_; }

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int status, string_view, int, error_code&) override {
    head_.status = status_ = status;
  }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    head_.headers.emplace_back(std::move(lower), std::string(value));
  }
  void on_header_impl(error_code&) override {
    if (head_.status >= 200) call_.OnHead(std::move(head_));
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code&) override { return Body(bytes); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    return Body(bytes);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t Body(string_view bytes) {
    unconsumed_ += bytes.size();
    call_.OnData({bytes.data(), bytes.size()});
    return bytes.size();
  }

  Call& call_;
  ResponseHead head_;
  std::size_t& unconsumed_;
  int status_ = 0;
};

Http1Connection::Http1Connection(boost::asio::io_context& network,
                                 std::unique_ptr<ByteStream> stream, std::string authority,
                                 std::function<void()> changed)
    : authority_(std::move(authority)),
      changed_(std::move(changed)),
      network_(network),
      stream_(std::move(stream)),
      input_(ByteStream::kMostAtOnce) {}

Http1Connection::~Http1Connection() = default;

void Http1Connection::Start(std::shared_ptr<Call> call) {
  if (!call->MayLeave()) return call->OnFenceClosed();
  call_ = std::move(call);
  call_->Attach(this);
  call_->MarkSent();
  parser_ = std::make_unique<Parser>(*call_, unconsumed_);
  unconsumed_ = 0;
  output_ = RequestText(call_->request(), authority_);
  WriteGuard guard;
  if (const auto& fence = call_->request().fence) guard = [fence] { return fence->IsOpen(); };
  stream_->GuardWrites(std::move(guard));
  std::ignore = stream_->WriteAll(boost::asio::buffer(output_),
                                  [self = shared_from_this()](error_code failed, std::size_t) {
                                    if (failed && !self->closed_) self->Broken(failed.message());
                                  });
  ReadIfRoom();
}

void Http1Connection::Abandon(Call&) {
  // There is no other way to stop an answer.
  call_.reset();
  Close({ErrorCode::kCancelled, "request cancelled"});
}

void Http1Connection::Consumed(Call&, std::size_t bytes) {
  unconsumed_ -= std::min(unconsumed_, bytes);
  ReadIfRoom();
}

void Http1Connection::Drain() {
  draining_ = true;
  if (!call_) Close({ErrorCode::kUnavailable, authority_ + ": closed"});
}

void Http1Connection::Close(const Error& why) {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  stream_->Close();
  if (const auto call = std::exchange(call_, nullptr)) call->OnEnd(std::unexpected(why));
  changed_();
}

void Http1Connection::Broken(std::string_view why) {
  Close({ErrorCode::kIo, "connection to " + authority_ + " broke: " + std::string(why)});
}

void Http1Connection::ReadIfRoom() {
  if (reading_ || closed_ || unconsumed_ >= kMaxUnconsumed) return;
  reading_ = true;
  stream_->ReadSome(boost::asio::buffer(input_),
                    [self = shared_from_this()](error_code failed, std::size_t size) {
                      if (self->closed_) return;
                      if (failed) return self->Ended(failed);
                      self->Received(size);
                      self->reading_ = false;
                      self->ReadIfRoom();
                    });
}

void Http1Connection::Received(std::size_t size) {
  if (!call_) return Broken("bytes that nobody asked for");
  unparsed_.append(input_.data(), size);
  while (!unparsed_.empty() && !parser_->is_done()) {
    error_code failed;
    const std::size_t used = parser_->put(boost::asio::buffer(unparsed_), failed);
    if (closed_ || !call_) return;
    unparsed_.erase(0, used);
    if (failed == http::error::need_more) break;
    if (failed) return Broken("not HTTP: " + failed.message());
    // Ahead of the answer proper.
    if (parser_->is_done() && parser_->status() < 200) {
      parser_ = std::make_unique<Parser>(*call_, unconsumed_);
    }
  }
  if (parser_->is_done()) Finish();
}

void Http1Connection::Ended(error_code how) {
  if (!call_) return Broken("closed by the server");
  error_code incomplete;
  const bool has_head = parser_->is_header_done();
  if (has_head) parser_->put_eof(incomplete);
  if (!has_head || incomplete || !parser_->is_done()) return Broken(how.message());
  draining_ = true;
  Finish();
}

void Http1Connection::Finish() {
  const bool reusable = !draining_ && parser_->keep_alive() && unparsed_.empty();
  const auto call = std::exchange(call_, nullptr);
  if (!reusable) draining_ = true;
  call->OnEnd({});
  if (closed_) return;
  if (draining_) return Close({ErrorCode::kUnavailable, authority_ + ": closed"});
  unconsumed_ = 0;
  ReadIfRoom();
  boost::asio::post(network_, changed_);
}

}  // namespace flyball::transport

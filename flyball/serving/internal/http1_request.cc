#include "flyball/serving/internal/http1_request.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <string>
#include <utility>

#include "flyball/serving/internal/connection_headers.h"

namespace flyball::serving {

namespace http = boost::beast::http;
using boost::beast::iequals;
using boost::beast::string_view;
using boost::system::error_code;

namespace {

int StatusOf(const error_code& failed) {
  if (failed == http::error::header_limit) return 431;
  if (failed == http::error::body_limit) return 413;
  if (failed == http::error::bad_version) return 505;
  return 400;
}

/// The path of "http://host/path", which a client that takes us for a proxy sends.
std::string PathOf(string_view target) {
  const std::string_view text(target.data(), target.size());
  const auto scheme = text.find("://");
  if (text.starts_with('/') || scheme == std::string_view::npos) return std::string(text);
  const auto path = text.find_first_of("/?", scheme + 3);
  if (path == std::string_view::npos) return "/";
  return (text[path] == '?' ? "/" : "") + std::string(text.substr(path));
}

}  // namespace

/// Beast's parser calls the methods.
class Http1Request::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(const Limits& limits) {
    eager(true);
    body_limit(limits.request_body);
    header_limit(static_cast<std::uint32_t>(limits.request_head));
  }

  transport::Request request;
  int version = 11;
  int refusal = 0;
  bool wants_continue = false;

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int http_version,
                       error_code&) override {
    request.method = std::string(method);
    request.target = PathOf(target);
    version = http_version;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(http::field field, string_view name, string_view value, error_code&) override {
    if (head_done_) return;  // behind the body; nobody looks for anything there
    if (field == http::field::host) ++hosts_;
    if (field == http::field::transfer_encoding) encoded_ = true;
    if (field == http::field::expect) {
      iequals(value, "100-continue") ? expects_ = true : refusal = 417;
    }
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), boost::beast::detail::ascii_tolower);
    if (!BelongsToConnection(lower)) {
      request.headers.emplace_back(std::move(lower), std::string(value));
    }
  }
  void on_header_impl(error_code&) override {
    head_done_ = true;
    const bool rooted = request.target.starts_with('/') || request.target == "*";
    if (!rooted || hosts_ > 1 || (hosts_ == 0 && version >= 11)) refusal = 400;
    // Any other encoding is one that we do not know, and the body ends who knows where.
    if (encoded_ && !chunked()) refusal = 501;
    wants_continue = expects_ && version >= 11;
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& size, error_code&) override {
    // A promise alone gets nobody much memory.
    constexpr std::uint64_t kMostOnCredit = 64 << 10;
    if (size) request.body.reserve(static_cast<std::size_t>(std::min(*size, kMostOnCredit)));
  }
  std::size_t on_body_impl(string_view bytes, error_code&) override { return Body(bytes); }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
    return Body(bytes);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t Body(string_view bytes) {
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  int hosts_ = 0;
  bool head_done_ = false;
  bool encoded_ = false;
  bool expects_ = false;
};

Http1Request::Http1Request(const Limits& limits) : parser_(std::make_unique<Parser>(limits)) {}
Http1Request::~Http1Request() = default;
Http1Request::Http1Request(Http1Request&&) noexcept = default;
Http1Request& Http1Request::operator=(Http1Request&&) noexcept = default;

std::size_t Http1Request::Put(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && !done() && refusal() == 0) {
    // Beast takes for granted that it is not called with less than this while it waits for the end
    // of the last chunk. What is held back here comes again, since no chunked body ends before it.
    constexpr std::size_t kShortestEnd = std::string_view("0\r\n\r\n").size();
    const std::size_t left = bytes.size() - used;
    if (parser_->is_header_done() && parser_->chunked() && left < kShortestEnd) break;
    error_code failed;
    const std::size_t more = parser_->put(boost::asio::buffer(bytes.data() + used, left), failed);
    used += more;
    if (failed == http::error::need_more) break;
    if (failed) parser_->refusal = StatusOf(failed);
    if (more == 0) break;
  }
  return used;
}

bool Http1Request::done() const { return parser_->is_done(); }
int Http1Request::refusal() const { return parser_->refusal; }
bool Http1Request::TakeWantsContinue() { return std::exchange(parser_->wants_continue, false); }
int Http1Request::version() const { return parser_->version; }
bool Http1Request::keep_alive() const { return parser_->keep_alive(); }
transport::Request Http1Request::TakeRequest() { return std::move(parser_->request); }

}  // namespace flyball::serving

#include "flyball/endpoints/verbosity_handler.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "flyball/base/log_format.h"

namespace flyball::endpoints {
namespace {

transport::Response Line(int status, std::string text) {
  transport::Response response = PlainError(status, std::move(text));
  response.headers.front().second = "text/plain";
  return response;
}

/// In the words of Go's strconv, which tools may look for.
Result<int> ParseLevel(const std::string& text) {
  std::uint32_t level = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, level);
  const bool whole = parsed.ptr == end && !text.empty();
  if (whole && parsed.ec == std::errc() && level <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<int>(level);
  }
  std::string message = "strconv.ParseUint: parsing ";
  AppendGoQuoted(message, text);
  const bool too_large = whole && parsed.ec != std::errc::invalid_argument;
  return Fail(ErrorCode::kInvalid,
              message + (too_large ? ": value out of range" : ": invalid syntax"));
}

}  // namespace

HttpHandler VerbosityHandler(Logger log) {
  return [log = std::move(log)](const Call& call) {
    if (call.request.method != "PUT") return Line(406, "unsupported http method");
    const auto level = ParseLevel(call.request.body);
    if (!level) return Line(400, level.error().message());
    log.SetVerbosity(*level);
    log.Info("Changed log verbosity", {{"v", *level}, {"user", call.user.name}});
    return Line(200, "successfully set klog.logging.verbosity to " + call.request.body);
  };
}

transport::Response FlagsIndex(const Call& /*call*/) {
  transport::Response response;
  response.status = 200;
  response.headers = {{"content-type", "text/html; charset=utf-8"}};
  response.body =
      "<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/<br>\n<br>\n"
      "flags:<br>\n<table>\n<tr>v<br>\n</table>\n<br>\nfull flags configurable<br>\n</body>\n"
      "</html>\n";
  return response;
}

}  // namespace flyball::endpoints

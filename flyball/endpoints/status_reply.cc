#include "flyball/endpoints/status_reply.h"

#include <utility>

#include "flyball/api/json_encode.h"
#include "flyball/api/meta/v1.h"
#include "flyball/base/check.h"
#include "flyball/base/log_format.h"

namespace flyball::endpoints {
namespace {

/// Nothing that a browser could take for HTML. Quotation marks are harmless.
std::string WithoutMarkup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendGoQuoted(quoted, text);
  return quoted;
}

// DIVERGES: always JSON; upstream also has YAML, CBOR and protobuf for those who ask for it.
transport::Response Reply(const Asked& asked, meta::v1::Status status) {
  status.kind = "Status";
  status.apiVersion = "v1";
  status.status = "Failure";
  const bool pretty = asked.Pretty();
  auto json = api::EncodeJson(status, pretty ? 2 : 0);
  FLYBALL_CHECK(json, "a status has no JSON form");
  return JsonText(status.code, pretty ? *std::move(json) : *std::move(json) + "\n");
}

}  // namespace

bool Asked::Pretty() const {
  if (const std::string_view wish = target.Get("pretty"); !wish.empty()) {
    return wish == "1" || wish == "t" || wish == "T" || wish == "true" || wish == "TRUE" ||
           wish == "True";
  }
  const std::string_view agent = transport::FindHeader(request.headers, "user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

transport::Response Unauthorized(const Asked& asked) {
  meta::v1::Status status;
  status.code = 401;
  status.reason = "Unauthorized";
  status.message = "Unauthorized";
  transport::Response reply = Reply(asked, std::move(status));
  // PARITY: this one alone says nothing of content types.
  std::erase_if(reply.headers,
                [](const auto& header) { return header.first == "x-content-type-options"; });
  return reply;
}

transport::Response Forbidden(const Asked& asked, const User& user, std::string_view verb,
                              std::string_view reason) {
  meta::v1::Status status;
  status.code = 403;
  status.reason = "Forbidden";
  status.message =
      "forbidden: " + WithoutMarkup("User " + Quoted(user.name) + " cannot " + std::string(verb) +
                                    " path " + Quoted(asked.target.path));
  if (!reason.empty()) status.message.append(": ").append(reason);
  status.details.emplace();
  return Reply(asked, std::move(status));
}

transport::Response TooManyRequests() {
  transport::Response reply = PlainError(429, "Too many requests, please try again later.");
  reply.headers.emplace_back("retry-after", "1");
  return reply;
}

transport::Response InternalError(const Asked& asked, std::string_view reason) {
  return PlainError(500, WithoutMarkup("Internal Server Error: " + Quoted(asked.request.target) +
                                       ": " + std::string(reason)));
}

transport::Response NotFound() { return PlainError(404, "404 page not found"); }

}  // namespace flyball::endpoints

#include "flyball/sandbox/answer.h"

#include "flyball/api/utf8.h"

namespace flyball::sandbox {
namespace {

/// Refusals quote what was sent, which may be any bytes; an answer is text.
void MakeText(meta::v1::Status& status) {
  const auto make = [](std::string& text) { text = api::ToValidUtf8(std::move(text)); };
  make(status.message);
  if (!status.details) return;
  make(status.details->name);
  for (meta::v1::StatusCause& cause : status.details->causes) {
    make(cause.message);
    make(cause.field);
  }
}

}  // namespace

Answer Answer::Text(int status, std::string text) {
  return {status,
          "text/plain; charset=utf-8",
          std::move(text),
          {{"x-content-type-options", "nosniff"}}};
}

Answer Answer::Of(const ApiStatusError& refusal, NegotiatedMediaType media_type) {
  media_type.form = Form::kWhole;
  meta::v1::Status status = refusal.status();
  status.kind = "Status";
  status.apiVersion = "v1";
  MakeText(status);
  Answer answer{refusal.code(), media_type.ContentType(), EncodeResponse(status, media_type)};
  if (status.details && status.details->retryAfterSeconds > 0) {
    answer.headers.emplace_back("retry-after", std::to_string(status.details->retryAfterSeconds));
  }
  return answer;
}

void AddWarnings(Answer& answer, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::string quoted = "299 - \"";
    for (const char c : warning) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    answer.headers.emplace_back("warning", quoted + "\"");
  }
}

}  // namespace flyball::sandbox

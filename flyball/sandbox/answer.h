#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/response_encoder.h"
#include "flyball/transport/http.h"

namespace flyball::sandbox {

/// A whole answer.
struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  transport::Headers headers = {};

  static Answer Text(int status, std::string text);
  static Answer Of(const ApiStatusError& refusal, NegotiatedMediaType media_type);
};

/// Has an answer say what a client ought to know.
void AddWarnings(Answer& answer, const std::vector<std::string>& warnings);

}  // namespace flyball::sandbox

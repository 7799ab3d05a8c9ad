#pragma once

#include <functional>
#include <string>

#include "flyball/endpoints/request_target.h"
#include "flyball/endpoints/user.h"
#include "flyball/transport/http.h"

namespace flyball::endpoints {

/// A request that may be answered: who sends it is known, and may send it.
struct Call {
  const transport::Request& request;
  const RequestTarget& target;
  User user = {};
};

/// Answers the requests for a path. Runs on any thread, also on several at once, and may block.
using HttpHandler = std::function<transport::Response(const Call& call)>;

/// A text, as Go's servers answer with one.
transport::Response PlainText(int status, std::string text);
/// The same of a failure, which ends the line.
transport::Response PlainError(int status, std::string text);
/// JSON that is text already.
transport::Response JsonText(int status, std::string json);

}  // namespace flyball::endpoints

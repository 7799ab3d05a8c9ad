#pragma once

#include <optional>

#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

/// Answers requests for what the server serves: /api, /apis, /apis/GROUP, /api/v1,
/// /apis/GROUP/VERSION, in the form of each path or, if the client prefers it, all at once. None if
/// the path is another.
std::optional<Answer> AnswerDiscovery(const Request& request, const Resources& resources);

/// A tag for a body: differs where the bodies differ.
std::string ContentTag(std::string_view body);

/// The answer, or 304 if the client has it already, as its If-None-Match says.
Answer Tagged(Answer answer, const Request& request);

}  // namespace flyball::sandbox

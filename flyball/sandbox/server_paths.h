#pragma once

#include <optional>

#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/request.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

/// Answers requests about the server itself: its version, its health, the paths that it has. None
/// if the path is another.
std::optional<Answer> AnswerServerPath(const Request& request, const Resources& resources);

}  // namespace flyball::sandbox

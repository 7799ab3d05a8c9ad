#pragma once

#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/request.h"

namespace flyball::sandbox {

/// Makes an answer that is large smaller, for a client that takes gzip. As upstream: what is small
/// costs more to compress than to send.
void CompressFor(const Request& request, Answer& answer);

}  // namespace flyball::sandbox

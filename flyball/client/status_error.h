#pragma once

#include "flyball/api/meta/v1.h"
#include "flyball/base/error.h"
#include "flyball/transport/http.h"

namespace flyball::client {

/// A refusal in our terms: its reason as a code, its text, its causes and when to try again.
/// `asked` is what was wanted, "get pods web-0", for servers that say little; it may be empty.
Error ErrorOf(const meta::v1::Status& status, std::string_view asked);

/// The same of a response that is no success, also where it is not the API server's own: a proxy's
/// HTML, or nothing at all.
Error ErrorOf(const transport::Response& response, std::string_view method, std::string_view asked);

}  // namespace flyball::client

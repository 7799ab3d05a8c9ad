#pragma once

#include "flyball/api/meta/v1.h"
#include "flyball/base/error.h"
#include "flyball/client/rest_client.h"
#include "flyball/transport/http.h"

namespace flyball::client {

/// A refusal in our terms: its reason as a code, its text, its causes and when to try again.
/// `asked` is what was wanted, "get pods web-0", for servers that say little; it may be empty.
Error ErrorOf(const meta::v1::Status& status, std::string_view asked);

/// The same of a response that is no success, also where it is not the API server's own: a proxy's
/// HTML, or nothing at all. It has the fate of the request: after a 5xx to anything but a GET that
/// is kUnknown, whatever the body says. kNotFound is said by a Status that names the object alone;
/// any other 404 is kNotServed.
Error ErrorOf(const transport::Response& response, const RestRequest& request);

}  // namespace flyball::client

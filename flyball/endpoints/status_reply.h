#pragma once

#include <string>
#include <string_view>

#include "flyball/endpoints/http_handler.h"
#include "flyball/endpoints/request_target.h"

/// What is said to those who do not get in: the Status objects and texts of Kubernetes' servers,
/// which people and tools look for.
namespace flyball::endpoints {

/// How an answer is to look.
struct Asked {
  const transport::Request& request;
  const RequestTarget& target;

  /// People with a browser or curl get JSON that is indented.
  bool Pretty() const;
};

/// 401: it is not known who asks.
transport::Response Unauthorized(const Asked& asked);
/// 403. `reason` is the authorizer's, if it gives one.
transport::Response Forbidden(const Asked& asked, const User& user, std::string_view verb,
                              std::string_view reason);
/// 429: too much is under way.
transport::Response TooManyRequests();
/// 500: it could not be found out.
transport::Response InternalError(const Asked& asked, std::string_view reason);
/// 404, as Go's servers say it.
transport::Response NotFound();

}  // namespace flyball::endpoints

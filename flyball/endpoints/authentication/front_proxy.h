#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/endpoints/user.h"
#include "flyball/transport/http.h"

namespace flyball::endpoints {

/// The headers in which a front proxy says for whom it asks, as an API server does that passes a
/// request on. Names in any case.
struct FrontProxyHeaders {
  std::vector<std::string> username = {"x-remote-user"};
  std::vector<std::string> uid = {};
  std::vector<std::string> group = {"x-remote-group"};
  std::vector<std::string> extra_prefix = {"x-remote-extra-"};

  friend bool operator==(const FrontProxyHeaders&, const FrontProxyHeaders&) = default;
};

/// For whom a proxy asks that may say so; none if it does not say.
std::optional<User> ReadFrontProxyHeaders(const FrontProxyHeaders& names,
                                          const transport::Headers& headers);

}  // namespace flyball::endpoints

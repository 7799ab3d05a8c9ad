#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/authentication/cluster_authentication_info.h"
#include "flyball/endpoints/authentication/token_reviews.h"
#include "flyball/endpoints/user.h"
#include "flyball/transport/http.h"

namespace flyball::endpoints {

/// Finds out who sends a request. The ways are tried in upstream's order, and the first that finds
/// somebody counts: a front proxy's word for another, a client's own certificate, a bearer token.
/// Who brings nothing of this is system:anonymous; who brings something that is no good is refused,
/// also where anonymous would do.
///
/// Any thread; blocks while the API server is asked about a token.
// DIVERGES: a token in the protocol header of a WebSocket is not looked for, as there are none.
class Authenticator {
 public:
  struct Deps {
    Clock& clock;
    std::function<std::shared_ptr<const ClusterAuthenticationInfo>()>
        authentication_info;         ///< the current one
    TokenReviews* tokens = nullptr;  ///< null: tokens are not looked at
    AccessMetrics metrics = {};
  };
  explicit Authenticator(Deps deps) : deps_(std::move(deps)) {}

  Result<User> Authenticate(const transport::Request& request) const;

 private:
  /// None: this way has nothing to say.
  using Found = Result<std::optional<User>>;

  Found ByFrontProxy(const transport::Request& request,
                     const ClusterAuthenticationInfo& authentication_info) const;
  Found ByCertificate(const transport::Request& request,
                      const ClusterAuthenticationInfo& authentication_info) const;
  Found ByToken(const transport::Request& request,
                const ClusterAuthenticationInfo& authentication_info) const;

  const Deps deps_;
};

}  // namespace flyball::endpoints

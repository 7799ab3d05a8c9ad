#pragma once

#include <optional>

#include "flyball/base/result.h"
#include "flyball/client/environment.h"
#include "flyball/transport/url.h"

namespace flyball::client {

/// The proxy that HTTPS_PROXY (or HTTP_PROXY, for a server without TLS) names for a server, unless
/// NO_PROXY has something against it; nothing if the server is to be reached directly. In lower
/// case the variables count for more. The rules are those of Go's net/http and of client-go:
///
///   NO_PROXY=*                 no proxy at all
///   NO_PROXY=example.com       not for this host, nor for those below it
///   NO_PROXY=.example.com      not for those below it
///   NO_PROXY=10.0.0.1,::1      not for these addresses
///   NO_PROXY=10.0.0.0/8        not for these
///   NO_PROXY=example.com:6443  not for this port
///
/// and this machine itself is never reached by a proxy. An error, which does not quote the proxy's
/// password, has the variable for its path.
/// DIVERGES: names that are not ASCII are not made so, and match only as they are written.
Result<std::optional<transport::Url>> ProxyFromEnvironment(const Environment& environment,
                                                           const transport::Url& server);

}  // namespace flyball::client

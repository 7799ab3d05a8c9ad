#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "flyball/base/result.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http.h"

namespace flyball::serving {

/// OpenSSL's form of the options.
Result<boost::asio::ssl::context> MakeServerTlsContext(const TlsOptions& options, bool http2);

/// Who the client is, after the handshake; null if it has not proved that it is anybody.
std::shared_ptr<const transport::PeerIdentity> VerifiedPeer(const SSL* ssl);

}  // namespace flyball::serving

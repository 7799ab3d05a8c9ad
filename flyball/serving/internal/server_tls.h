#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "flyball/base/result.h"
#include "flyball/serving/http_server.h"
#include "flyball/serving/internal/peer.h"

namespace flyball::serving {

/// OpenSSL's form of the options.
Result<std::shared_ptr<boost::asio::ssl::context>> MakeServerTlsContext(const TlsOptions& options,
                                                                        bool http2);

/// Who the client is, after the handshake.
Peer PeerOf(const SSL* ssl);

}  // namespace flyball::serving

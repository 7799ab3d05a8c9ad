#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "flyball/base/result.h"
#include "flyball/transport/tls.h"

namespace flyball::transport {

/// OpenSSL's form of the options, with the protocols offered in ALPN.
Result<boost::asio::ssl::context> MakeTlsContext(const TlsOptions& options);

/// Makes a connection check that the server is `name`, which may be an address, and tell it so.
Result<> SetServerName(SSL* ssl, const std::string& name, bool check);

/// What the server chose in ALPN.
std::string NegotiatedProtocol(const SSL* ssl);

/// Why the handshake failed, in a sentence.
Error DescribeTlsFailure(SSL* ssl, const boost::system::error_code& error);

}  // namespace flyball::transport

#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "flyball/base/result.h"
#include "flyball/transport/tls.h"

namespace flyball::transport {

/// OpenSSL's form of the options, with the protocols offered in ALPN.
Result<boost::asio::ssl::context> MakeTlsContext(const TlsOptions& options);

// What both ends' contexts are made of.

/// Below 1.2 there is nothing that anybody should speak.
void SetCommonTlsOptions(boost::asio::ssl::context& context);
/// Trusts every certificate of the text, of which there must be one.
Result<> AddRoots(boost::asio::ssl::context& context, const std::string& pem);
/// What this end proves itself with. `whose` names it in errors: "client".
Result<> AddIdentity(boost::asio::ssl::context& context, const std::string& certificate_pem,
                     const std::string& key_pem, const std::string& whose);

/// Makes a connection check that the server is `name`, which may be an address, and tell it so.
Result<> SetServerName(SSL* ssl, const std::string& name, bool check);

/// What was chosen in ALPN.
std::string NegotiatedProtocol(const SSL* ssl);

/// Why the handshake failed, in a sentence.
Error DescribeTlsFailure(SSL* ssl, const boost::system::error_code& error);

}  // namespace flyball::transport

#include "flyball/transport/internal/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <tuple>

#include "flyball/transport/internal/pem.h"

namespace flyball::transport {
namespace {

namespace ssl = boost::asio::ssl;

constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";

}  // namespace

void SetCommonTlsOptions(ssl::context& context) {
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  // One buffer for many small frames; and no memory for connections that are silent.
  SSL_CTX_set_mode(context.native_handle(), SSL_MODE_RELEASE_BUFFERS);
}

Result<> AddRoots(ssl::context& context, const std::string& pem) {
  const BioPtr text = OpenText(pem);
  X509_STORE* const store = SSL_CTX_get_cert_store(context.native_handle());
  int count = 0;
  while (const CertificatePtr root = ReadCertificate(*text)) {
    X509_STORE_add_cert(store, root.get());
    ++count;
  }
  const std::string reason = LastReason();
  // Reading ends with "no start line" where there is nothing more.
  if (count > 0 && reason == "no start line") return {};
  return Fail(ErrorCode::kMalformed, "CA certificate is not valid PEM: " + reason);
}

Result<> AddIdentity(ssl::context& context, const std::string& certificate_pem,
                     const std::string& key_pem, const std::string& whose) {
  if (certificate_pem.empty() != key_pem.empty()) {
    return Fail(ErrorCode::kMalformed, key_pem.empty() ? whose + " certificate has no private key"
                                                       : whose + " private key has no certificate");
  }
  boost::system::error_code failed;
  std::ignore = context.use_certificate_chain(boost::asio::buffer(certificate_pem), failed);
  if (failed) {
    return Fail(ErrorCode::kMalformed,
                whose + " certificate is not valid PEM: " + failed.message());
  }
  const KeyPtr key = ReadKey(key_pem);
  if (!key)
    return Fail(ErrorCode::kMalformed, whose + " private key is not valid PEM: " + LastReason());
  if (SSL_CTX_use_PrivateKey(context.native_handle(), key.get()) == 1) return {};
  ERR_clear_error();
  return Fail(ErrorCode::kMalformed,
              whose + " private key does not match the " + whose + " certificate");
}

Result<ssl::context> MakeTlsContext(const TlsOptions& options) {
  ssl::context context(ssl::context::tls_client);
  SSL_CTX* const native = context.native_handle();
  SetCommonTlsOptions(context);
  SSL_CTX_set_alpn_protos(native, kProtocols, sizeof(kProtocols) - 1);
  if (options.roots.empty()) {
    SSL_CTX_set_default_verify_paths(native);
  } else {
    FLYBALL_TRY(AddRoots(context, options.roots));
  }
  if (!options.certificate.empty() || !options.key.empty()) {
    FLYBALL_TRY(AddIdentity(context, options.certificate, options.key, "client"));
  }
  SSL_CTX_set_verify(native, options.skip_server_check ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                     nullptr);
  return context;
}

Result<> CheckTlsOptions(const TlsOptions& options) {
  FLYBALL_TRY(MakeTlsContext(options));
  return {};
}

Result<> SetServerName(SSL* ssl, const std::string& name, bool check) {
  boost::system::error_code not_an_address;
  boost::asio::ip::make_address(name, not_an_address);
  if (not_an_address) {
    SSL_set_tlsext_host_name(ssl, name.c_str());
    if (check && SSL_set1_host(ssl, name.c_str()) == 1) return {};
  } else if (check && X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1) {
    return {};
  }
  if (!check) return {};
  return Fail(ErrorCode::kMalformed, "invalid server name '" + name + "': " + LastReason());
}

std::string NegotiatedProtocol(const SSL* ssl) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

Error DescribeTlsFailure(SSL* ssl, const boost::system::error_code& error) {
  if (const long verdict = SSL_get_verify_result(ssl); verdict != X509_V_OK) {
    return {ErrorCode::kUnauthorized, std::string("the server's certificate is not trusted: ") +
                                          X509_verify_cert_error_string(verdict)};
  }
  return {ErrorCode::kUnavailable, "TLS handshake: " + error.message()};
}

}  // namespace flyball::transport

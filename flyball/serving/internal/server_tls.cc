#include "flyball/serving/internal/server_tls.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <string>
#include <string_view>

#include "flyball/transport/internal/tls_context.h"

namespace flyball::serving {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::string_view kHttp2 = "h2";
constexpr std::string_view kHttp1 = "http/1.1";

/// The first of ours that the client offers too.
template <const std::string_view&... kOurs>
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned offered_size, void*) {
  for (const std::string_view wanted : {kOurs...}) {
    for (unsigned i = 0; i < offered_size; i += 1U + offered[i]) {
      const auto* const name = reinterpret_cast<const char*>(offered + i + 1);
      if (std::string_view(name, offered[i]) != wanted) continue;
      *out = offered + i + 1;
      *out_size = offered[i];
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_NOACK;  // the first bytes will tell
}

/// PARITY: kube-apiserver serves those whose certificate it does not know, too: as strangers, whom
/// a token may introduce. What was wrong stays in the connection's verify result.
int AcceptAnyone(int, X509_STORE_CTX*) { return 1; }

std::string Text(const X509_NAME* name, int entry) {
  unsigned char* utf8 = nullptr;
  const ASN1_STRING* const value =
      X509_NAME_ENTRY_get_data(X509_NAME_get_entry(const_cast<X509_NAME*>(name), entry));
  const int size = ASN1_STRING_to_UTF8(&utf8, value);
  if (size < 0) return "";
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return text;
}

}  // namespace

Result<ssl::context> MakeServerTlsContext(const TlsOptions& options, bool http2) {
  ssl::context context(ssl::context::tls_server);
  SSL_CTX* const native = context.native_handle();
  transport::SetCommonTlsOptions(context);
  FLYBALL_TRY(transport::AddIdentity(context, options.certificate.certificate_pem,
                                     options.certificate.key_pem, "server"));
  SSL_CTX_set_alpn_select_cb(
      native, http2 ? ChooseProtocol<kHttp2, kHttp1> : ChooseProtocol<kHttp1>, nullptr);
  // Each connection proves anew who it is. Our clients keep theirs, and do not resume.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(native, 0);
  if (!options.client_roots.empty()) {
    FLYBALL_TRY(transport::AddRoots(context, options.client_roots));
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER, AcceptAnyone);
  }
  return context;
}

std::shared_ptr<const transport::PeerIdentity> VerifiedPeer(const SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK) return nullptr;
  auto peer = std::make_shared<transport::PeerIdentity>();
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(subject, i);
    const int kind = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    // Of several names the last counts, as it does in Go.
    if (kind == NID_commonName) peer->common_name = Text(subject, i);
    if (kind == NID_organizationName) peer->organizations.push_back(Text(subject, i));
  }
  return peer;
}

}  // namespace flyball::serving

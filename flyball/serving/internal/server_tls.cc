#include "flyball/serving/internal/server_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/serving/internal/name_table.h"
#include "flyball/serving/internal/subject.h"
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

/// OpenSSL's name of a suite, empty for one of TLS 1.3.
Result<std::string> CipherName(const std::string& suite) {
  if (suite.starts_with("TLS_AES_") || suite.starts_with("TLS_CHACHA20_")) return "";
  // Two that Go has other names for.
  const bool short_name = suite.ends_with("_WITH_CHACHA20_POLY1305");
  std::string name = OPENSSL_cipher_name((short_name ? suite + "_SHA256" : suite).c_str());
  if (name != "(NONE)") return name;
  return Fail(ErrorCode::kInvalid, "Cipher suite " + suite + " not supported or doesn't exist");
}

Result<> ChooseCiphers(SSL_CTX* context, const std::vector<std::string>& suites) {
  if (suites.empty()) return {};
  std::string list;
  for (const std::string& suite : suites) {
    FLYBALL_TRY(const std::string name, CipherName(suite));
    if (!name.empty()) list += (list.empty() ? "" : ":") + name;
  }
  // Nothing of 1.2 was named, so it is not spoken.
  if (list.empty()) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    return {};
  }
  if (SSL_CTX_set_cipher_list(context, list.c_str()) == 1) return {};
  ERR_clear_error();
  return Fail(ErrorCode::kInvalid, "no usable cipher suite in " + list);
}

Result<> ChooseKeyExchanges(SSL_CTX* context, const std::vector<std::int32_t>& numbers) {
  struct Known {
    std::int32_t number;
    std::string_view name;
  };
  constexpr Known kKnown[] = {{23, "P-256"}, {24, "P-384"}, {25, "P-521"}, {29, "X25519"}};
  if (numbers.empty()) return {};
  std::string list;
  for (const std::int32_t number : numbers) {
    const auto* const known = std::ranges::find(kKnown, number, &Known::number);
    if (known == std::end(kKnown)) continue;
    list.append(list.empty() ? "" : ":").append(known->name);
  }
  // DIVERGES: the hybrids with ML-KEM are not in OpenSSL 3.0; where others are named, those do.
  if (list.empty()) return Fail(ErrorCode::kInvalid, "no usable key exchange mechanism");
  if (SSL_CTX_set1_groups_list(context, list.c_str()) == 1) return {};
  ERR_clear_error();
  return Fail(ErrorCode::kInvalid, "unsupported key exchange mechanisms: " + list);
}

Result<ssl::context> MakeContext(const TlsOptions& options, const Certificate& certificate,
                                 bool http2) {
  ssl::context context(ssl::context::tls_server);
  SSL_CTX* const native = context.native_handle();
  transport::SetCommonTlsOptions(context);
  if (options.minimum_version == TlsVersion::k13) {
    SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  }
  FLYBALL_TRY(ChooseCiphers(native, options.cipher_suites));
  FLYBALL_TRY(ChooseKeyExchanges(native, options.key_exchanges));
  FLYBALL_TRY(
      transport::AddIdentity(context, certificate.certificate_pem, certificate.key_pem, "server"));
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

/// The contexts of a server: one for each certificate.
struct Contexts {
  explicit Contexts(ssl::context ordinary) : main(std::move(ordinary)) {}

  ssl::context main;
  std::vector<ssl::context> others;
  NameTable<SSL_CTX*> by_name;
};

/// Goes on with the certificate for the name that the client asks for.
int ChooseCertificate(SSL* ssl, int*, void* contexts) {
  const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_CTX* const* const found = static_cast<Contexts*>(contexts)->by_name.Find(name);
  if (found != nullptr) SSL_set_SSL_CTX(ssl, *found);
  return SSL_TLSEXT_ERR_OK;
}

std::string Der(X509* certificate) {
  std::string der(static_cast<std::size_t>(std::max(i2d_X509(certificate, nullptr), 0)), '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(der.data());
  if (!der.empty()) i2d_X509(certificate, &bytes);
  return der;
}

}  // namespace

Result<std::shared_ptr<ssl::context>> MakeServerTlsContext(const TlsOptions& options, bool http2) {
  FLYBALL_TRY(auto main, MakeContext(options, options.certificate, http2));
  const auto contexts = std::make_shared<Contexts>(std::move(main));
  for (const NamedCertificate& named : options.named) {
    FLYBALL_TRY(auto other, MakeContext(options, named.certificate, http2));
    SSL_CTX* const native = other.native_handle();
    contexts->others.push_back(std::move(other));
    contexts->by_name.Add(named.names, NamesOf(SSL_CTX_get0_certificate(native)), native);
  }
  if (!contexts->others.empty()) {
    SSL_CTX_set_tlsext_servername_callback(contexts->main.native_handle(), ChooseCertificate);
    SSL_CTX_set_tlsext_servername_arg(contexts->main.native_handle(), contexts.get());
  }
  return std::shared_ptr<ssl::context>(contexts, &contexts->main);
}

Peer PeerOf(const SSL* ssl) {
  X509* const own = SSL_get0_peer_certificate(ssl);
  if (own == nullptr) return {};
  transport::CertificateChain chain = {Der(own)};
  const STACK_OF(X509)* const others = SSL_get_peer_cert_chain(ssl);
  for (int i = 0; i < sk_X509_num(others); ++i) chain.push_back(Der(sk_X509_value(others, i)));
  Peer peer;
  peer.certificates = std::make_shared<const transport::CertificateChain>(std::move(chain));
  if (SSL_get_verify_result(ssl) != X509_V_OK) return peer;
  Subject subject = SubjectOf(own);
  peer.identity = std::make_shared<const transport::PeerIdentity>(
      transport::PeerIdentity{.common_name = std::move(subject.common_name),
                              .organizations = std::move(subject.organizations)});
  return peer;
}

}  // namespace flyball::serving

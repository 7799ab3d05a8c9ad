#include "flyball/serving/client_certificate.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <string_view>
#include <utility>

#include "flyball/base/free_with.h"
#include "flyball/base/saturating.h"
#include "flyball/serving/internal/subject.h"
#include "flyball/transport/internal/pem.h"

namespace flyball::serving {
namespace {

using transport::CertificatePtr;

void FreeChain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }

Result<CertificatePtr> Decode(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  CertificatePtr certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!certificate) return Fail(ErrorCode::kMalformed, "client certificate cannot be parsed");
  return certificate;
}

/// "0A:1B", or "0a1b" in small.
std::string Hex(const unsigned char* bytes, std::size_t size, bool small) {
  const std::string_view digits = small ? "0123456789abcdef" : "0123456789ABCDEF";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    if (!small && i > 0) text += ':';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

std::string Hex(const ASN1_OCTET_STRING* id) {
  if (id == nullptr) return "";
  return Hex(ASN1_STRING_get0_data(id), static_cast<std::size_t>(ASN1_STRING_length(id)), false);
}

std::string IdentifierOf(X509* certificate) {
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> serial(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* const digits = BN_bn2dec(serial.get());
  std::string identifier = "SN=" + std::string(digits);
  OPENSSL_free(digits);
  return identifier + ", SKID=" + Hex(X509_get0_subject_key_id(certificate)) +
         ", AKID=" + Hex(X509_get0_authority_key_id(certificate));
}

WallTime TimeOf(const ASN1_TIME* time) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  // RFC 5280 has the end of the year 9999 for what does not expire.
  return WallTime(SaturatingNanoseconds(std::chrono::seconds(timegm(&parts))));
}

}  // namespace

Result<ClientCertificate> ClientCertificate::Read(const std::string& der) {
  FLYBALL_TRY(const CertificatePtr certificate, Decode(der));
  Subject subject = SubjectOf(certificate.get());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(der.data(), der.size(), digest, &size, EVP_sha256(), nullptr) != 1) size = 0;
  return ClientCertificate{.common_name = std::move(subject.common_name),
                           .organizations = std::move(subject.organizations),
                           .uids = std::move(subject.uids),
                           .not_after = TimeOf(X509_get0_notAfter(certificate.get())),
                           .sha256 = Hex(digest, size, true),
                           .identifier = IdentifierOf(certificate.get())};
}

struct ClientRoots::Store {
  std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>> roots{X509_STORE_new()};
};

Result<ClientRoots> ClientRoots::Parse(const std::string& pem) {
  auto store = std::make_shared<Store>();
  const transport::BioPtr text = transport::OpenText(pem);
  int count = 0;
  while (const CertificatePtr root = transport::ReadCertificate(*text)) {
    X509_STORE_add_cert(store->roots.get(), root.get());
    ++count;
  }
  // Reading ends with "no start line" where there is nothing more.
  const std::string reason = transport::LastReason();
  if (count == 0 || reason != "no start line") {
    return Fail(ErrorCode::kMalformed, "CA certificate is not valid PEM: " + reason);
  }
  return ClientRoots(std::move(store));
}

Result<> ClientRoots::Verify(const transport::CertificateChain& chain, WallTime now) const {
  if (chain.empty()) return Fail(ErrorCode::kUnauthorized, "no client certificate");
  FLYBALL_TRY(const CertificatePtr own, Decode(chain.front()));
  const std::unique_ptr<STACK_OF(X509), FreeWith<FreeChain>> others(sk_X509_new_null());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    FLYBALL_TRY(CertificatePtr other, Decode(chain[i]));
    X509* const given = other.release();
    if (sk_X509_push(others.get(), given) <= 0) X509_free(given);
  }
  const std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>> check(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(check.get(), store_->roots.get(), own.get(), others.get()) != 1) {
    return Fail(ErrorCode::kInternal, "certificate check: out of memory");
  }
  X509_STORE_CTX_set_purpose(check.get(), X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM* const how = X509_STORE_CTX_get0_param(check.get());
  // As in Go, whoever is in the bundle is an authority, also if somebody else has signed it.
  X509_VERIFY_PARAM_set_flags(how, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_time(
      how, std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count());
  const bool good = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  if (good) return {};
  return Fail(ErrorCode::kUnauthorized,
              X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())));
}

}  // namespace flyball::serving

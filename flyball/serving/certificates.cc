#include "flyball/serving/certificates.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>
#include <utility>

#include "flyball/base/free_with.h"
#include "flyball/transport/internal/pem.h"

namespace flyball::serving {
namespace {

using transport::BioPtr;
using transport::CertificatePtr;
using transport::KeyPtr;

constexpr std::chrono::seconds kClocksMayDiffer = std::chrono::hours(2);

std::unexpected<Error> Failure(const std::string& what) {
  return Fail(ErrorCode::kInvalid, what + ": " + transport::LastReason());
}

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Result<Certificate> ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return Failure("could not encode certificate as PEM");
  }
  return Certificate{Contents(certificate_text.get()), Contents(key_text.get())};
}

Result<> AddEntry(X509_NAME* name, const char* field, const std::string& value) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(value.data());
  if (X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, static_cast<int>(value.size()),
                                 -1, 0) == 1) {
    return {};
  }
  return Failure("could not set certificate subject '" + value + "'");
}

Result<> AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  if (extension && X509_add_ext(certificate, extension.get(), -1) == 1) return {};
  return Failure(std::string("could not add certificate extension ") + value);
}

/// Not through the text form of extensions, in which a name could say more than a name.
Result<> AddNames(X509* certificate, const std::vector<std::string>& names) {
  const std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> list(GENERAL_NAMES_new());
  for (const std::string& name : names) {
    unsigned char address[sizeof(in6_addr)];
    int kind = GEN_DNS;
    ASN1_STRING* text = nullptr;
    if (inet_pton(AF_INET, name.c_str(), address) == 1) {
      kind = GEN_IPADD;
      text = ASN1_STRING_type_new(V_ASN1_OCTET_STRING);
      ASN1_STRING_set(text, address, sizeof(in_addr));
    } else if (inet_pton(AF_INET6, name.c_str(), address) == 1) {
      kind = GEN_IPADD;
      text = ASN1_STRING_type_new(V_ASN1_OCTET_STRING);
      ASN1_STRING_set(text, address, sizeof(in6_addr));
    } else {
      text = ASN1_STRING_type_new(V_ASN1_IA5STRING);
      ASN1_STRING_set(text, name.data(), static_cast<int>(name.size()));
    }
    GENERAL_NAME* const entry = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(entry, kind, text);
    sk_GENERAL_NAME_push(list.get(), entry);
  }
  if (X509_add1_ext_i2d(certificate, NID_subject_alt_name, list.get(), 0, 0) == 1) return {};
  return Failure("could not add names to certificate");
}

Result<CertificatePtr> NewCertificate(EVP_PKEY* key, const CertificateSubject& subject,
                                      WallTime now) {
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof(serial)) != 1) return Failure("could not get random numbers");
  serial[0] &= 0x7f;  // they are positive
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(
      BN_bin2bn(serial, sizeof(serial), nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get()));
  // By seconds, since nanoseconds do not hold the year 9999.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const std::time_t from = (seconds - kClocksMayDiffer).count();
  const std::time_t to = (seconds + subject.valid_for).count();
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), from);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  for (const std::string& one : subject.organizations) FLYBALL_TRY(AddEntry(name, "O", one));
  FLYBALL_TRY(AddEntry(name, "CN", subject.common_name));
  return certificate;
}

Result<> Sign(X509* certificate, EVP_PKEY* key) {
  if (X509_sign(certificate, key, EVP_sha256()) > 0) return {};
  return Failure("could not sign certificate");
}

}  // namespace

Result<CertificateAuthority> CertificateAuthority::Make(const std::string& common_name,
                                                        WallTime now,
                                                        std::chrono::seconds valid_for) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return Failure("could not generate private key");
  const CertificateSubject subject{.common_name = common_name, .valid_for = valid_for};
  FLYBALL_TRY(const CertificatePtr made, NewCertificate(key.get(), subject, now));
  X509* const self = made.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  FLYBALL_TRY(AddExtension(self, self, NID_basic_constraints, "critical,CA:TRUE"));
  FLYBALL_TRY(
      AddExtension(self, self, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"));
  FLYBALL_TRY(AddExtension(self, self, NID_subject_key_identifier, "hash"));
  FLYBALL_TRY(Sign(self, key.get()));
  FLYBALL_TRY(auto pem, ToPem(self, key.get()));
  return CertificateAuthority(std::move(pem));
}

Result<Certificate> CertificateAuthority::Issue(const CertificateSubject& subject,
                                                WallTime now) const {
  const BioPtr issuer_text = transport::OpenText(self_.certificate_pem);
  const CertificatePtr issuer = transport::ReadCertificate(*issuer_text);
  const KeyPtr issuer_key = transport::ReadKey(self_.key_pem);
  if (!issuer || !issuer_key) return Failure("CA certificate is not valid PEM");
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return Failure("could not generate private key");
  FLYBALL_TRY(const CertificatePtr made, NewCertificate(key.get(), subject, now));
  X509* const certificate = made.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer.get()));
  const bool server = !subject.names.empty();
  FLYBALL_TRY(AddExtension(certificate, issuer.get(), NID_basic_constraints, "critical,CA:FALSE"));
  FLYBALL_TRY(AddExtension(certificate, issuer.get(), NID_key_usage, "critical,digitalSignature"));
  FLYBALL_TRY(AddExtension(certificate, issuer.get(), NID_ext_key_usage,
                           server ? "serverAuth" : "clientAuth"));
  FLYBALL_TRY(AddExtension(certificate, issuer.get(), NID_authority_key_identifier, "keyid"));
  if (server) FLYBALL_TRY(AddNames(certificate, subject.names));
  FLYBALL_TRY(Sign(certificate, issuer_key.get()));
  return ToPem(certificate, key.get());
}

}  // namespace flyball::serving

#include "flyball/client/internal/client_certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "flyball/transport/tls.h"

namespace flyball::client {
namespace {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

}  // namespace

Result<WallTime> CertificateExpiry(const std::string& certificate) {
  const std::unique_ptr<BIO, Free<BIO_free>> text(
      BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())));
  const std::unique_ptr<X509, Free<X509_free>> parsed(
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  std::tm end{};
  if (parsed == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(parsed.get()), &end) != 1) {
    return Fail(ErrorCode::kMalformed, "no certificate in PEM form");
  }
  return WallTime(std::chrono::seconds(timegm(&end)));
}

Result<> CheckClientCertificate(const std::string& certificate, const std::string& key,
                                const std::string& certificate_place,
                                const std::string& key_place) {
  if (const auto expiry = CertificateExpiry(certificate); !expiry) {
    return Fail(ErrorCode::kMalformed, certificate_place, expiry.error().message());
  }
  // OpenSSL would ask the terminal for the password.
  if (key.find("ENCRYPTED") != std::string::npos) {
    return Fail(ErrorCode::kUnsupported, key_place, "the key is encrypted");
  }
  const auto usable = transport::CheckTlsOptions({.certificate = certificate, .key = key});
  if (!usable) return Fail(ErrorCode::kMalformed, key_place, usable.error().message());
  return {};
}

}  // namespace flyball::client

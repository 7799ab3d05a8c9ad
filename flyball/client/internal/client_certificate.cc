#include "flyball/client/internal/client_certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "flyball/base/free_with.h"
#include "flyball/base/saturating.h"
#include "flyball/transport/tls.h"

namespace flyball::client {
namespace {

using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using Text = std::unique_ptr<BIO, FreeWith<BIO_free>>;

Text Open(const std::string& pem) {
  return Text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate ReadCertificate(const std::string& pem) {
  Certificate certificate(PEM_read_bio_X509(Open(pem).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  return certificate;
}

/// Without a password: OpenSSL would ask the terminal for one.
Key ReadKey(const std::string& pem) {
  const auto no_password = [](char*, int, int, void*) { return -1; };
  Key key(PEM_read_bio_PrivateKey(Open(pem).get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  return key;
}

}  // namespace

Result<CertificateLife> ReadCertificateLife(const std::string& certificate) {
  const Certificate parsed = ReadCertificate(certificate);
  std::tm start{};
  std::tm end{};
  if (parsed == nullptr || ASN1_TIME_to_tm(X509_get0_notBefore(parsed.get()), &start) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(parsed.get()), &end) != 1) {
    return Fail(ErrorCode::kMalformed, "contains no PEM-encoded certificate");
  }
  // RFC 5280 has the end of the year 9999 for what does not expire.
  const auto time_of = [](std::tm& parts) {
    return WallTime(SaturatingNanoseconds(std::chrono::seconds(timegm(&parts))));
  };
  return CertificateLife{time_of(start), time_of(end)};
}

Result<> CheckClientCertificate(const std::string& certificate, const std::string& key,
                                const std::string& certificate_place,
                                const std::string& key_place) {
  const Certificate parsed = ReadCertificate(certificate);
  if (parsed == nullptr) {
    return Fail(ErrorCode::kMalformed, certificate_place, "contains no PEM-encoded certificate");
  }
  if (key.find("ENCRYPTED") != std::string::npos) {
    return Fail(ErrorCode::kUnsupported, key_place,
                "contains an encrypted private key, which is not supported");
  }
  const Key parsed_key = ReadKey(key);
  if (parsed_key == nullptr) {
    return Fail(ErrorCode::kMalformed, key_place, "contains no PEM-encoded private key");
  }
  const bool match = X509_check_private_key(parsed.get(), parsed_key.get()) == 1;
  ERR_clear_error();
  if (!match)
    return Fail(ErrorCode::kMalformed, key_place,
                "private key does not match the client certificate");
  // Whatever else a connection would stumble over, such as the rest of the chain.
  const auto usable = transport::CheckTlsOptions({.certificate = certificate, .key = key});
  if (!usable) return Fail(ErrorCode::kMalformed, certificate_place, usable.error().message());
  return {};
}

}  // namespace flyball::client

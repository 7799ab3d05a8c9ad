#include "flyball/transport/internal/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>

namespace flyball::transport {

BioPtr OpenText(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

CertificatePtr ReadCertificate(BIO& text) {
  return CertificatePtr(PEM_read_bio_X509(&text, nullptr, nullptr, nullptr));
}

KeyPtr ReadKey(const std::string& pem) {
  const auto no_password = [](char*, int, int, void*) { return -1; };
  return KeyPtr(PEM_read_bio_PrivateKey(OpenText(pem).get(), nullptr, no_password, nullptr));
}

std::string LastReason() {
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

}  // namespace flyball::transport

#include "tests/scripted/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>

#include "flyball/base/check.h"

namespace flyball::scripted {
namespace {

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;

std::string Contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string ToPem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  FLYBALL_CHECK(PEM_write_bio_X509(bio.get(), certificate) == 1, "a certificate has a PEM form");
  return Contents(bio.get());
}

std::string ToPem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  FLYBALL_CHECK(
      PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
      "a key has a PEM form");
  return Contents(bio.get());
}

void AddEntry(X509_NAME* name, const char* field, const std::string& value) {
  X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(value.c_str()), -1, -1, 0);
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  FLYBALL_CHECK(extension != nullptr, value);
  X509_add_ext(certificate, extension.get(), -1);
}

Certificate NewCertificate(EVP_PKEY* key, const std::string& common_name,
                           const std::vector<std::string>& organizations, long valid_seconds) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  std::uint32_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial));
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_seconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  for (const std::string& organization : organizations) AddEntry(subject, "O", organization);
  AddEntry(subject, "CN", common_name);
  return certificate;
}

}  // namespace

Authority::Authority() {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate = NewCertificate(key.get(), "test authority", {}, 3600);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  AddExtension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  self_ = {ToPem(certificate.get()), ToPem(key.get())};
}

Identity Authority::Issue(const std::string& common_name, const std::string& names,
                          const std::vector<std::string>& organizations, long valid_seconds) const {
  const Bio issuer_text(BIO_new_mem_buf(self_.certificate.data(), -1));
  const Bio key_text(BIO_new_mem_buf(self_.key.data(), -1));
  const Certificate issuer(PEM_read_bio_X509(issuer_text.get(), nullptr, nullptr, nullptr));
  const Key issuer_key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate =
      NewCertificate(key.get(), common_name, organizations, valid_seconds);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  if (!names.empty()) {
    AddExtension(certificate.get(), issuer.get(), NID_subject_alt_name, names);
  }
  X509_sign(certificate.get(), issuer_key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

}  // namespace flyball::scripted

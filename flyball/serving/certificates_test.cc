#include "flyball/serving/certificates.h"

#include <openssl/x509v3.h>

#include <optional>

#include "flyball/base/free_with.h"
#include "flyball/serving/client_certificate.h"
#include "flyball/transport/internal/pem.h"
#include "gtest/gtest.h"

namespace flyball::serving {
namespace {

using namespace std::chrono_literals;
using transport::CertificatePtr;

constexpr WallTime kNow{std::chrono::seconds(1'700'000'000)};

CertificatePtr Read(const std::string& pem) {
  return transport::ReadCertificate(*transport::OpenText(pem));
}

/// What somebody who trusts `roots` says of a certificate at a moment: "ok", or why not.
std::string Verdict(const std::string& roots, const std::string& pem, WallTime now,
                    int purpose = X509_PURPOSE_SSL_SERVER) {
  const std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), Read(roots).get());
  const std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>> check(X509_STORE_CTX_new());
  const CertificatePtr certificate = Read(pem);
  X509_STORE_CTX_init(check.get(), store.get(), certificate.get(), nullptr);
  X509_STORE_CTX_set_time(
      check.get(), 0,
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
  X509_STORE_CTX_set_purpose(check.get(), purpose);
  X509_verify_cert(check.get());
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
}

class CertificatesTest : public testing::Test {
 protected:
  const CertificateAuthority authority_ = CertificateAuthority::Make("ours", kNow).value();
  const std::string& roots_ = authority_.self().certificate_pem;
};

TEST_F(CertificatesTest, AnAuthorityIsTrustedByItself) {
  EXPECT_EQ(Verdict(roots_, roots_, kNow, X509_PURPOSE_ANY), "ok");
}

TEST_F(CertificatesTest, WhatItIssuesIsForServersOrForClients) {
  const auto server = authority_.Issue({.common_name = "s", .names = {"localhost"}}, kNow);
  const auto client = authority_.Issue({.common_name = "c", .organizations = {"a", "b"}}, kNow);
  ASSERT_TRUE(server && client);
  EXPECT_EQ(Verdict(roots_, server->certificate_pem, kNow), "ok");
  EXPECT_NE(Verdict(roots_, server->certificate_pem, kNow, X509_PURPOSE_SSL_CLIENT), "ok");
  EXPECT_EQ(Verdict(roots_, client->certificate_pem, kNow, X509_PURPOSE_SSL_CLIENT), "ok");
  EXPECT_NE(Verdict(roots_, client->certificate_pem, kNow), "ok");
  char subject[256];
  const CertificatePtr read = Read(client->certificate_pem);
  X509_NAME_oneline(X509_get_subject_name(read.get()), subject, sizeof(subject));
  EXPECT_STREQ(subject, "/O=a/O=b/CN=c");
}

TEST_F(CertificatesTest, AKeyGoesWithEach) {
  const auto made = authority_.Issue({.common_name = "c"}, kNow);
  ASSERT_TRUE(made);
  const auto key = transport::ReadKey(made->key_pem);
  ASSERT_TRUE(key);
  EXPECT_EQ(X509_check_private_key(Read(made->certificate_pem).get(), key.get()), 1);
}

TEST_F(CertificatesTest, TheNamesAreThoseThatWereAskedForAndNoOthers) {
  const auto made = authority_.Issue(
      {.common_name = "s", .names = {"a.example", "127.0.0.1", "::1", "x,DNS:evil.example"}}, kNow);
  ASSERT_TRUE(made);
  const CertificatePtr certificate = Read(made->certificate_pem);
  const auto is_for = [&](const std::string& name) {
    return X509_check_host(certificate.get(), name.data(), name.size(), 0, nullptr) == 1;
  };
  EXPECT_TRUE(is_for("a.example"));
  EXPECT_FALSE(is_for("b.example"));
  EXPECT_FALSE(is_for("evil.example"));
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
}

TEST_F(CertificatesTest, TheyAreGoodForAsLongAsWasAskedForAndALittleBefore) {
  const auto made =
      authority_.Issue({.common_name = "s", .names = {"localhost"}, .valid_for = 1h}, kNow);
  ASSERT_TRUE(made);
  EXPECT_EQ(Verdict(roots_, made->certificate_pem, kNow - 1h), "ok");
  EXPECT_EQ(Verdict(roots_, made->certificate_pem, kNow + 59min), "ok");
  EXPECT_EQ(Verdict(roots_, made->certificate_pem, kNow + 61min), "certificate has expired");
  EXPECT_EQ(Verdict(roots_, made->certificate_pem, kNow - 3h), "certificate is not yet valid");
}

TEST_F(CertificatesTest, AClientCertificateOfYear9999EndsWithTheLastMomentThatThereIs) {
  constexpr std::chrono::seconds kEndOfYear9999(253'402'300'799);
  const auto made = authority_.Issue(
      {.common_name = "c",
       .valid_for =
           kEndOfYear9999 - std::chrono::floor<std::chrono::seconds>(kNow.time_since_epoch())},
      kNow);
  ASSERT_TRUE(made);
  const CertificatePtr certificate = Read(made->certificate_pem);
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate.get(), &bytes);
  ASSERT_GT(size, 0);
  const std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  EXPECT_EQ(ClientCertificate::Read(der)->not_after, WallTime::max());
}

TEST_F(CertificatesTest, AnotherAuthorityOfTheSameNameIsAnotherOne) {
  const auto other = CertificateAuthority::Make("ours", kNow);
  const auto made = other->Issue({.common_name = "s", .names = {"localhost"}}, kNow);
  ASSERT_TRUE(made);
  EXPECT_NE(Verdict(roots_, made->certificate_pem, kNow), "ok");
}

TEST_F(CertificatesTest, AnAuthorityThatWasKeptSignsAsBefore) {
  const CertificateAuthority again(authority_.self());
  const auto made = again.Issue({.common_name = "s", .names = {"localhost"}}, kNow);
  ASSERT_TRUE(made);
  EXPECT_EQ(Verdict(roots_, made->certificate_pem, kNow), "ok");
}

TEST_F(CertificatesTest, WhatIsNoPemIsRefused) {
  Certificate broken = authority_.self();
  broken.key_pem = "nothing";
  const auto refused = CertificateAuthority(broken).Issue({.common_name = "s"}, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(refused.error().message(), "CA certificate is not valid PEM: unsupported");
}

}  // namespace
}  // namespace flyball::serving

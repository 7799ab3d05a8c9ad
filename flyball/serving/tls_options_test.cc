#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "flyball/serving/client_certificate.h"
#include "flyball/serving/internal/server_test_bed.h"
#include "flyball/serving/internal/subject.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"

namespace flyball::serving {
namespace {

using testing::StartsWith;
using transport::FakeTransport;

/// A client as OpenSSL has it, since ours does not let itself be told such things.
struct Attempt {
  int most = TLS1_3_VERSION;
  const char* ciphers = nullptr;
  const char* groups = nullptr;
  const char* name = nullptr;  ///< of the server, as the client asks for it
};

class TlsOptionsTest : public ServerTestBed {
 protected:
  Result<> Serve(TlsOptions tls) {
    tls.certificate = certificate_;
    auto server = HttpServer::Listen(network_, answers_, {.tls = std::move(tls)});
    if (!server) return std::unexpected(server.error());
    server_ = *std::move(server);
    return {};
  }

  /// "TLSv1.3 TLS_AES_256_GCM_SHA384 server": the last is whom the server says it is.
  std::string Shake(const Attempt& attempt) const {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
        SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    SSL_CTX_set_max_proto_version(context.get(), attempt.most);
    if (attempt.ciphers != nullptr) SSL_CTX_set_cipher_list(context.get(), attempt.ciphers);
    if (attempt.groups != nullptr) SSL_CTX_set1_groups_list(context.get(), attempt.groups);
    const std::unique_ptr<BIO, decltype(&BIO_free_all)> line(BIO_new_ssl_connect(context.get()),
                                                             BIO_free_all);
    SSL* ssl = nullptr;
    BIO_get_ssl(line.get(), &ssl);
    if (attempt.name != nullptr) SSL_set_tlsext_host_name(ssl, attempt.name);
    BIO_set_conn_hostname(line.get(), ("127.0.0.1:" + std::to_string(server_->port())).c_str());
    const bool done = BIO_do_connect(line.get()) == 1;
    ERR_clear_error();
    if (!done) return "refused";
    return std::string(SSL_get_version(ssl)) + " " + SSL_get_cipher_name(ssl) + " " +
           SubjectOf(SSL_get0_peer_certificate(ssl)).common_name;
  }

  Certificate IssueFor(const std::string& common_name, const std::vector<std::string>& names) {
    return *authority_.Issue({.common_name = common_name, .names = names}, clock_.WallNow());
  }

  FakeTransport answers_{
      [](const transport::Request&) { return FakeTransport::Answer::Of(200, ""); }};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(TlsOptionsTest, SpeaksOnePointTwoUnlessToldNotTo) {
  ASSERT_TRUE(Serve({}));
  EXPECT_THAT(Shake({}), StartsWith("TLSv1.3 "));
  EXPECT_THAT(Shake({.most = TLS1_2_VERSION}), StartsWith("TLSv1.2 "));
  EXPECT_EQ(Shake({.most = TLS1_1_VERSION}), "refused");
  ASSERT_TRUE(Serve({.minimum_version = TlsVersion::k13}));
  EXPECT_THAT(Shake({}), StartsWith("TLSv1.3 "));
  EXPECT_EQ(Shake({.most = TLS1_2_VERSION}), "refused");
}

TEST_F(TlsOptionsTest, TakesTheCipherSuitesThatAreNamed) {
  ASSERT_TRUE(Serve(
      {.cipher_suites = {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}}));
  EXPECT_EQ(Shake({.most = TLS1_2_VERSION}), "TLSv1.2 ECDHE-ECDSA-AES256-GCM-SHA384 server");
  EXPECT_EQ(Shake({.most = TLS1_2_VERSION, .ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"}), "refused");
  EXPECT_THAT(Shake({}), StartsWith("TLSv1.3 "));
  ASSERT_TRUE(Serve({.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"}}));
  EXPECT_EQ(Shake({.most = TLS1_2_VERSION}), "TLSv1.2 ECDHE-ECDSA-CHACHA20-POLY1305 server");
  // Nothing of 1.2 is named.
  ASSERT_TRUE(Serve({.cipher_suites = {"TLS_AES_128_GCM_SHA256"}}));
  EXPECT_EQ(Shake({.most = TLS1_2_VERSION}), "refused");
}

TEST_F(TlsOptionsTest, RefusesSuitesAndKeyExchangesThatItDoesNotKnow) {
  const auto suite = Serve({.cipher_suites = {"TLS_FANCY"}});
  ASSERT_FALSE(suite);
  EXPECT_EQ(suite.error(),
            Error(ErrorCode::kInvalid, "Cipher suite TLS_FANCY not supported or doesn't exist"));
  EXPECT_FALSE(Serve({.key_exchanges = {4588}}));
}

TEST_F(TlsOptionsTest, TakesTheKeyExchangesThatAreNamed) {
  ASSERT_TRUE(Serve({.key_exchanges = {4588, 24}}));
  EXPECT_THAT(Shake({.groups = "P-384"}), StartsWith("TLSv1.3 "));
  EXPECT_EQ(Shake({.groups = "X25519"}), "refused");
}

TEST_F(TlsOptionsTest, ShowsTheCertificateOfTheNameThatIsAskedFor) {
  ASSERT_TRUE(
      Serve({.named = {{IssueFor("found.example.com", {"found.example.com", "both.example.com"})},
                       {IssueFor("given", {"x"}), {"both.example.com", "*.wild.example.com"}},
                       {IssueFor("exact", {"x"}), {"a.wild.example.com"}}}}));
  const auto shown = [this](const char* name) {
    const std::string text = Shake({.name = name});
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(shown(nullptr), "server");
  EXPECT_EQ(shown("other.example.com"), "server");
  EXPECT_EQ(shown("found.example.com"), "found.example.com");
  EXPECT_EQ(shown("FOUND.example.com"), "found.example.com");
  EXPECT_EQ(shown("both.example.com"), "given");
  EXPECT_EQ(shown("b.wild.example.com"), "given");
  EXPECT_EQ(shown("a.wild.example.com"), "exact");
  EXPECT_EQ(shown("a.b.wild.example.com"), "server");
}

TEST_F(TlsOptionsTest, HandsOverWhatAClientHasShownWhoeverSignedIt) {
  ASSERT_TRUE(Serve({.client_roots = roots()}));
  const auto strangers = *CertificateAuthority::Make("strangers", clock_.WallNow());
  const CertificateSubject jane{.common_name = "jane", .organizations = {"devs"}};
  for (const auto* authority : {&authority_, &strangers}) {
    const auto client = Client(*server_, *authority->Issue(jane, clock_.WallNow()));
    ASSERT_TRUE(transport::Fetch(*client, clock_, {.target = "/"}));
    const transport::Request got = answers_.requests().back();
    EXPECT_EQ(got.peer != nullptr, authority == &authority_);
    ASSERT_NE(got.peer_certificates, nullptr);
    const auto read = ClientCertificate::Read(got.peer_certificates->front());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->common_name, "jane");
    EXPECT_EQ(read->organizations, jane.organizations);
    const auto roots = ClientRoots::Parse(authority->self().certificate_pem);
    EXPECT_TRUE(roots->Verify(*got.peer_certificates, clock_.WallNow()));
    EXPECT_EQ(ClientRoots::Parse(this->roots())
                  ->Verify(*got.peer_certificates, clock_.WallNow())
                  .has_value(),
              authority == &authority_);
  }
  ASSERT_TRUE(transport::Fetch(*Client(*server_), clock_, {.target = "/"}));
  EXPECT_EQ(answers_.requests().back().peer_certificates, nullptr);
}

}  // namespace
}  // namespace flyball::serving

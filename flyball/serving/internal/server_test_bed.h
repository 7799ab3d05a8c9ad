#pragma once

#include <memory>
#include <string>
#include <utility>

#include "flyball/serving/certificates.h"
#include "flyball/serving/http_server.h"
#include "flyball/transport/http_transport.h"
#include "gtest/gtest.h"
#include "tests/scripted/eventually.h"

namespace flyball::serving {

/// Servers on loopback and clients of theirs, on one network thread.
class ServerTestBed : public testing::Test {
 protected:
  struct Want {
    bool tls = true;
    bool http2 = true;
    Limits limits = {};
  };

  std::unique_ptr<HttpServer> Listen(transport::Transport& answers) {
    return Listen(answers, Want());
  }
  std::unique_ptr<HttpServer> Listen(transport::Transport& answers, const Want& want) {
    HttpServer::Options options{.http2 = want.http2, .limits = want.limits};
    if (want.tls) options.tls = {.certificate = certificate_, .client_roots = roots()};
    auto server = HttpServer::Listen(network_, answers, std::move(options));
    EXPECT_TRUE(server.has_value()) << server.error().Describe();
    return *std::move(server);
  }

  std::unique_ptr<transport::HttpTransport> Client(const HttpServer& server,
                                                   const Certificate& identity = {}) {
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(server.url());
    options.tls = [roots = roots(), identity] {
      return transport::TlsOptions{
          .roots = roots, .certificate = identity.certificate_pem, .key = identity.key_pem};
    };
    return std::make_unique<transport::HttpTransport>(network_, std::move(options));
  }

  const std::string& roots() const { return authority_.self().certificate_pem; }

  /// Whether it comes to hold.
  template <typename Condition>
  bool Eventually(Condition condition,
                  std::chrono::nanoseconds patience = std::chrono::minutes(2)) {
    return scripted::Eventually(clock_, condition, patience);
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  transport::Network network_{executor_};
  const CertificateAuthority authority_ = *CertificateAuthority::Make("test", clock_.WallNow());
  const Certificate certificate_ = *authority_.Issue(
      {.common_name = "server", .names = {"localhost", "127.0.0.1"}}, clock_.WallNow());
};

}  // namespace flyball::serving

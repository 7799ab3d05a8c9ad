// What kube-controller-manager's port answers, with a real API server behind it that says who asks
// and who may. It is asked with the rights that upstream's manager has, and no more.

#include <memory>
#include <optional>
#include <string>

#include "flyball/client/credentials.h"
#include "flyball/endpoints/build_metrics.h"
#include "flyball/endpoints/default_handlers.h"
#include "flyball/endpoints/router.h"
#include "flyball/endpoints/secure_serving.h"
#include "flyball/transport/fetch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/admin_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using namespace endpoints;  // NOLINT(google-build-using-namespace): it is what is tested
using testing::HasSubstr;
using testing::IsEmpty;

client::AccessConfig AccessWith(const std::string& token) {
  client::AccessConfig access;
  access.token.data = token;
  return access;
}

/// A user of the API server.
class Account {
 public:
  Account(transport::Transport& transport, Clock& clock, const std::string& token)
      : credentials_(*client::Credentials::Create(AccessWith(token), {.clock = clock})),
        rest_({.transport = transport, .clock = clock, .credentials = credentials_.get()}, {}),
        client_(rest_) {}

  const client::Client& client() const { return client_; }

 private:
  const std::unique_ptr<client::Credentials> credentials_;
  client::RestClient rest_;
  const client::Client client_;
};

class EndpointsTest : public AdminTest {
 protected:
  void SetUp() override {
    AddDefaultHandlers(routes_, {.health = health_, .slis = slis_, .metrics = metrics_handler_});
    RecordBuildInfo(metrics_, BuildInfo::Own());
    auto authentication_info = AuthenticationInfoSource::Create({.client = manager_.client(),
                                                                 .executor = executor(),
                                                                 .timers = timers_,
                                                                 .random = [] { return 0.5; }},
                                                                {});
    ASSERT_TRUE(authentication_info) << authentication_info.error().Describe();
    authentication_info_ = *std::move(authentication_info);
    auto serving = SecureServing::Start({.network = network(),
                                         .timers = timers_,
                                         .answers = router_,
                                         .authentication_info = *authentication_info_},
                                        {.bind_address = "127.0.0.1", .port = 0});
    ASSERT_TRUE(serving) << serving.error().Describe();
    serving_ = *std::move(serving);
  }

  void TearDown() override { EXPECT_THAT(real_plane().ForbiddenRequests(), IsEmpty()); }

  transport::Response Get(const std::string& target, const std::string& token = {},
                          const Identity& identity = {}) {
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(serving_->url());
    options.tls = [&identity] {
      return transport::TlsOptions{
          .certificate = identity.certificate, .key = identity.key, .skip_server_check = true};
    };
    transport::HttpTransport transport(network(), std::move(options));
    transport::Request request{.target = target, .timeout = 30s};
    if (!token.empty()) request.headers.emplace_back("authorization", "Bearer " + token);
    auto response = transport::Fetch(transport, clock(), std::move(request));
    EXPECT_TRUE(response) << response.error().Describe();
    return response ? *std::move(response) : transport::Response();
  }

  Timers timers_{executor()};
  transport::HttpTransport api_server_{network(), plane().TransportOptions()};
  Account manager_{api_server_, clock(), plane().TokenOf("system:kube-controller-manager")};
  MetricRegistry metrics_;
  AccessMetrics access_metrics_{metrics_};
  TokenReviews tokens_{{.client = manager_.client(),
                        .clock = clock(),
                        .random = [] { return 0.5; },
                        .metrics = access_metrics_.token_reviews},
                       {}};
  AccessReviews reviews_{{.client = manager_.client(),
                          .clock = clock(),
                          .random = [] { return 0.5; },
                          .metrics = access_metrics_.access_reviews},
                         {}};
  std::unique_ptr<AuthenticationInfoSource> authentication_info_;
  Authenticator authenticator_{
      {.clock = clock(),
       .authentication_info = [this] { return authentication_info_->Current(); },
       .tokens = &tokens_,
       .metrics = access_metrics_}};
  Authorizer authorizer_{*OpenPaths::Parse({"/healthz", "/readyz", "/livez"}), &reviews_};
  SliMetrics slis_{clock().WallNow()};
  HealthChecks health_{{.slis = &slis_}};
  MetricsHandler metrics_handler_{metrics_};
  RouteTable routes_;
  Router router_{{.executor = executor(),
                  .routes = routes_,
                  .authenticator = authenticator_,
                  .authorizer = authorizer_,
                  .metrics = access_metrics_}};
  std::unique_ptr<SecureServing> serving_;
};

TEST_F(EndpointsTest, AnonymousSeesTheHealthAndNothingElse) {
  EXPECT_EQ(Get("/healthz").body, "ok");
  const auto metrics = Get("/metrics");
  EXPECT_EQ(metrics.status, 403);
  EXPECT_THAT(metrics.body, HasSubstr(R"(User \"system:anonymous\" cannot get path \"/metrics\")"));
  EXPECT_EQ(Get("/nowhere").status, 403);
}

TEST_F(EndpointsTest, ABadTokenIsUnauthorized) {
  EXPECT_EQ(Get("/metrics", "nobodys").status, 401);
  EXPECT_EQ(Get("/healthz", "nobodys").status, 401);
}

TEST_F(EndpointsTest, AServiceAccountSeesWhatItsRolesAllow) {
  const std::string namespace_ = NewNamespace();
  const std::string prometheus = NewAccount({namespace_, "prometheus"});
  const std::string other = NewAccount({namespace_, "other"});
  AllowToSee({namespace_, "prometheus"}, "/metrics");
  // The API server's own cache of roles takes a moment.
  for (int i = 0; i < 1200 && Get("/metrics?" + std::to_string(i), prometheus).status != 200; ++i) {
    clock().SleepFor(100ms);
  }
  const auto metrics = Get("/metrics", prometheus);
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("apiserver_delegated_authn_request_total{code=\"201\"} "));
  EXPECT_THAT(metrics.body, HasSubstr("kubernetes_build_info{"));
  const auto refused = Get("/metrics", other);
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("User \\\"system:serviceaccount:" + namespace_ +
                                      ":other\\\" cannot get path \\\"/metrics\\\""));
  EXPECT_EQ(Get("/metrics/slis", prometheus).status, 403);
}

TEST_F(EndpointsTest, ACertificateOfTheClustersAuthorityIsKnownFromTheConfigMap) {
  const auto master = plane().IssueClientCertificate("anna", {"system:masters"});
  EXPECT_EQ(Get("/metrics", "", master).status, 200);
  EXPECT_EQ(Get("/nowhere", "", master).status, 404);
  EXPECT_EQ(Get("/metrics", "", plane().IssueClientCertificate("bert", {"devs"})).status, 403);
}

}  // namespace
}  // namespace flyball::cluster

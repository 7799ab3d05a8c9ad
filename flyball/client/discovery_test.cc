#include "flyball/client/discovery.h"

#include "flyball/base/fake_clock.h"
#include "flyball/transport/transport_fake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::client {
namespace {

using transport::FakeTransport;

constexpr char kApps[] =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)"
    R"({"metadata":{"name":"apps"},"versions":[)"
    R"({"version":"v1","resources":[{"resource":"deployments","responseKind":{"group":"apps",)"
    R"("version":"v1","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment",)"
    R"("verbs":["get","list"],"shortNames":["deploy"],"categories":["all"],)"
    R"("subresources":[{"subresource":"scale","verbs":["get"]}]}],"freshness":"Current"},)"
    R"({"version":"v1beta1","resources":[{"resource":"deployments","responseKind":{"group":"apps",)"
    R"("version":"v1beta1","kind":"Deployment"},"scope":"Namespaced","singularResource":"",)"
    R"("verbs":["get"]}],"freshness":"Current"}]},)"
    R"({"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]})"
    R"(]})";

class DiscoveryTest : public testing::Test {
 protected:
  /// A server with these answers; others are not found.
  void Serve(const std::map<std::string, FakeTransport::Answer>& answers) {
    transport_ = std::make_unique<FakeTransport>([answers](const transport::Request& request) {
      const auto found = answers.find(request.target);
      return found == answers.end() ? FakeTransport::Answer::Of(404, "") : found->second;
    });
    rest_ = std::make_unique<RestClient>(
        RestClient::Deps{.transport = *transport_, .clock = clock_}, RestClient::Options{});
  }

  static FakeTransport::Answer Aggregated(const std::string& body) {
    return FakeTransport::Answer::Of(
        200, body,
        {{"content-type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
  }
  static FakeTransport::Answer Plain(const std::string& body) {
    return FakeTransport::Answer::Of(200, body, {{"content-type", "application/json"}});
  }

  FakeClock clock_;
  std::unique_ptr<FakeTransport> transport_;
  std::unique_ptr<RestClient> rest_;
};

TEST_F(DiscoveryTest, TakesTwoRequestsWhereTheServerKnowsTheWay) {
  Serve(
      {{"/api", Aggregated(R"({"kind":"APIGroupDiscoveryList"})")}, {"/apis", Aggregated(kApps)}});
  const auto served = Discover(*rest_);
  ASSERT_TRUE(served.has_value()) << served.error().Describe();
  EXPECT_EQ(transport_->requests().size(), 2U);
  ASSERT_EQ(served->resources.size(), 2U);
  const ServedResource& deployments = served->resources[0];
  EXPECT_EQ(deployments.resource, (Resource{"apps", "v1", "deployments", "Deployment", true}));
  EXPECT_EQ(deployments.singular, "deployment");
  EXPECT_TRUE(deployments.Has("list"));
  EXPECT_FALSE(deployments.Has("create"));
  EXPECT_EQ(deployments.subresources, std::vector<std::string>{"scale"});
  EXPECT_TRUE(deployments.preferred);
  EXPECT_FALSE(served->resources[1].preferred);
  EXPECT_EQ(served->unknown,
            (std::vector<UnknownGroup>{{"metrics.k8s.io", "v1beta1",
                                        "stale GroupVersion discovery: metrics.k8s.io/v1beta1"}}));
}

TEST_F(DiscoveryTest, AsksGroupByGroupWhereItDoesNotAndGoesOnWhenOneIsDown) {
  Serve({
      {"/api", Plain(R"({"kind":"APIVersions","versions":["v1"]})")},
      {"/api/v1", Plain(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"
                        R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
                        R"("verbs":["get"]},{"name":"pods/status","namespaced":true,"kind":"Pod",)"
                        R"("verbs":["get"]}]})")},
      {"/apis", Plain(R"({"kind":"APIGroupList","groups":[{"name":"down.example.com","versions":[)"
                      R"({"groupVersion":"down.example.com/v1","version":"v1"}],)"
                      R"("preferredVersion":{"version":"v1"}}]})")},
      {"/apis/down.example.com/v1", FakeTransport::Answer::Of(503, "down")},
  });
  const auto served = Discover(*rest_);
  ASSERT_TRUE(served.has_value()) << served.error().Describe();
  ASSERT_EQ(served->resources.size(), 1U);
  EXPECT_EQ(served->resources[0].resource, (Resource{"", "v1", "pods", "Pod", true}));
  EXPECT_EQ(served->resources[0].subresources, std::vector<std::string>{"status"});
  EXPECT_EQ(served->unknown,
            (std::vector<UnknownGroup>{{"down.example.com", "v1",
                                        "discover /apis/down.example.com/v1: status 503: down"}}));
}

TEST_F(DiscoveryTest, TheMapperAsksAgainForWhatItDoesNotKnowButNotAtOnce) {
  Serve(
      {{"/api", Aggregated(R"({"kind":"APIGroupDiscoveryList"})")}, {"/apis", Aggregated(kApps)}});
  RestMapper mapper(*rest_);
  EXPECT_EQ(mapper.ByKind("apps", "Deployment")->resource.version, "v1");
  EXPECT_EQ(mapper.ByPlural("apps", "deployments", "v1beta1")->resource.version, "v1beta1");
  EXPECT_EQ(transport_->requests().size(), 2U);

  const auto missing = mapper.ByKind("example.com", "Widget");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().Describe(),
            "not found: the server has no kind 'Widget' in group 'example.com'");
  EXPECT_EQ(transport_->requests().size(), 2U);
  clock_.Advance(std::chrono::seconds(2));
  EXPECT_FALSE(mapper.ByKind("example.com", "Widget").has_value());
  EXPECT_EQ(transport_->requests().size(), 4U);
}

}  // namespace
}  // namespace flyball::client

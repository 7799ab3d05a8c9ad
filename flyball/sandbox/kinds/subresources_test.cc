#include "flyball/sandbox/kinds/subresources.h"

#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

constexpr const char* kDeployment =
    R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":)"
    R"({"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"w"}]}}}})";
const std::string kDeployments = "/apis/apps/v1/namespaces/default/deployments";

class SubresourcesTest : public ServerFixture {};

TEST_F(SubresourcesTest, AScaleIsReadReplacedAndPatched) {
  ASSERT_EQ(Post(kDeployments, kDeployment).status, 201);
  const auto scale = Get(kDeployments + "/web/scale");
  EXPECT_EQ(scale.At("kind"), "Scale");
  EXPECT_EQ(scale.At("apiVersion"), "autoscaling/v1");
  EXPECT_EQ(scale.At("spec"), R"({"replicas":1})");
  EXPECT_EQ(scale.At("status"), R"({"replicas":0,"selector":"app=web"})");

  const auto put = Ask("PUT", kDeployments + "/web/scale",
                       R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  EXPECT_EQ(put.status, 200) << put.body.ToString();
  EXPECT_EQ(put.At("spec"), R"({"replicas":3})");
  const auto patched = MergePatch(kDeployments + "/web/scale", R"({"spec":{"replicas":5}})");
  EXPECT_EQ(patched.At("spec"), R"({"replicas":5})");
  const auto deployment = Get(kDeployments + "/web");
  EXPECT_EQ(deployment.At("spec.replicas"), "5");
  EXPECT_EQ(deployment.At("metadata.generation"), "3");
  const auto negative = MergePatch(kDeployments + "/web/scale", R"({"spec":{"replicas":-1}})");
  EXPECT_EQ(negative.status, 422);
  EXPECT_EQ(negative.At("message"),
            "Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1: must be "
            "greater than or equal to 0");
}

TEST_F(SubresourcesTest, ATokenIsGoodUntilItsAccountIsGone) {
  Post("namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})");
  const auto made = Post("namespaces/default/serviceaccounts/robot/token", "{}");
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  EXPECT_EQ(made.At("spec.expirationSeconds"), "3600");
  const std::string token = made.At("status.token");
  const auto who = [&] {
    transport::Request request;
    request.method = "POST";
    request.target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    request.headers = {{"authorization", "Bearer " + token}, {"content-type", "application/json"}};
    request.body = "{}";
    return transport::Fetch(sandbox_.server(), sandbox_.clock(), std::move(request));
  };
  const auto known = who();
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->status, 201);
  EXPECT_THAT(known->body, testing::HasSubstr("system:serviceaccount:default:robot"));

  const auto review = Post("/apis/authentication.k8s.io/v1/tokenreviews",
                           R"({"spec":{"token":")" + token + R"("}})");
  EXPECT_EQ(review.At("status.authenticated"), "true");
  EXPECT_EQ(review.At("status.user.username"), "system:serviceaccount:default:robot");
  EXPECT_THAT(review.At("status.user.extra"),
              testing::StartsWith(R"({"authentication.kubernetes.io/credential-id":["JTI=)"));
  Ask("DELETE", "namespaces/default/serviceaccounts/robot");
  EXPECT_EQ(who()->status, 401);
}

TEST_F(SubresourcesTest, AScaleAsATableHasItsReplicas) {
  ASSERT_EQ(Post(kDeployments, kDeployment).status, 201);
  transport::Request request;
  request.target = kDeployments + "/web/scale";
  request.headers = {{"accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  const auto answer = transport::Fetch(transport_, sandbox_.clock(), std::move(request));
  ASSERT_TRUE(answer.has_value());
  const auto table = api::Json::Parse(answer->body);
  ASSERT_TRUE(table.has_value()) << answer->body;
  const api::Json& row = table->Find("rows")->If<api::Json::Array>()->front();
  EXPECT_EQ(row.Find("cells")->ToString(), R"(["web",1,0,"0s"])");
  EXPECT_EQ(row.Find("object")->Find("metadata")->Find("name")->ToString(), R"("web")");
}

TEST_F(SubresourcesTest, ReviewsSayWhatTheServerDoes) {
  const std::string self = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const std::string pods = R"("resourceAttributes":{"verb":"get","resource":"pods"})";
  const auto mine = Post(self, R"({"spec":{)" + pods + "}}");
  EXPECT_EQ(mine.status, 201);
  EXPECT_EQ(mine.At("status"), R"({"allowed":true})");

  const auto of = [&](const std::string& who) {
    return Post("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                R"({"spec":{)" + who + "," + pods + "}}")
        .At("status");
  };
  EXPECT_EQ(of(R"("user":"alice")"), R"({"allowed":false})");
  EXPECT_EQ(of(R"("user":"alice","groups":["system:masters"])"), R"({"allowed":true})");

  const auto alice = sandbox_.As({.name = "alice"});
  const auto asked = [&](const std::string& resource) {
    transport::Request request;
    request.method = "POST";
    request.target = self;
    request.headers = {{"content-type", "application/json"}};
    request.body =
        R"({"spec":{"resourceAttributes":{"verb":"create","resource":")" + resource + R"("}}})";
    return transport::Fetch(alice->transport(), sandbox_.clock(), std::move(request))->body;
  };
  EXPECT_THAT(asked("pods"), testing::HasSubstr(R"("allowed":false)"));
  EXPECT_THAT(asked("selfsubjectreviews"), testing::HasSubstr(R"("allowed":true)"));
}

TEST_F(SubresourcesTest, RulesOfAnAdministratorAreAllAndThoseOfEverybody) {
  const auto rules = Post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                          R"({"spec":{"namespace":"default"}})");
  EXPECT_THAT(rules.At("status.resourceRules"),
              testing::StartsWith(R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},)"
                                  R"({"apiGroups":["authentication.k8s.io"],)"));
  EXPECT_THAT(rules.At("status.nonResourceRules"), testing::HasSubstr("/openapi/*"));
}

TEST_F(SubresourcesTest, KindsThatAreDeprecatedSaySo) {
  transport::Request request;
  request.target = "/api/v1/namespaces/default/endpoints";
  const auto answer = transport::Fetch(transport_, sandbox_.clock(), std::move(request));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(
      transport::FindHeader(answer->headers, "warning"),
      "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\"");
}

}  // namespace
}  // namespace flyball::sandbox

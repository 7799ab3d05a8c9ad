#include "tests/cluster/control_plane.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <fstream>
#include <sstream>

#include "flyball/api/authentication/v1.h"
#include "flyball/api/base64.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/envelope.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/object.h"
#include "flyball/transport/fetch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

class ControlPlaneTest : public ClusterTest {
 protected:
  static transport::Headers Bearer(const std::string& token) {
    return {{"authorization", "Bearer " + token}};
  }

  transport::Request Get(const std::string& target, const std::string& accept = "") {
    transport::Request request{.target = target, .headers = Bearer(plane().admin_token())};
    if (!accept.empty()) request.headers.emplace_back("accept", accept);
    return request;
  }

  Result<transport::Response> Send(transport::Request request) {
    request.timeout = 30s;
    return transport::Fetch(transport_, clock(), std::move(request));
  }

  Result<transport::Response> CreateConfigMap(const std::string& space, const std::string& name) {
    transport::Request request{.method = "POST",
                               .target = "/api/v1/namespaces/" + space + "/configmaps",
                               .headers = Bearer(plane().admin_token())};
    request.headers.emplace_back("content-type", "application/json");
    request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                   R"("},"data":{"key":"value"}})";
    return Send(std::move(request));
  }

  transport::HttpTransport transport_{network(), plane().TransportOptions()};
};

/// Takes out what a server puts in, having seen that it is there; the rest, as JSON.
std::string WithoutServersOwn(core::v1::ConfigMap object) {
  EXPECT_FALSE(object.metadata.uid.empty());
  EXPECT_FALSE(object.metadata.resourceVersion.empty());
  EXPECT_EQ(object.metadata.managedFields.size(), 1U);
  object.metadata.uid.clear();
  object.metadata.resourceVersion.clear();
  object.metadata.creationTimestamp = {};
  object.metadata.managedFields.clear();
  return api::EncodeJson(object).value_or("not JSON");
}

std::string ExpectedConfigMap(const std::string& space, const std::string& name) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":")" + space + R"("},"data":{"key":"value"}})";
}

/// The events of a watch, whose body comes in any pieces.
class Watch {
 public:
  Watch(transport::Transport& transport, Clock& clock, transport::Request request)
      : stream_(transport, clock, std::move(request)) {}

  Result<transport::ResponseHead> Head() { return stream_.Head(); }

  /// "ADDED {...}", the object as JSON.
  Result<std::string> Next() {
    for (;;) {
      FLYBALL_TRY(const auto frame, frames_.Next());
      if (frame) return Describe(*frame);
      FLYBALL_TRY(const std::string bytes, stream_.Read());
      if (bytes.empty()) return "the end";
      frames_.Feed(bytes);
    }
  }

 private:
  static Result<std::string> Describe(std::string_view frame) {
    FLYBALL_TRY(const auto event, api::OpenWatchEvent(frame));
    FLYBALL_TRY(const auto object, api::DecodeObject(event.object, api::Format::kProtobuf));
    const auto* const config_map = object.As<core::v1::ConfigMap>();
    if (config_map == nullptr) return Fail(ErrorCode::kUnsupported, "no ConfigMap");
    return std::string(event.type) + " " + WithoutServersOwn(*config_map);
  }

  transport::ResponseStream stream_;
  api::FrameReader frames_;
};

TEST_F(ControlPlaneTest, AnswersManyRequestsAtOnceOverOneConnectionOfHttp2) {
  const auto ready = Send(Get("/readyz"));
  ASSERT_TRUE(ready.has_value()) << ready.error().Describe();
  EXPECT_EQ(ready->status, 200);
  EXPECT_EQ(ready->body, "ok");

  std::vector<transport::PendingResponse> pending;
  for (int i = 0; i < 20; ++i) pending.emplace_back(transport_, clock(), Get("/version"));
  for (auto& one : pending) {
    const auto version = one.Wait();
    ASSERT_TRUE(version.has_value()) << version.error().Describe();
    EXPECT_EQ(version->status, 200);
    EXPECT_THAT(version->body, HasSubstr(R"("gitVersion": "v1.37.1")"));
  }
  // Over HTTP/1.1 each of them would have had one to itself.
  EXPECT_EQ(transport_.connections(), 1U);
}

// Here, since other tests of the transport have the server's sockets in the same process.
TEST_F(ControlPlaneTest, IsConnectedToByNoProgramThatWeStart) {
  ASSERT_EQ(Send(Get("/readyz"))->status, 200);
  int connections = 0;
  for (int file = 0; file < 1024; ++file) {
    sockaddr_storage peer = {};
    socklen_t size = sizeof(peer);
    if (getpeername(file, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.ss_family != AF_INET) continue;
    ++connections;
    EXPECT_EQ(fcntl(file, F_GETFD), FD_CLOEXEC) << file;
  }
  EXPECT_GE(connections, 1);
}

TEST_F(ControlPlaneTest, TurnsAwayAWrongToken) {
  const auto response = Send({.target = "/api/v1/pods", .headers = Bearer("wrong")});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 401);
}

TEST_F(ControlPlaneTest, RefusesAUserWithoutRightsAndKeepsARecordOfIt) {
  const auto response =
      Send({.target = "/api/v1/pods?limit=7", .headers = Bearer(plane().TokenOf("alice"))});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 403);
  EXPECT_THAT(response->body, HasSubstr(R"(User \"alice\" cannot list resource \"pods\")"));
  EXPECT_THAT(real_plane().ForbiddenRequests(),
              ElementsAre(AllOf(HasSubstr(R"("requestURI":"/api/v1/pods?limit=7")"),
                                HasSubstr(R"("username":"alice")"))));
}

TEST_F(ControlPlaneTest, KnowsAClientByItsCertificate) {
  const Identity carol = plane().IssueClientCertificate("carol", {"team-a", "team-b"});
  transport::HttpTransport transport(network(), plane().TransportOptions(carol));
  const auto response = transport::Fetch(
      transport, clock(),
      {.method = "POST",
       .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
       .headers = {{"content-type", "application/json"}},
       .body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})",
       .timeout = 30s});
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 201);
  const auto review = api::DecodeJson<authentication::v1::SelfSubjectReview>(response->body);
  ASSERT_TRUE(review.has_value()) << review.error().Describe();
  EXPECT_EQ(review->status.userInfo.username, "carol");
  EXPECT_THAT(review->status.userInfo.groups,
              ElementsAre("team-a", "team-b", "system:authenticated"));
}

TEST_F(ControlPlaneTest, GivesBackAsProtobufWhatWasCreatedAsJson) {
  const std::string space = NewNamespace();
  const auto created = CreateConfigMap(space, "settings");
  ASSERT_TRUE(created.has_value()) << created.error().Describe();
  EXPECT_EQ(created->status, 201) << created->body;

  const auto response =
      Send(Get("/api/v1/namespaces/" + space + "/configmaps/settings", kProtobuf));
  ASSERT_TRUE(response.has_value()) << response.error().Describe();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(transport::FindHeader(response->headers, "content-type"), kProtobuf);
  const auto object = api::DecodeObject(response->body, api::Format::kProtobuf);
  ASSERT_TRUE(object.has_value()) << object.error().Describe();
  ASSERT_NE(object->As<core::v1::ConfigMap>(), nullptr);
  EXPECT_EQ(WithoutServersOwn(*object->As<core::v1::ConfigMap>()),
            ExpectedConfigMap(space, "settings"));
}

TEST_F(ControlPlaneTest, SendsEventsToAWatchWhichEndsWhenTheServerDiesAndCanBeMadeAgain) {
  const std::string space = NewNamespace();
  const std::string target = "/api/v1/namespaces/" + space + "/configmaps";
  Watch watch(transport_, clock(), Get(target + "?watch=true", kProtobuf));
  const auto head = watch.Head();
  ASSERT_TRUE(head.has_value()) << head.error().Describe();
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(transport::FindHeader(head->headers, "content-type"),
            std::string(kProtobuf) + ";stream=watch");
  ASSERT_EQ(CreateConfigMap(space, "one")->status, 201);
  EXPECT_EQ(watch.Next(), "ADDED " + ExpectedConfigMap(space, "one"));

  real_plane().KillApiServer();
  const auto broken = watch.Next();
  ASSERT_FALSE(broken.has_value()) << *broken;
  EXPECT_EQ(broken.error().code(), ErrorCode::kIo);
  const auto refused = Send(Get("/readyz"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);

  const auto started = plane().StartApiServer();
  ASSERT_TRUE(started.has_value()) << started.error().Describe();
  Watch again(transport_, clock(), Get(target + "?watch=true", kProtobuf));
  EXPECT_EQ(again.Next(), "ADDED " + ExpectedConfigMap(space, "one"));
  ASSERT_EQ(CreateConfigMap(space, "two")->status, 201);
  EXPECT_EQ(again.Next(), "ADDED " + ExpectedConfigMap(space, "two"));
}

TEST_F(ControlPlaneTest, EndsInPeaceWhenItIsAskedToAndSoDoesAWatch) {
  Watch watch(transport_, clock(),
              Get("/api/v1/namespaces/nowhere/configmaps?watch=true", kProtobuf));
  ASSERT_EQ(watch.Head()->status, 200);
  EXPECT_TRUE(plane().StopApiServer());
  EXPECT_EQ(watch.Next(), "the end");
  const auto refused = Send(Get("/readyz"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kUnavailable);

  const auto started = plane().StartApiServer();
  ASSERT_TRUE(started.has_value()) << started.error().Describe();
  EXPECT_EQ(Send(Get("/readyz"))->status, 200);
}

TEST_F(ControlPlaneTest, WritesAKubeconfigForATokenOrACertificate) {
  const std::string common =
      "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
      "contexts: [{name: test, context: {cluster: test, user: test}}]\n"
      "clusters:\n- name: test\n  cluster:\n    server: " +
      plane().url() +
      "\n    certificate-authority-data: " + api::EncodeBase64(plane().authority()) +
      "\nusers:\n- name: test\n  user:\n";
  const auto contents = [](const Result<std::filesystem::path>& path) {
    std::ostringstream text;
    if (path) text << std::ifstream(*path).rdbuf();
    return text.str();
  };
  EXPECT_EQ(contents(plane().WriteKubeconfig("bob", {.token = plane().TokenOf("bob")})),
            common + "    token: " + plane().TokenOf("bob") + "\n");
  const Identity carol = plane().IssueClientCertificate("carol");
  EXPECT_EQ(contents(plane().WriteKubeconfig("carol", {.certificate = carol})),
            common + "    client-certificate-data: " + api::EncodeBase64(carol.certificate) +
                "\n    client-key-data: " + api::EncodeBase64(carol.key) + "\n");
}

}  // namespace
}  // namespace flyball::cluster

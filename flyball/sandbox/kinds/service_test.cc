#include "flyball/sandbox/internal/server_fixture.h"
#include "gmock/gmock.h"

namespace flyball::sandbox {
namespace {

using testing::StartsWith;

constexpr const char* kServices = "namespaces/default/services";

class ServiceTest : public ServerFixture {
 protected:
  Response Add(const std::string& name, const std::string& spec) {
    return Post(kServices, R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec + "}}");
  }
};

constexpr const char* kPort = R"("ports":[{"port":80}])";

TEST_F(ServiceTest, GetsAnAddressThatIsFreeAgainWhenItGoes) {
  const auto made = Add("a", std::string(kPort) + R"(,"selector":{"app":"a"})");
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  const std::string ip = made.At("spec.clusterIP");
  EXPECT_THAT(ip, StartsWith("10.0.0."));
  EXPECT_EQ(made.At("spec.clusterIPs"), "[\"" + ip + "\"]");
  EXPECT_EQ(made.At("spec.ipFamilies"), R"(["IPv4"])");
  EXPECT_EQ(made.At("spec.ipFamilyPolicy"), "SingleStack");

  const std::string same = std::string(kPort) + R"(,"clusterIP":")" + ip + "\"";
  const auto refused = Add("b", same);
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.At("message"), "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"" +
                                       ip + "\"]: failed to allocate IP " + ip +
                                       ": provided IP is already allocated");
  Ask("DELETE", "namespaces/default/services/a");
  EXPECT_EQ(Add("b", same).status, 201);
}

TEST_F(ServiceTest, KeepsItsAddressThroughUpdates) {
  const auto made = Add("a", kPort);
  const auto updated = Ask("PUT", "namespaces/default/services/a",
                           R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":81}]}})");
  ASSERT_EQ(updated.status, 200) << updated.body.ToString();
  EXPECT_EQ(updated.At("spec.clusterIP"), made.At("spec.clusterIP"));
  const auto changed =
      MergePatch("namespaces/default/services/a", R"({"spec":{"clusterIP":"10.0.0.77"}})");
  EXPECT_EQ(changed.status, 422);
  EXPECT_EQ(changed.At("message"),
            "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.77\"]: may not "
            "change once set");
}

TEST_F(ServiceTest, IsToldInADryRunWhatItWouldGetAndGetsNothing) {
  const std::string spec =
      R"({"metadata":{"name":"a"},"spec":{"type":"NodePort","clusterIP":"10.0.0.77",)"
      R"("ports":[{"name":"a","port":80,"nodePort":30007},{"name":"b","port":81}]}})";
  const auto tried = Post(std::string(kServices) + "?dryRun=All", spec);
  ASSERT_EQ(tried.status, 201) << tried.body.ToString();
  EXPECT_EQ(tried.At("spec.clusterIPs"), R"(["10.0.0.77"])");
  const auto& port = (*tried.body.Find("spec")->Find("ports")->If<api::Json::Array>())[1];
  EXPECT_NE(port.Find("nodePort"), nullptr);
  EXPECT_THAT(Post(std::string(kServices) + "?dryRun=All",
                   R"({"metadata":{"name":"b"},"spec":{"ports":[{"port":80}]}})")
                  .At("spec.clusterIP"),
              StartsWith("10.0.0."));
  EXPECT_EQ(Post(kServices, spec).status, 201);
}

TEST_F(ServiceTest, GetsPortsOnTheNodes) {
  const auto made = Add("a", std::string(kPort) + R"(,"type":"NodePort")");
  ASSERT_EQ(made.status, 201) << made.body.ToString();
  const auto& port = (*made.body.Find("spec")->Find("ports")->If<api::Json::Array>())[0];
  const std::int64_t number = *port.Find("nodePort")->If<std::int64_t>();
  EXPECT_GE(number, 30000);
  EXPECT_LE(number, 32767);
  const auto refused = Add(
      "b", R"("type":"NodePort","ports":[{"port":80,"nodePort":)" + std::to_string(number) + "}]");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.At("message"),
            "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: " +
                std::to_string(number) + ": provided port is already allocated");
  const auto inside =
      MergePatch("namespaces/default/services/a", R"({"spec":{"type":"ClusterIP"}})");
  ASSERT_EQ(inside.status, 200) << inside.body.ToString();
  EXPECT_EQ(inside.At("spec.ports"), R"([{"port":80,"protocol":"TCP","targetPort":80}])");
}

TEST_F(ServiceTest, WithoutAnAddressHasNone) {
  const auto headless = Add("a", R"("clusterIP":"None","selector":{"app":"a"})");
  EXPECT_EQ(headless.At("spec.clusterIPs"), R"(["None"])");
  EXPECT_EQ(headless.At("spec.ipFamilies"), R"(["IPv4"])");
  const auto alone = Add("b", R"("clusterIP":"None")");
  EXPECT_EQ(alone.At("spec.ipFamilyPolicy"), "RequireDualStack");
  EXPECT_EQ(alone.At("spec.ipFamilies"), R"(["IPv4","IPv6"])");
  const auto external = Add("c", R"("type":"ExternalName","externalName":"example.org")");
  EXPECT_EQ(external.status, 201);
  EXPECT_EQ(external.At("spec.clusterIP"), "");
}

}  // namespace
}  // namespace flyball::sandbox

#include "flyball/ctl/trace.h"

#include <sstream>

#include "flyball/api/apps/v1.h"
#include "flyball/ctl/apply.h"
#include "flyball/sandbox/sandbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The verb on an API server without a manager.
class TraceCommandTest : public testing::Test {
 protected:
  std::string Run(const std::function<Errors(Cluster&)>& command, std::string_view input = {}) {
    std::istringstream in{std::string(input)};
    std::ostringstream out;
    Cluster cluster(sandbox_.client().rest(), {in, out, out}, {});
    const Errors errors = command(cluster);
    return out.str() + ErrorText(errors);
  }
  void MustApply(std::string_view text) {
    ASSERT_THAT(Run([](Cluster& cluster) { return Apply(cluster, {.files = {{"-"}}}); }, text),
                HasSubstr(" created"));
  }
  std::string RunTrace(std::vector<std::string> words, std::string output = "") {
    return Run([&](Cluster& cluster) {
      return Trace(cluster, cluster.rest(), {.selection = {.words = words}, .output = output});
    });
  }

  sandbox::Sandbox sandbox_;
};

TEST_F(TraceCommandTest, TellsWhatObjectsSayWhereThereIsNoManager) {
  MustApply("{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}");
  EXPECT_THAT(RunTrace({"cm", "m"}),
              testing::MatchesRegex(
                  "configmap m in default; nothing is wrong with it as far as can be seen\n"
                  "\\(No manager tells what it did: .*. This is from the objects alone; --manager "
                  "says where one is.\\)\n"));
  EXPECT_THAT(RunTrace({"cm/m"}, "json"), StartsWith("Error from server (NotFound): "));
  EXPECT_EQ(RunTrace({"cm/x"}), "Error from server (NotFound): configmaps \"x\" not found\n");
  EXPECT_EQ(RunTrace({"cm"}), "error: resource(s) were provided, but no name was specified\n");
}

TEST_F(TraceCommandTest, FollowsOwnersUpAndWhatIsOwnedDown) {
  MustApply(R"(
apiVersion: v1
kind: ServiceAccount
metadata: {name: default}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
)");
  const auto deployments = sandbox_.client().Of<apps::v1::Deployment>();
  const auto deployment = deployments.Get({"default", "web"});
  ASSERT_TRUE(deployment);
  const auto set_manifest = [&](const std::string& name, const std::string& uid) {
    return R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: )" +
           name + R"(
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: web, uid: )" +
           uid + R"(, controller: true}
spec:
  replicas: 1
  selector: {matchLabels: {app: web, v: )" +
           name + R"(}}
  template:
    metadata: {labels: {app: web, v: )" +
           name + R"(}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
)";
  };
  MustApply(set_manifest("ours", deployment->metadata.uid));
  MustApply(set_manifest("theirs", "somebody-else"));
  const auto set = sandbox_.client().Of<apps::v1::ReplicaSet>().Get({"default", "ours"});
  ASSERT_TRUE(set);
  MustApply(R"(
apiVersion: v1
kind: Pod
metadata:
  name: one
  labels: {app: web, v: ours}
  ownerReferences:
  - {apiVersion: apps/v1, kind: ReplicaSet, name: ours, uid: )" +
            set->metadata.uid + R"(, controller: true}
spec: {containers: [{name: c, image: "nginx:1"}]}
)");

  const std::string down = RunTrace({"deployment/web"});
  EXPECT_THAT(down, StartsWith("deployment web in default: 0 of 1 pod is ready\n"
                               "1. No controller has looked at deployment web yet\n"));
  EXPECT_THAT(down, HasSubstr("No controller has looked at replicaset ours yet"));
  EXPECT_THAT(down, testing::Not(HasSubstr("theirs")));
  EXPECT_THAT(down, HasSubstr("\npod one: Pending, not ready, on no node"));

  EXPECT_THAT(RunTrace({"pod/one"}), StartsWith("pod one in default: not ready, Pending"));
  EXPECT_THAT(RunTrace({"rs/theirs"}), HasSubstr("Could not be looked at: "))
      << "its owner has another uid, or is not there";
}

TEST(AccessOfManager, IsThatOfTheClusterAtAnotherAddress) {
  client::AccessConfig cluster;
  cluster.server = *transport::Url::Parse("https://cluster:6443/prefix");
  cluster.tls_server_name = "kubernetes";
  cluster.token = {"secret", "", "users"};
  cluster.certificate_authority = {"", "cluster.pem", "clusters"};

  auto expected = cluster;
  expected.server = *transport::Url::Parse("https://10.0.0.1:10257");
  expected.server_text = "https://10.0.0.1:10257";
  expected.tls_server_name = "";
  EXPECT_EQ(AccessOfManager(cluster, {.address = "https://10.0.0.1:10257"}), expected);

  expected.certificate_authority = {"", "manager.pem", "--manager-certificate-authority"};
  EXPECT_EQ(AccessOfManager(cluster, {.address = "https://10.0.0.1:10257",
                                      .certificate_authority = "manager.pem"}),
            expected);

  expected.certificate_authority = {};
  expected.insecure_skip_tls_verify = true;
  EXPECT_EQ(AccessOfManager(
                cluster, {.address = "https://10.0.0.1:10257", .insecure_skip_tls_verify = true}),
            expected);
  EXPECT_FALSE(AccessOfManager(cluster, {.address = "nowhere"}));
}

}  // namespace
}  // namespace flyball::ctl

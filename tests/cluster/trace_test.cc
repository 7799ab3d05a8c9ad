// flyball trace, asked of a manager at its own port: with its certificate checked, as somebody whom
// the real API server knows.

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "flyball/api/apps/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/from_yaml.h"
#include "tests/cluster/scratch_folder.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class TraceTest : public BinaryTest {
 protected:
  /// A deployment in a namespace whose quota allows no pod.
  void CreateRefused(const std::string& space) const {
    core::v1::ResourceQuota quota;
    quota.metadata.namespace_ = space;
    quota.metadata.name = "none";
    quota.spec.hard = {{"pods", *api::Quantity::Parse("0")}};
    quota = Must(All<core::v1::ResourceQuota>().Create(quota));
    quota.status.hard = quota.spec.hard;
    quota.status.used = quota.spec.hard;
    Must(All<core::v1::ResourceQuota>().UpdateStatus(quota));
    auto deployment = FromYaml<apps::v1::Deployment>(R"(
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
)");
    deployment.metadata.namespace_ = space;
    Must(All<apps::v1::Deployment>().Create(deployment));
  }

  /// What the program says, on whichever stream.
  static std::string Trace(const std::vector<std::string>& arguments) {
    const ScratchFolder folder = *ScratchFolder::Make();
    const auto said = folder.path() / "said";
    std::vector<std::string> words{"trace"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto process = *Process::Start(BuildFolder() / "flyball/cli/flyball", words, said);
    EXPECT_TRUE(Eventually([&] { return !process.Running(); }));
    std::ifstream file(said);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(TraceTest, IsToldByAManagerWhoseCertificateIsChecked) {
  if (IsUpstream()) GTEST_SKIP() << "upstream's tells no such thing";
  const ScratchFolder certificates = *ScratchFolder::Make();
  auto manager = StartManager("trace", {"--cert-dir=" + certificates.path().string()});
  AwaitHealthy(manager);
  const std::string space = NewNamespace();
  CreateRefused(space);

  const auto kubeconfig = Must(plane().WriteKubeconfig("anna", Master())).string();
  const std::vector<std::string> about{"deployment/web", "-n",        space,        "--kubeconfig",
                                       kubeconfig,       "--manager", manager.url()};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), about.begin(), about.end());
    return Trace(more);
  };
  const auto authority = "--manager-certificate-authority=" +
                         (certificates.path() / "kube-controller-manager.crt").string();

  std::string story;
  ASSERT_TRUE(Eventually([&] {
    story = with({authority});
    return story.find("exceeded quota") != std::string::npos;
  })) << story;
  EXPECT_THAT(story, StartsWith("deployment web in " + space + ": 0 of 2 pods are ready\n1. "));
  EXPECT_THAT(story.substr(0, 500), HasSubstr("exceeded quota: none"));
  EXPECT_THAT(story, Not(HasSubstr("No manager tells")));
  EXPECT_THAT(with({authority, "-o", "json"}), HasSubstr("\"replicaset-controller\""));

  // Whoever cannot be believed is not asked, and what is told then is told without it.
  EXPECT_THAT(with({}), HasSubstr("No manager tells what it did: "));
  EXPECT_THAT(with({"--manager-insecure-skip-tls-verify"}), HasSubstr("exceeded quota: none"));
  // Nobody but those who may.
  const std::string nobody = NewAccount({space, "nobody"});
  const auto refused = manager.Get("/debug/trace", {.token = nobody});
  ASSERT_TRUE(refused) << refused.error().Describe();
  EXPECT_EQ(refused->status, 403);
}

}  // namespace
}  // namespace flyball::cluster

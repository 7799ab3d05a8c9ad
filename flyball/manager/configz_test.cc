#include "flyball/manager/configz.h"

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <iterator>

#include "flyball/api/json.h"

namespace flyball::manager {
namespace {

/// Without white space, of which upstream's values have none.
std::string Compact(const std::string& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

TEST(Configz, IsUpstreamsByteForByteByDefault) {
  EXPECT_EQ(Configz(Options()), Compact(FLYBALL_CONTRACT "/configz.json"));
}

TEST(Configz, ShowsWhatWasSet) {
  Options options;
  options.generic.controllers = {"*", "-job"};
  options.generic.client.qps = 0.3F;
  options.generic.leader_migration.enabled = true;
  options.generic.leader_migration.migration = LeaderMigration::Default();
  options.node_ipam.service_cluster_ip_range = "10.0.0.0/16,fd00::/108";
  options.horizontal_pod_autoscaler.tolerance = 1e-3;
  const auto config = api::Json::Parse(Configz(options));
  ASSERT_TRUE(config);
  const api::Json& root = *config->Find("kubecontrollermanager.config.k8s.io");
  EXPECT_EQ(root.Find("Generic")->Find("Controllers")->ToString(), R"(["*","-job-controller"])");
  EXPECT_EQ(root.Find("Generic")->Find("ClientConnection")->Find("qps")->ToString(), "0.3");
  EXPECT_EQ(root.Find("Generic")->Find("LeaderMigration")->ToString(),
            R"({"controllerLeaders":[{"component":"*","name":"route-controller"},)"
            R"({"component":"*","name":"service-controller"},)"
            R"({"component":"*","name":"cloud-node-lifecycle-controller"}],)"
            R"("leaderName":"cloud-provider-extraction-migration","resourceLock":"leases"})");
  EXPECT_EQ(root.Find("NodeIPAMController")->Find("ServiceCIDR")->ToString(), R"("10.0.0.0/16")");
  EXPECT_EQ(root.Find("NodeIPAMController")->Find("SecondaryServiceCIDR")->ToString(),
            R"("fd00::/108")");
  EXPECT_EQ(root.Find("HPAController")->Find("HorizontalPodAutoscalerTolerance")->ToString(),
            "0.001");
}

}  // namespace
}  // namespace flyball::manager

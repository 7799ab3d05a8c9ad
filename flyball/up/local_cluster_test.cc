#include "flyball/up/local_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/up/cluster_status_watcher.h"

namespace flyball::up {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;

std::vector<const controllers::Entry*> AllControllers() {
  std::vector<const controllers::Entry*> all;
  for (const controllers::Entry& entry : controllers::All()) all.push_back(&entry);
  return all;
}

class LocalClusterTest : public testing::Test {
 protected:
  std::unique_ptr<LocalCluster> Start(LocalCluster::Options options) {
    auto cluster = LocalCluster::Start(
        {.executor = executor_, .timers = timers_, .network = network_}, std::move(options), {});
    EXPECT_TRUE(cluster) << cluster.error().Describe();
    return cluster ? *std::move(cluster) : nullptr;
  }
  bool Eventually(const std::function<bool()>& holds) {
    const SteadyTime deadline = clock_.DeadlineAfter(60s);
    while (!holds()) {
      if (clock_.SteadyNow() > deadline) return false;
      clock_.SleepFor(20ms);
    }
    return true;
  }

  RealClock clock_;
  ElasticExecutor executor_{clock_};
  Timers timers_{executor_};
  transport::Network network_{executor_};
};

TEST_F(LocalClusterTest, RunsAPodFromNothing) {
  const auto cluster =
      Start({.nodes = 2, .timings = {.start = 1ms, .ready = 1ms}, .controllers = AllControllers()});
  ASSERT_TRUE(cluster);
  EXPECT_THAT(cluster->access().url, testing::StartsWith("https://127.0.0.1:"));
  // The controller that makes accounts has to be up: pods are not taken before.
  const auto accounts = cluster->client().Of<core::v1::ServiceAccount>();
  ASSERT_TRUE(Eventually([&] { return accounts.Get({"default", "default"}).has_value(); }));

  const auto informers = cluster->NewInformers();
  ClusterStatusWatcher watcher({.clock = clock_,
                                .informers = *informers,
                                .controllers = [&] { return cluster->Controllers(); },
                                .server = cluster->access().url});
  informers->Start();
  Pod pod;
  pod.metadata.name = "web";
  pod.metadata.namespace_ = "default";
  auto& container = pod.spec.containers.emplace_back();
  container.name = container.image = "web";
  const auto created = cluster->client().Of<Pod>().Create(pod);
  ASSERT_TRUE(created) << created.error().Describe();
  EXPECT_TRUE(Eventually([&] { return watcher.Look().pods == PodCounts{.ready = 1}; }));

  const Snapshot seen = watcher.Look();
  EXPECT_THAT(seen.nodes, testing::SizeIs(2));
  EXPECT_EQ(seen.nodes[0].pods + seen.nodes[1].pods, 1);
  EXPECT_EQ(seen.controllers.size(), cluster->Controllers().size());
  EXPECT_TRUE(std::ranges::any_of(seen.controllers, [](const ControllerLine& controller) {
    return controller.name == "serviceaccount-controller" && controller.reconciles > 0;
  }));
}

TEST_F(LocalClusterTest, AServiceHasAnAddressAndSaysWhereItsPodsAre) {
  const auto cluster =
      Start({.nodes = 1, .timings = {.start = 1ms, .ready = 1ms}, .controllers = AllControllers()});
  ASSERT_TRUE(cluster);
  const auto accounts = cluster->client().Of<core::v1::ServiceAccount>();
  ASSERT_TRUE(Eventually([&] { return accounts.Get({"default", "default"}).has_value(); }));

  core::v1::Service service;
  service.metadata.name = "web";
  service.metadata.namespace_ = "default";
  service.spec.selector["app"] = "web";
  service.spec.ports.emplace_back().port = 80;
  const auto served = cluster->client().Of<core::v1::Service>().Create(service);
  ASSERT_TRUE(served) << served.error().Describe();
  EXPECT_NE(served->spec.clusterIP, "");
  Pod pod;
  pod.metadata.name = "web";
  pod.metadata.namespace_ = "default";
  pod.metadata.labels["app"] = "web";
  auto& container = pod.spec.containers.emplace_back();
  container.name = container.image = "web";
  ASSERT_TRUE(cluster->client().Of<Pod>().Create(pod));

  const auto slices = cluster->client().Of<discovery::v1::EndpointSlice>();
  EXPECT_TRUE(Eventually([&] {
    const auto all = slices.ListIn("default");
    return all && std::ranges::any_of(all->items, [](const discovery::v1::EndpointSlice& slice) {
             return slice.endpoints.size() == 1 && slice.endpoints[0].conditions.ready == true &&
                    !slice.endpoints[0].addresses.empty() && slice.ports.at(0).port == 80;
           });
  }));
}

TEST_F(LocalClusterTest, AClaimGetsAVolumeOfTheDefaultClassWhichGoesWithIt) {
  const auto cluster = Start({.nodes = 2,
                              .timings = {.start = 1ms, .ready = 1ms, .stop = 1ms},
                              .storage = {.provision = 1ms, .remove = 1ms, .resize = 1ms},
                              .controllers = AllControllers()});
  ASSERT_TRUE(cluster);
  const client::Client& client = cluster->client();
  const auto accounts = client.Of<core::v1::ServiceAccount>();
  ASSERT_TRUE(Eventually([&] { return accounts.Get({"default", "default"}).has_value(); }));

  core::v1::PersistentVolumeClaim claim;
  claim.metadata.name = "data";
  claim.metadata.namespace_ = "default";
  claim.spec.accessModes = {"ReadWriteOnce"};
  claim.spec.resources.requests["storage"] = api::Quantity::Parse("1Gi").value();
  const auto claims = client.Of<core::v1::PersistentVolumeClaim>();
  const auto made = claims.Create(claim);
  ASSERT_TRUE(made) << made.error().Describe();
  EXPECT_EQ(made->spec.storageClassName, "standard");
  Pod pod;
  pod.metadata.name = "db";
  pod.metadata.namespace_ = "default";
  auto& container = pod.spec.containers.emplace_back();
  container.name = container.image = "db";
  auto& volume = pod.spec.volumes.emplace_back();
  volume.name = "data";
  volume.persistentVolumeClaim.emplace().claimName = "data";
  ASSERT_TRUE(client.Of<Pod>().Create(pod));

  const auto capacity = [&] {
    const auto now = claims.Get({"default", "data"});
    const auto* const size = now ? now->status.capacity.find("storage") : nullptr;
    return size == nullptr ? std::string() : size->ToString();
  };
  const auto runs = [&] {
    const auto now = client.Of<Pod>().Get({"default", "db"});
    return now && now->status.phase == "Running";
  };
  EXPECT_TRUE(Eventually([&] { return runs() && capacity() == "1Gi"; }));
  ASSERT_TRUE(claims.Patch(
      {"default", "data"},
      {client::PatchType::kMerge, R"({"spec":{"resources":{"requests":{"storage":"2Gi"}}}})"}));
  EXPECT_TRUE(Eventually([&] { return capacity() == "2Gi"; }));

  ASSERT_TRUE(claims.Delete({"default", "data"}));
  ASSERT_TRUE(client.Of<Pod>().Delete({"default", "db"}));
  EXPECT_TRUE(Eventually([&] {
    const auto left = client.Of<core::v1::PersistentVolume>().ListIn("");
    return left && left->items.empty();
  }));
}

TEST_F(LocalClusterTest, TellsThoseWhoMayKnowWhatItsControllersDid) {
  const auto cluster = Start({.nodes = 0, .controllers = AllControllers()});
  ASSERT_TRUE(cluster);
  const auto accounts = cluster->client().Of<core::v1::ServiceAccount>();
  ASSERT_TRUE(Eventually([&] { return accounts.Get({"default", "default"}).has_value(); }));

  client::RestRequest request;
  request.path = "/debug/trace";
  request.query = "controller=serviceaccount-controller&key=default";
  const auto answer = cluster->client().rest().Do(request);
  ASSERT_TRUE(answer) << answer.error().Describe();
  const auto page = api::Json::Parse(answer->body);
  ASSERT_TRUE(page);
  EXPECT_THAT(answer->body, testing::HasSubstr("\"resource\": \"serviceaccounts\""));
  EXPECT_THAT(answer->body, testing::HasSubstr("\"cause\": \"namespaces default "));
  EXPECT_THAT(answer->body, testing::Not(testing::HasSubstr("kube-system")));
}

TEST_F(LocalClusterTest, WithoutControllersAndNodesTheServerStandsAlone) {
  const auto cluster = Start({.nodes = 0});
  ASSERT_TRUE(cluster);
  EXPECT_TRUE(cluster->Controllers().empty());
  EXPECT_TRUE(cluster->client().Of<core::v1::Node>().ListIn("")->items.empty());
}

TEST_F(LocalClusterTest, APortThatIsTakenIsNamed) {
  const auto first = Start({.nodes = 0});
  ASSERT_TRUE(first);
  const std::string url = first->access().url;
  const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  const auto second =
      LocalCluster::Start({.executor = executor_, .timers = timers_, .network = network_},
                          {.port = port, .nodes = 0}, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().Describe(), testing::HasSubstr(std::to_string(port)));
}

}  // namespace
}  // namespace flyball::up

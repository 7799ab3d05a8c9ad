#include "flyball/controllers/endpoint_slice/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fixture.h"
#include "flyball/controllers/endpoint_slice/pod_endpoint.h"

/// Hints: hints_test.cc. Random changes of many pods: random_changes_test.cc.
namespace flyball::controllers::endpoint_slice {
namespace {

using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kSlices[] = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";

TEST_F(EndpointSliceTest, SaysWhichPodsAServiceHas) {
  PlayIt([&] {
    const Service service = CreateService();
    CreatePod("a", "10.1.0.1");
    CreatePod("b", "10.1.0.2");
    CreatePod("c", "10.1.0.3", [](Pod& pod) { pod.metadata.labels = {{"app", "db"}}; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a b"));
    const Slice slice = Slices()[0];
    EXPECT_THAT(slice.metadata.name, StartsWith("web-"));
    EXPECT_TRUE(IsOwnedBy(service, slice));
    EXPECT_EQ(slice.addressType, "IPv4");
    EXPECT_EQ(slice.endpoints[0].nodeName, "node");
    EXPECT_EQ(slice.endpoints[0].zone, "west");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(EndpointSliceTest, FollowsItsPods) {
  PlayIt([&] {
    CreateService();
    Settle();
    EXPECT_THAT(Told(), ElementsAre(""));
    CreatePod("a", "10.1.0.1");
    CreatePod("b", "10.1.0.2");
    Settle();
    SetReady("a", false);
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a(not ready) b"));
    DeletePod("b", 30);
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a(not ready) b(not ready)(ends)"));
    DeletePod("b");
    ChangePod("a", [](Pod& pod) { pod.metadata.labels = {{"app", "db"}}; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre(""));
    ChangePod("a", [](Pod& pod) { pod.metadata.labels = {{"app", "web"}}; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a(not ready)"));
  });
}

// The delete event has labels that no service selects: those of the write that ended the pod.
TEST_F(EndpointSliceTest, APodThatLosesItsLabelsWithItsLastFinalizerLeavesItsSlice) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1", [](Pod& pod) { pod.metadata.finalizers = {"example.com/hold"}; });
    DeletePod("a");
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a(not ready)(ends)"));
    ChangePod("a", [](Pod& pod) {
      pod.metadata.finalizers.clear();
      pod.metadata.labels = {{"app", "db"}};
    });
    Settle();
    EXPECT_THAT(Told(), ElementsAre(""));
  });
}

TEST_F(EndpointSliceTest, AChangeCostsOneWriteAndItsOwnAreNoNews) {
  PlayIt([&] {
    CreateService();
    Settle();
    CreatePod("a", "10.1.0.1");
    Settle();
    // A second after the slice was made: the watch may have told of it before the server answered.
    Pass(seconds(2));
    TakeSent();
    const std::string before = Syncs();
    SetReady("a", false);
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), ElementsAre(StartsWith(std::string("PUT ") + kSlices)));
    EXPECT_EQ(std::stoi(Syncs()), std::stoi(before) + 1);
    ChangePod("a", [](Pod& pod) { pod.metadata.annotations["note"] = "none of its business"; });
    Pass(minutes(10));
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(EndpointSliceTest, FollowsItsService) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1");
    Settle();
    const std::string name = Slices()[0].metadata.name;
    ChangeService([](Service& service) {
      service.spec.ports[0].targetPort = api::IntOrString(9090);
      service.metadata.labels = {{"team", "blue"}};
    });
    Settle();
    EXPECT_THAT(Told(), ElementsAre("9090: a"));
    EXPECT_EQ(Slices()[0].metadata.name, name) << "the slice is used again";
    EXPECT_EQ(*Slices()[0].metadata.labels.find("team"), "blue");
    ChangeService([](Service& service) { service.spec.selector = {{"app", "db"}}; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre(""));
    ChangeService([](Service& service) { service.spec.selector.clear(); });
    CreatePod("b", "10.1.0.2", [](Pod& pod) { pod.metadata.labels = {{"app", "db"}}; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre("")) << "they are somebody else's now";
  });
}

TEST_F(EndpointSliceTest, LeavesServicesAloneThatHaveNoSlices) {
  PlayIt([&] {
    CreateService([](Service& service) {
      service.spec.type = "ExternalName";
      service.spec.externalName = "example.org";
      service.spec.ipFamilies.clear();
      service.spec.ports.clear();
    });
    CreateService([](Service& service) {
      service.metadata.name = "manual";
      service.spec.selector.clear();
    });
    CreatePod("a", "10.1.0.1");
    Pass(minutes(1));
    EXPECT_THAT(Slices(), IsEmpty());
  });
}

TEST_F(EndpointSliceTest, KnowsWhatWasThereBeforeIt) {
  CreateService();
  CreatePod("a", "10.1.0.1");
  PlayIt([&] {
    Settle();
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
}

TEST_F(EndpointSliceTest, WaitsForTheBatchPeriod) {
  PlayIt(
      [&] {
        CreateService();
        Settle();
        TakeSent();
        for (int i = 1; i <= 9; ++i) {
          CreatePod("p" + std::to_string(i), "10.1.0." + std::to_string(i));
          Pass(milliseconds(200));
        }
        EXPECT_THAT(TakeRequests(), IsEmpty());
        Pass(milliseconds(400));
        EXPECT_THAT(Told(), ElementsAre("8080: p1 p2 p3 p4 p5 p6 p7 p8 p9"));
        EXPECT_THAT(TakeRequests(), SizeIs(1));
      },
      {.updates_batch_period = seconds(2)});
}

TEST_F(EndpointSliceTest, SaysWhatItWasWrittenFor) {
  PlayIt([&] {
    const auto trigger = [&] {
      const auto annotations = Slices()[0].metadata.annotations;
      const std::string* const time =
          annotations.find("endpoints.kubernetes.io/last-change-trigger-time");
      return time == nullptr ? "" : *time;
    };
    const Service service = CreateService();
    Settle();
    EXPECT_EQ(trigger(), service.metadata.creationTimestamp.ToString());
    Pass(seconds(10));
    CreatePod("a", "10.1.0.1");
    Settle();
    EXPECT_EQ(trigger(), api::Time(executor_.clock().WallNow()).WholeSeconds().ToString());
    Pass(seconds(10));
    ChangeService([](Service& its) { its.spec.ports[0].targetPort = api::IntOrString(1); });
    Settle();
    EXPECT_EQ(trigger(), "") << "it was nothing that has a time";
  });
}

TEST_F(EndpointSliceTest, RepairsWhatOthersDoToItsSlices) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1");
    Settle();
    Slice slice = Slices()[0];
    slice.endpoints.clear();
    Must(All<Slice>().Update(slice));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
    slice = Slices()[0];
    EXPECT_TRUE(All<Slice>().Delete({"shop", slice.metadata.name}));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
    // Given to somebody else it is that one's.
    slice = Slices()[0];
    slice.metadata.labels.insert_or_assign(common::kManagedByLabel, "people");
    Must(All<Slice>().Update(slice));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a", "8080: a"));
    // One that comes to be this service's is put in order.
    slice = Slices()[0];
    slice.metadata.labels.insert_or_assign(common::kManagedByLabel, std::string(kManager));
    slice.metadata.labels.insert_or_assign(common::kServiceNameLabel, "web");
    Must(All<Slice>().Update(slice));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
}

TEST_F(EndpointSliceTest, ASliceThatClaimsToBeAnothersIsReplaced) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1");
    Settle();
    Slice slice = Slices()[0];
    slice.metadata.labels.insert_or_assign(common::kServiceNameLabel, "db");
    Must(All<Slice>().Update(slice));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a", "8080: a"));
  });
}

TEST_F(EndpointSliceTest, LooksAfterSlicesThatItHasNotWrittenItself) {
  const Service service = CreateService();
  const Pod pod = CreatePod("a", "10.1.0.1");
  Slice slice = NewSlice(service, common::IpFamily::kV4, PortsFor(service, {8080}));
  const auto node = ViewOf(FakeNode("node", "west"));
  slice.endpoints = {EndpointOf(*ViewOf(pod), node.get(), service, common::IpFamily::kV4)};
  slice = Must(All<Slice>().Create(slice));
  PlayIt([&] {
    Settle();
    EXPECT_THAT(TakeRequests(), IsEmpty());
    EXPECT_TRUE(All<Slice>().Delete({"shop", slice.metadata.name}));
    Pass(seconds(2));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
}

TEST_F(EndpointSliceTest, MakesNothingForAServiceThatIsOnItsWayOut) {
  PlayIt([&] {
    CreateService([](Service& service) { service.metadata.finalizers = {"example.org/wait"}; });
    Settle();
    EXPECT_TRUE(All<Service>().Delete({"shop", "web"}));
    EXPECT_TRUE(All<Slice>().Delete({"shop", Slices()[0].metadata.name}));
    CreatePod("a", "10.1.0.1");
    Pass(seconds(5));
    EXPECT_THAT(Slices(), IsEmpty());
  });
}

TEST_F(EndpointSliceTest, APodOnANodeThatIsNotThereIsTriedAgain) {
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1", [](Pod& pod) { pod.spec.nodeName = "late"; });
    Settle();
    EXPECT_THAT(Told(), ElementsAre(""));
    CreateNode(FakeNode("late"));
    Pass(seconds(10));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
  EXPECT_THAT(events_.lines(),
              Contains("Warning FailedToUpdateEndpointSlices: Error updating Endpoint Slices for "
                       "Service shop/web: skipping Pod a for Service shop/web: Node late Not "
                       "Found"));
}

TEST_F(EndpointSliceTest, SeveralProblemsAreToldTogether) {
  PlayIt([&] {
    CreatePod("a", "10.1.0.1", [](Pod& pod) { pod.spec.nodeName = "late"; });
    CreatePod("b", "10.1.0.2", [](Pod& pod) { pod.spec.nodeName = "later"; });
    CreateService();
    Settle();
  });
  EXPECT_THAT(events_.lines(),
              Contains(HasSubstr("shop/web: [skipping Pod a for Service shop/web: Node late Not "
                                 "Found, skipping Pod b for Service shop/web: Node later Not "
                                 "Found]")));
}

TEST_F(EndpointSliceTest, WritesThatFailAreTriedAgainAndTold) {
  const Fault refused = faults_.On(Requests::Creates()).Once().Refuse(403);
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1");
    Pass(seconds(5));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre(StartsWith("Warning FailedToUpdateEndpointSlices: Error updating "
                                     "Endpoint Slices for Service shop/web: failed to create "
                                     "EndpointSlice for Service shop/web: ")));
  EXPECT_THAT(metrics_.Text(), HasSubstr("endpoint_slice_controller_syncs{result=\"error\"} 1\n"));
}

TEST_F(EndpointSliceTest, MakesNoSecondSliceThoughTheAnswerIsLost) {
  const Fault lost = faults_.On(Requests::Creates()).Once().LoseAnswer();
  PlayIt([&] {
    CreateService();
    CreatePod("a", "10.1.0.1");
    Pass(minutes(5));
    EXPECT_THAT(Told(), ElementsAre("8080: a"));
  });
  EXPECT_EQ(lost.count(), 1);
}

TEST_F(EndpointSliceTest, DeletesSlicesOfAFamilyThatTheServiceDoesNotHave) {
  PlayIt([&] {
    const Service service = CreateService();
    Slice slice = NewSlice(service, common::IpFamily::kV6, {});
    Must(All<Slice>().Create(slice));
    Pass(seconds(2));
    ASSERT_THAT(Slices(), SizeIs(1));
    EXPECT_EQ(Slices()[0].addressType, "IPv4");
  });
}

TEST_F(EndpointSliceTest, CountsWhatItDoes) {
  PlayIt(
      [&] {
        CreateService();
        for (int i = 1; i <= 5; ++i) {
          CreatePod("p" + std::to_string(i), "10.1.0." + std::to_string(i));
        }
        Settle();
        CreateService([](Service& service) {
          service.metadata.name = "near";
          service.spec.selector = {{"app", "none"}};
          service.spec.trafficDistribution = "PreferClose";
        });
        Settle();
        const std::string text = metrics_.Text();
        for (const char* const line :
             {"endpoints_desired 5\n", "num_endpoint_slices 4\n", "desired_endpoint_slices 4\n",
              "services_count_by_traffic_distribution{traffic_distribution=\"PreferClose\"} 1\n",
              "endpoints_added_per_sync_sum 5\n", "endpoints_removed_per_sync_sum 0\n",
              "endpointslices_changed_per_sync_count{topology=\"Disabled\",traffic_distribution="
              "\"PreferClose\"} 1\n"}) {
          EXPECT_THAT(text, HasSubstr(std::string("\nendpoint_slice_controller_") + line));
        }
        EXPECT_TRUE(All<Service>().Delete({"shop", "near"}));
        EXPECT_TRUE(All<Service>().Delete({"shop", "web"}));
        Settle();
        const std::string after = metrics_.Text();
        for (const char* const line :
             {"endpoints_desired 0\n", "num_endpoint_slices 0\n", "desired_endpoint_slices 0\n",
              "services_count_by_traffic_distribution{traffic_distribution=\"PreferClose\"} 0\n"}) {
          EXPECT_THAT(after, HasSubstr(std::string("\nendpoint_slice_controller_") + line));
        }
      },
      {.max_endpoints_per_slice = 2});
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice

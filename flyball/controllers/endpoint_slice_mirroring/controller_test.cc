#include "flyball/controllers/endpoint_slice_mirroring/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/endpoint_slice_mirroring/plan.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::endpoint_slice_mirroring {
namespace {

using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSlices = "/apis/discovery.k8s.io/v1/namespaces/team/endpointslices";

/// Endpoints that somebody writes by hand, in the namespace "team".
class MirroringTest : public ControllerFixture {
 protected:
  MirroringTest() { CreateNamespace("team"); }

  void PlayIt(const std::function<void()>& test) { PlayIt({}, test); }
  void PlayIt(const Options& options, const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all, options), test);
  }
  void Settle() { Pass(milliseconds(100)); }

  template <typename T>
  static T Must(Result<T> made) {
    if (made) return *std::move(made);
    ADD_FAILURE() << made.error().Describe();
    return {};
  }

  void CreateService(const api::Map<std::string>& selector = {}) {
    Service service;
    service.metadata.namespace_ = "team";
    service.metadata.name = "db";
    service.spec.selector = selector;
    auto& port = service.spec.ports.emplace_back();
    port.port = 5432;
    port.protocol = "TCP";
    Must(All<Service>().Create(service));
  }
  void Select(const api::Map<std::string>& selector) {
    Service service = Must(All<Service>().Get({"team", "db"}));
    service.spec.selector = selector;
    Must(All<Service>().Update(service));
  }
  static void Fill(Endpoints& endpoints, const std::vector<std::string>& ips) {
    endpoints.subsets.clear();
    auto& subset = endpoints.subsets.emplace_back();
    for (const std::string& ip : ips) subset.addresses.emplace_back().ip = ip;
    auto& port = subset.ports.emplace_back();
    port.port = 5432;
    port.protocol = "TCP";
  }
  void CreateEndpoints(
      const std::vector<std::string>& ips,
      const std::function<void(Endpoints&)>& change = [](Endpoints&) {}) {
    Endpoints endpoints;
    endpoints.metadata.namespace_ = "team";
    endpoints.metadata.name = "db";
    Fill(endpoints, ips);
    change(endpoints);
    Must(All<Endpoints>().Create(endpoints));
  }
  void ChangeEndpoints(const std::function<void(Endpoints&)>& change) {
    Endpoints endpoints = Must(All<Endpoints>().Get({"team", "db"}));
    change(endpoints);
    Must(All<Endpoints>().Update(endpoints));
  }

  std::vector<EndpointSlice> Slices() { return Must(All<EndpointSlice>().ListIn("team")).items; }
  /// "IPv4 10.0.0.1 10.0.0.2" for each.
  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    for (const EndpointSlice& slice : Slices()) {
      std::string& line = lines.emplace_back(slice.addressType);
      for (const auto& endpoint : slice.endpoints) line += " " + endpoint.addresses.at(0);
    }
    std::ranges::sort(lines);
    return lines;
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(MirroringTest, FollowTheEndpoints) {
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1", "fd00::1"});
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1", "IPv6 fd00::1"));
    ChangeEndpoints([](Endpoints& its) { Fill(its, {"10.0.0.1", "10.0.0.2"}); });
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1 10.0.0.2"));
    ChangeEndpoints([](Endpoints& its) { its.subsets.clear(); });
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    EXPECT_THAT(TakeSent(), SizeIs(5));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
  const std::string page = metrics_.Text();
  EXPECT_THAT(page,
              HasSubstr("endpoint_slice_mirroring_controller_changes{operation=\"create\"} 2"));
  EXPECT_THAT(page,
              HasSubstr("endpoint_slice_mirroring_controller_changes{operation=\"update\"} 1"));
  EXPECT_THAT(page,
              HasSubstr("endpoint_slice_mirroring_controller_changes{operation=\"delete\"} 2"));
  EXPECT_THAT(page,
              HasSubstr("endpoint_slice_mirroring_controller_endpoints_added_per_sync_sum 3"));
  EXPECT_THAT(page,
              HasSubstr("endpoint_slice_mirroring_controller_endpoints_removed_per_sync_sum 3"));
  EXPECT_THAT(page, HasSubstr("endpoint_slice_mirroring_controller_endpoints_sync_duration_count"));
  EXPECT_THAT(page, HasSubstr("endpoint_slice_mirroring_controller_num_endpoint_slices 0"));
}

TEST_F(MirroringTest, OnlyThoseOfAServiceWithoutASelectorAreMirrored) {
  PlayIt([&] {
    CreateEndpoints({"10.0.0.1"});
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    CreateService({{"app", "db"}});
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    Select({});
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1"));
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("endpoint_slice_mirroring_controller_endpoints_desired 1"));
    Select({{"app", "db"}});
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("endpoint_slice_mirroring_controller_endpoints_desired 0"));
    Select({});
    Settle();
    EXPECT_THAT(Lines(), SizeIs(1));
    EXPECT_TRUE(All<Service>().Delete({"team", "db"}));
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
  });
}

TEST_F(MirroringTest, GoWithTheEndpoints) {
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Settle();
    EXPECT_THAT(Lines(), SizeIs(1));
    EXPECT_TRUE(All<Endpoints>().Delete({"team", "db"}));
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
  });
}

TEST_F(MirroringTest, WhoWantsNoneSaysSoAndMayThinkAgain) {
  PlayIt([&] {
    CreateService();
    const std::string label = "endpointslice.kubernetes.io/skip-mirror";
    CreateEndpoints({"10.0.0.1"}, [&](Endpoints& its) { its.metadata.labels[label] = "true"; });
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    ChangeEndpoints([&](Endpoints& its) { its.metadata.labels[label] = "false"; });
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1"));
    ChangeEndpoints([&](Endpoints& its) {
      its.metadata.annotations["control-plane.alpha.kubernetes.io/leader"] = "{}";
    });
    Settle();
    EXPECT_THAT(Lines(), IsEmpty());
    // While they are a lock, what is in them is nobody's matter.
    TakeSent();
    ChangeEndpoints([](Endpoints& its) { Fill(its, {"10.0.0.2"}); });
    Settle();
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(MirroringTest, AMirrorThatSomebodyChangesOrDeletesIsPutRight) {
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Settle();
    EndpointSlice slice = Slices().at(0);
    slice.endpoints[0].addresses = {"10.6.6.6"};
    Must(All<EndpointSlice>().Update(slice));
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1"));
    // Also its labels, but of annotations nobody hears.
    slice = Slices().at(0);
    slice.metadata.labels["more"] = "yes";
    Must(All<EndpointSlice>().Update(slice));
    Settle();
    EXPECT_FALSE(Slices().at(0).metadata.labels.contains("more"));
    slice = Slices().at(0);
    slice.metadata.annotations["note"] = "theirs";
    Must(All<EndpointSlice>().Update(slice));
    Settle();
    EXPECT_TRUE(Slices().at(0).metadata.annotations.contains("note"));

    EXPECT_TRUE(All<EndpointSlice>().Delete({"team", slice.metadata.name}));
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1"));
    // One that is said to be another's is another's: there is a new one.
    slice = Slices().at(0);
    slice.metadata.labels["endpointslice.kubernetes.io/managed-by"] = "me";
    Must(All<EndpointSlice>().Update(slice));
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1", "IPv4 10.0.0.1"));
    // And one that is said to be of another service goes, since that has no Endpoints.
    for (EndpointSlice& each : std::vector(Slices())) {
      if (!IsMirror(each)) continue;
      each.metadata.labels["kubernetes.io/service-name"] = "other";
      Must(All<EndpointSlice>().Update(each));
    }
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1", "IPv4 10.0.0.1"));
  });
}

TEST_F(MirroringTest, AtItsStartThoseOfEndpointsThatAreGoneGo) {
  EndpointSlice slice;
  slice.metadata.namespace_ = "team";
  slice.metadata.name = "left-over";
  slice.metadata.labels = {{"kubernetes.io/service-name", "db"},
                           {"endpointslice.kubernetes.io/managed-by", std::string(kManager)}};
  slice.addressType = "IPv4";
  slice.endpoints.emplace_back().addresses = {"10.0.0.1"};
  Must(All<EndpointSlice>().Create(slice));
  slice.metadata.name = "others";
  slice.metadata.labels["endpointslice.kubernetes.io/managed-by"] = "me";
  Must(All<EndpointSlice>().Create(slice));
  PlayIt([&] {
    Settle();
    EXPECT_THAT(TakeRequests(), ElementsAre(std::string("DELETE ") + kSlices + "/left-over"));
  });
}

TEST_F(MirroringTest, TooManyAddressesAreToldOf) {
  PlayIt({.most_per_subset = 2}, [&] {
    CreateService();
    CreateEndpoints({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
    Settle();
    EXPECT_THAT(Lines(), ElementsAre("IPv4 10.0.0.1 10.0.0.2"));
  });
  EXPECT_THAT(
      events_.lines(),
      testing::Each("Warning TooManyAddressesToMirror: A max of 2 addresses can be mirrored "
                    "to EndpointSlices per Endpoints subset. 1 addresses were skipped"));
  EXPECT_EQ(events_.recorded().at(0).about.kind, "Endpoints");
  EXPECT_EQ(events_.recorded().at(0).about.name, "db");
}

TEST_F(MirroringTest, ChangesOfSlicesAreCollectedForAsLongAsIsAskedFor) {
  PlayIt({.batch_period = seconds(5)}, [&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Settle();
    EXPECT_THAT(Lines(), SizeIs(1));
    Pass(seconds(10));
    EXPECT_TRUE(All<EndpointSlice>().Delete({"team", Slices().at(0).metadata.name}));
    Pass(seconds(4));
    EXPECT_THAT(Lines(), IsEmpty());
    Pass(seconds(2));
    EXPECT_THAT(Lines(), SizeIs(1));
  });
}

TEST_F(MirroringTest, AWriteThatFailsIsTriedAgainASecondLater) {
  const Fault refused = faults_.On(Requests::Creates()).Once().Refuse(403);
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Pass(milliseconds(900));
    EXPECT_EQ(refused.count(), 1);
    EXPECT_THAT(Lines(), IsEmpty());
    Pass(milliseconds(200));
    EXPECT_THAT(Lines(), SizeIs(1));
  });
}

TEST_F(MirroringTest, OneIsMadeOnceThoughTheAnswerIsLost) {
  const Fault lost = faults_.On(Requests::Creates()).Once().LoseAnswer();
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Pass(seconds(10));
    EXPECT_THAT(Lines(), SizeIs(1));
  });
  EXPECT_EQ(lost.count(), 1);
}

TEST_F(MirroringTest, InANamespaceThatGoesNothingIsMade) {
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Settle();
    EXPECT_TRUE(All<core::v1::Namespace>().Delete({"", "team"}));
    TakeSent();
    EXPECT_TRUE(All<EndpointSlice>().Delete({"team", Slices().at(0).metadata.name}));
    Pass(seconds(60));
    EXPECT_THAT(TakeRequests(), ElementsAre(std::string("POST ") + kSlices));
  });
}

TEST_F(MirroringTest, OneThatIsGoneAlreadyIsNoError) {
  PlayIt([&] {
    CreateService();
    CreateEndpoints({"10.0.0.1"});
    Settle();
    before_next_request_ = [&] {
      EXPECT_TRUE(All<EndpointSlice>().Delete({"team", Slices().at(0).metadata.name}));
    };
    ChangeEndpoints([](Endpoints& its) { its.subsets.clear(); });
    Pass(seconds(5));
    EXPECT_THAT(Lines(), IsEmpty());
    ChangeEndpoints([](Endpoints& its) { Fill(its, {"10.0.0.1"}); });
    Settle();
    EXPECT_THAT(Lines(), SizeIs(1));
    before_next_request_ = [&] {
      EXPECT_TRUE(All<EndpointSlice>().Delete({"team", Slices().at(0).metadata.name}));
    };
    EXPECT_TRUE(All<Endpoints>().Delete({"team", "db"}));
    Pass(seconds(5));
    EXPECT_THAT(Lines(), IsEmpty());
  });
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice_mirroring

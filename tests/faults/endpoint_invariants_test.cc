#include "tests/faults/endpoint_invariants.h"

#include "gmock/gmock.h"

namespace flyball::faults {
namespace {

using api::ObjectKey;
using core::v1::Endpoints;
using core::v1::Pod;
using core::v1::Service;
using discovery::v1::EndpointSlice;
using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kWeb{"team", "web"};

class EndpointInvariantsTest : public testing::Test {
 protected:
  EndpointInvariantsTest() {
    TellOfService("web");
    TellOfPod("a");
    TellOfPod("b");
    TellOfEndpoints({"a", "b"});
    invariants_.Checkpoint();
  }

  void TellOfService(const std::string& app) {
    Service service;
    service.spec.selector["app"] = app;
    invariants_.TellOfService(kWeb, service);
  }
  void TellOfPod(const std::string& name, bool ready = true, const std::string& app = "web") {
    Pod pod;
    pod.metadata.name = name;
    pod.metadata.labels["app"] = app;
    auto& condition = pod.status.conditions.emplace_back();
    condition.type = "Ready";
    condition.status = ready ? "True" : "False";
    invariants_.TellOfPod(name, pod);
  }
  void TellOfEndpoints(const std::vector<std::string>& pods) {
    Endpoints endpoints;
    auto& subset = endpoints.subsets.emplace_back();
    for (const std::string& pod : pods) {
      subset.addresses.emplace_back().targetRef.emplace().uid = pod;
    }
    invariants_.TellOfEndpoints(kWeb, endpoints);
  }
  void TellOfSlice(const std::string& name, std::int32_t port,
                   const std::string& manager = "endpointslicemirroring-controller.k8s.io") {
    EndpointSlice slice;
    slice.metadata.namespace_ = "team";
    slice.metadata.labels = {{"kubernetes.io/service-name", "db"},
                             {"endpointslice.kubernetes.io/managed-by", manager}};
    slice.addressType = "IPv4";
    slice.ports.emplace_back().port = port;
    invariants_.TellOfSlice(name, slice);
  }

  std::vector<std::string> violations_;
  EndpointInvariants invariants_{violations_};
};

TEST_F(EndpointInvariantsTest, NoReadyPodLeaves) {
  TellOfEndpoints({"b"});
  EXPECT_THAT(violations_, ElementsAre("pod a is ready, and leaves the endpoints of web"));
}

TEST_F(EndpointInvariantsTest, PodsThatWereTouchedMay) {
  TellOfPod("a", false);
  TellOfPod("a");
  TellOfPod("b", true, "other");
  TellOfEndpoints({});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(EndpointInvariantsTest, PodsThatAreGoneMay) {
  invariants_.TellOfPod("a", std::nullopt);
  TellOfEndpoints({"b"});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(EndpointInvariantsTest, ThoseOfAServiceThatSelectsOtherwiseMay) {
  TellOfService("web");  // as it was
  TellOfService("other");
  TellOfEndpoints({});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(EndpointInvariantsTest, ThoseOfAServiceThatIsGoneMay) {
  invariants_.TellOfService(kWeb, std::nullopt);
  TellOfEndpoints({"a"});
  invariants_.TellOfEndpoints(kWeb, std::nullopt);
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(EndpointInvariantsTest, ThereAreNoTwoMirrorsOfTheSame) {
  TellOfSlice("one", 80);
  TellOfSlice("one", 80);
  TellOfSlice("two", 81);
  TellOfSlice("others", 80, "somebody");
  EXPECT_THAT(violations_, IsEmpty());
  TellOfSlice("two", 80);
  EXPECT_THAT(violations_, ElementsAre("endpoints db have two mirrors of IPv4 at :80/ "));
  invariants_.TellOfSlice("one", std::nullopt);
  invariants_.TellOfSlice("two", std::nullopt);
  TellOfSlice("three", 80);
  EXPECT_THAT(violations_, testing::SizeIs(1));
}

}  // namespace
}  // namespace flyball::faults

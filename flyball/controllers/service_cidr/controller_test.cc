#include "flyball/controllers/service_cidr/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/networking/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::service_cidr {
namespace {

using networking::v1::IPAddress;
using networking::v1::ServiceCIDR;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kPath = "PATCH /apis/networking.k8s.io/v1/servicecidrs/";
constexpr const char* kAddFinalizer =
    R"({"metadata":{"finalizers":["networking.k8s.io/service-cidr-finalizer"]}})";

class ServiceCidrTest : public ControllerFixture {
 protected:
  void Create(const std::string& name, std::vector<std::string> cidrs) {
    ServiceCIDR range;
    range.metadata.name = name;
    range.spec.cidrs = std::move(cidrs);
    const auto created = All<ServiceCIDR>().Create(range);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void Delete(const std::string& name) { EXPECT_TRUE(All<ServiceCIDR>().Delete({"", name})); }
  void TakeAddress(const std::string& name) {
    IPAddress address;
    address.metadata.name = name;
    address.metadata.labels["ipaddress.kubernetes.io/managed-by"] = "ipallocator.k8s.io";
    address.metadata.labels["ipaddress.kubernetes.io/ip-family"] = "IPv4";
    auto& parent = address.spec.parentRef.emplace();
    parent.resource = "services";
    parent.namespace_ = "default";
    parent.name = "web";
    const auto created = All<IPAddress>().Create(address);
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void FreeAddress(const std::string& name) { EXPECT_TRUE(All<IPAddress>().Delete({"", name})); }
  bool Exists(const std::string& name) { return All<ServiceCIDR>().Get({"", name}).has_value(); }
  std::string ReadyOf(const std::string& name) {
    const auto range = All<ServiceCIDR>().Get({"", name});
    if (!range || range->status.conditions.size() != 1) return "nothing";
    const auto& condition = range->status.conditions[0];
    return condition.type + " " + condition.status + " " + condition.reason;
  }

  void Run(const std::function<void()>& test) {
    auto all = deps();
    all.events = events_.Maker();
    Play(Make(all), test);
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(ServiceCidrTest, ANewRangeIsProtectedAndReady) {
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].request, std::string(kPath) + "it");
    EXPECT_EQ(sent[0].body, kAddFinalizer);
    EXPECT_THAT(sent[1].request, HasSubstr(std::string(kPath) + "it/status?"));
    EXPECT_THAT(sent[1].request, HasSubstr("fieldManager=service-cidr-controller"));
    EXPECT_THAT(sent[1].request, HasSubstr("force=true"));
    EXPECT_EQ(ReadyOf("it"), "Ready True ");
    Pass(seconds(60));
    EXPECT_THAT(TakeSent(), IsEmpty());
  });
}

TEST_F(ServiceCidrTest, ARangeThatNobodyNeedsGoesAfterTenSeconds) {
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    Pass(seconds(1));
    Delete("it");
    Pass(seconds(9));
    EXPECT_TRUE(Exists("it"));
    TakeSent();
    Pass(seconds(3));
    EXPECT_FALSE(Exists("it"));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].request, std::string(kPath) + "it");
    EXPECT_EQ(sent[0].body, R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)"
                            R"(["networking.k8s.io/service-cidr-finalizer"]}})");
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(ServiceCidrTest, ARangeStaysUntilItsLastAddressIsFree) {
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    TakeAddress("10.7.0.1");
    TakeAddress("10.7.0.2");
    Pass(seconds(1));
    Delete("it");
    Pass(seconds(60));
    EXPECT_EQ(ReadyOf("it"), "Ready False Terminating");
    FreeAddress("10.7.0.1");
    Pass(seconds(60));
    EXPECT_TRUE(Exists("it"));
    FreeAddress("10.7.0.2");
    Pass(seconds(1));
    EXPECT_FALSE(Exists("it"));
  });
}

TEST_F(ServiceCidrTest, AnAddressThatIsTakenWhileItGoesKeepsIt) {
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    Pass(seconds(1));
    Delete("it");
    Pass(seconds(5));
    TakeAddress("10.7.0.1");
    Pass(seconds(60));
    EXPECT_EQ(ReadyOf("it"), "Ready False Terminating");
  });
}

TEST_F(ServiceCidrTest, AnotherRangeMayTakeItsPlace) {
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    TakeAddress("10.7.0.1");
    Pass(seconds(1));
    Delete("it");
    Pass(seconds(60));
    EXPECT_TRUE(Exists("it"));
    Create("larger", {"10.7.0.0/16"});
    Pass(seconds(2));
    EXPECT_FALSE(Exists("it"));
    EXPECT_EQ(ReadyOf("larger"), "Ready True ");
  });
}

TEST_F(ServiceCidrTest, WhoCannotSayThatItIsReadyTellsPeople) {
  faults_.On(Requests::Patches()).After(1).Once().Refuse(500);
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    Pass(seconds(10));
    EXPECT_EQ(ReadyOf("it"), "Ready True ");
  });
  EXPECT_THAT(events_.lines(),
              ElementsAre("Warning KubernetesServiceCIDRError: The ServiceCIDR Status can not be "
                          "set to Ready=True"));
}

TEST_F(ServiceCidrTest, ItGivesUpAfterFifteenRetriesUntilSomethingChanges) {
  auto refused = faults_.On(Requests::Patches()).Refuse(500);
  Run([&] {
    Create("it", {"10.7.0.0/24"});
    Pass(std::chrono::hours(1));
    EXPECT_EQ(TakeSent().size(), 16U);
    refused.Lift();
    EXPECT_TRUE(All<ServiceCIDR>().Patch(
        {"", "it"}, {client::PatchType::kMerge, R"({"metadata":{"labels":{"a":"b"}}})"}));
    Pass(seconds(1));
    EXPECT_EQ(ReadyOf("it"), "Ready True ");
  });
}

TEST_F(ServiceCidrTest, OneThatIsGoneMeanwhileNeedsNothing) {
  Run([&] {
    before_next_request_ = [&] { Delete("it"); };
    Create("it", {"10.7.0.0/24"});
    Pass(seconds(60));
    EXPECT_FALSE(Exists("it"));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

}  // namespace
}  // namespace flyball::controllers::service_cidr

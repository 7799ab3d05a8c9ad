#include "flyball/controllers/service_cidr/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/time.h"

namespace flyball::controllers::service_cidr {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime kNow = WallTime(seconds(1'000'000));
constexpr const char* kStays =
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new "
    "ServiceCIDR";

using RangeRef = std::shared_ptr<const ServiceCIDR>;
using AddressRef = std::shared_ptr<const IPAddress>;

ServiceCIDR Range(const std::string& name, std::vector<std::string> cidrs) {
  ServiceCIDR range;
  range.metadata.name = name;
  range.metadata.finalizers = {std::string(kFinalizer)};
  range.spec.cidrs = std::move(cidrs);
  return range;
}
/// One that was deleted so long ago.
ServiceCIDR Going(const std::string& name, std::vector<std::string> cidrs,
                  seconds since = seconds(60)) {
  ServiceCIDR range = Range(name, std::move(cidrs));
  range.metadata.deletionTimestamp = api::Time(kNow - since);
  return range;
}
RangeRef Ref(ServiceCIDR range) { return std::make_shared<const ServiceCIDR>(std::move(range)); }

IPAddress Address(const std::string& name, const std::string& family = "IPv4") {
  IPAddress address;
  address.metadata.name = name;
  address.metadata.labels["ipaddress.kubernetes.io/managed-by"] = "ipallocator.k8s.io";
  address.metadata.labels["ipaddress.kubernetes.io/ip-family"] = family;
  return address;
}
AddressRef Ref(IPAddress address) { return std::make_shared<const IPAddress>(std::move(address)); }

meta::v1::Condition Condition(const std::string& status, const std::string& reason,
                              const std::string& message) {
  meta::v1::Condition condition;
  condition.type = "Ready";
  condition.status = status;
  condition.reason = reason;
  condition.message = message;
  condition.lastTransitionTime = api::Time(kNow);
  return condition;
}

/// What is done about the first of these.
std::string PlanText(const std::vector<ServiceCIDR>& ranges,
                     const std::vector<IPAddress>& addresses = {}) {
  std::vector<RangeRef> all;
  for (const ServiceCIDR& range : ranges) all.push_back(Ref(range));
  std::vector<AddressRef> taken;
  for (const IPAddress& address : addresses) taken.push_back(Ref(address));
  return PlanFor(ranges.front(), all, taken, kNow).ToString();
}

TEST(ServiceCidrPlan, ANewRangeIsProtectedAndSaidToBeReady) {
  ServiceCIDR range = Range("new", {"10.7.0.0/24"});
  range.metadata.finalizers = {"example.com/other"};
  const Plan plan = PlanFor(range, {}, {}, kNow);
  EXPECT_EQ(plan, (Plan{.add_finalizer = true,
                        .condition = Condition("True", "", "Kubernetes Service CIDR is ready")}));
  EXPECT_EQ(plan.ToString(), "protect it, say that it is ready");
}

TEST(ServiceCidrPlan, WhatItSaysAlreadyIsNotSaidAgain) {
  ServiceCIDR range = Range("old", {"10.7.0.0/24"});
  auto& condition = range.status.conditions.emplace_back(
      Condition("True", "", "Kubernetes Service CIDR is ready"));
  condition.lastTransitionTime = api::Time(kNow - seconds(1000));
  EXPECT_EQ(PlanFor(range, {}, {}, kNow).ToString(), "leave it");
  condition.message = "somebody else's";
  EXPECT_EQ(PlanFor(range, {}, {}, kNow).ToString(), "say that it is ready");
  condition = Condition("True", "Why", "Kubernetes Service CIDR is ready");
  EXPECT_EQ(PlanFor(range, {}, {}, kNow).ToString(), "say that it is ready");
  condition = Condition("False", "", "Kubernetes Service CIDR is ready");
  EXPECT_EQ(PlanFor(range, {}, {}, kNow).ToString(), "say that it is ready");
}

TEST(ServiceCidrPlan, ARangeStaysAsLongAsAddressesNeedIt) {
  const ServiceCIDR range = Going("it", {"10.7.0.0/24"});
  const Plan plan =
      PlanFor(range, std::vector{Ref(range)}, std::vector{Ref(Address("10.7.0.9"))}, kNow);
  EXPECT_EQ(plan, (Plan{.condition = Condition("False", "Terminating", kStays)}));
  EXPECT_EQ(plan.ToString(), "say why it stays");
  ServiceCIDR told = range;
  told.status.conditions = {Condition("False", "Terminating", kStays)};
  EXPECT_EQ(PlanText({told}, {Address("10.7.0.9")}), "leave it");
  EXPECT_EQ(PlanText({told}), "let it go");
}

TEST(ServiceCidrPlan, AddressesThatAreNotItsOwnDoNotMatter) {
  const std::vector<ServiceCIDR> range = {Going("it", {"10.7.0.0/24", "fd00:7::/112"})};
  EXPECT_EQ(PlanText(range, {Address("10.8.0.9"), Address("fd00:8::9", "IPv6")}), "let it go");
  // Nobody gets the first of a range, nor the last one of IPv4.
  EXPECT_EQ(PlanText(range, {Address("10.7.0.0"), Address("10.7.0.255")}), "let it go");
  EXPECT_EQ(PlanText(range, {Address("fd00:7::", "IPv6")}), "let it go");
  EXPECT_EQ(PlanText(range, {Address("fd00:7::ffff", "IPv6")}), "say why it stays");
  EXPECT_EQ(PlanText(range, {Address("not an address")}), "let it go");
  EXPECT_EQ(PlanText(range, {Address("10.7.0.9", "IPv6")}), "let it go");
  IPAddress somebodys = Address("10.7.0.9");
  somebodys.metadata.labels["ipaddress.kubernetes.io/managed-by"] = "somebody";
  EXPECT_EQ(PlanText(range, {somebodys}), "let it go");
  somebodys.metadata.labels.clear();
  EXPECT_EQ(PlanText(range, {somebodys}), "let it go");
}

TEST(ServiceCidrPlan, AddressesThatAreInAnotherRangeTooDoNotMatter) {
  const ServiceCIDR range = Going("it", {"10.7.0.0/24"});
  const std::vector<IPAddress> taken = {Address("10.7.0.9")};
  EXPECT_EQ(PlanText({range, Range("same", {"10.7.0.0/24"})}, taken), "let it go");
  EXPECT_EQ(PlanText({range, Range("larger", {"10.7.0.0/16"})}, taken), "let it go");
  EXPECT_EQ(PlanText({range, Range("smaller", {"10.7.0.0/28"})}, taken), "let it go");
  EXPECT_EQ(PlanText({range, Range("the wrong half", {"10.7.0.128/25"})}, taken),
            "say why it stays");
  EXPECT_EQ(PlanText({range, Range("one that does not offer it", {"10.7.0.8/31"})}, taken),
            "say why it stays");
  EXPECT_EQ(PlanText({range, Going("one that goes too", {"10.7.0.0/16"})}, taken), "let it go");
}

TEST(ServiceCidrPlan, OfTwoFamiliesBothAreToBeCovered) {
  const ServiceCIDR range = Going("it", {"10.7.0.0/24", "fd00:7::/112"});
  const ServiceCIDR v4 = Range("v4", {"10.7.0.0/16"});
  EXPECT_EQ(PlanText({range, v4}, {Address("fd00:7::9", "IPv6")}), "say why it stays");
  EXPECT_EQ(PlanText({range, v4}, {Address("10.7.0.9")}), "let it go");
  EXPECT_EQ(PlanText({range, v4, Range("v6", {"fd00:7::/64"})}, {Address("fd00:7::9", "IPv6")}),
            "let it go");
}

TEST(ServiceCidrPlan, ARangeStaysUntilAllServersKnowThatItGoes) {
  const Plan plan = PlanFor(Going("it", {"10.7.0.0/24"}, seconds(4)), {}, {}, kNow);
  EXPECT_EQ(plan, (Plan{.wait = seconds(6)}));
  EXPECT_EQ(plan.ToString(), "wait until servers know that it goes");
  EXPECT_EQ(PlanText({Going("it", {"10.7.0.0/24"}, seconds(10))}), "let it go");
}

TEST(ServiceCidrPlan, ARangeThatGoesAtTheEndOfTimeWaitsForTheLongestTime) {
  ServiceCIDR range = Going("it", {"10.7.0.0/24"});
  range.metadata.deletionTimestamp = *api::Time::Parse("9999-12-31T23:59:59Z");
  EXPECT_EQ(PlanFor(range, {}, {}, kNow), (Plan{.wait = std::chrono::nanoseconds::max()}));
}

TEST(ServiceCidrPlan, WhatOthersStillHoldIsLeftToThem) {
  ServiceCIDR range = Going("it", {"10.7.0.0/24"});
  range.metadata.finalizers = {"example.com/other"};
  EXPECT_EQ(PlanFor(range, {}, {}, kNow), Plan());
}

TEST(ServiceCidrPlan, OnlyRangesThatGoWaitForSomething) {
  const std::vector<RangeRef> all = {Ref(Range("stays", {"10.7.0.0/24"})),
                                     Ref(Going("goes", {"10.7.0.0/24"})),
                                     Ref(Going("elsewhere", {"10.8.0.0/24"}))};
  EXPECT_THAT(WaitingFor(Address("10.7.0.9"), all), ElementsAre("goes"));
  EXPECT_THAT(WaitingFor(Address("10.7.0.0"), all), IsEmpty());
  EXPECT_THAT(WaitingFor(IPAddress(), all), IsEmpty());
  EXPECT_THAT(WaitingFor(Range("new", {"10.0.0.0/8", "fd00::/112"}), all),
              ElementsAre("goes", "elsewhere"));
  EXPECT_THAT(WaitingFor(Range("new", {"10.7.0.0/28", "nonsense"}), all), ElementsAre("goes"));
  EXPECT_THAT(WaitingFor(*all[1], all), IsEmpty());
}

TEST(ServiceCidrPlan, WhatIsSentSaysTheConditionAndNoMore) {
  EXPECT_EQ(ApplyConfiguration("it", Condition("True", "", "ready")).ToString(),
            R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"it"},)"
            R"("status":{"conditions":[{"lastTransitionTime":"1970-01-12T13:46:40Z",)"
            R"("message":"ready","reason":"","status":"True","type":"Ready"}]}})");
}

}  // namespace
}  // namespace flyball::controllers::service_cidr

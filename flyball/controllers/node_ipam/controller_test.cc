#include "flyball/controllers/node_ipam/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::node_ipam {
namespace {

using core::v1::Node;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class NodeIpamTest : public ControllerFixture {
 protected:
  static Node Named(const std::string& name, std::vector<std::string> ranges = {}) {
    Node node;
    node.metadata.name = name;
    node.spec.podCIDRs = std::move(ranges);
    return node;
  }
  Node Create(const Node& node) {
    auto created = All<Node>().Create(node);
    EXPECT_TRUE(created) << created.error().Describe();
    return *std::move(created);
  }
  void CreateNamed(const std::string& name) { Create(Named(name)); }
  void Delete(const std::string& name) { EXPECT_TRUE(All<Node>().Delete({"", name})); }
  std::vector<std::string> RangesOf(const std::string& name) {
    return All<Node>().Get({"", name})->spec.podCIDRs;
  }

  std::unique_ptr<runtime::Controller> MakeWith(Options options) {
    options.allocate = true;
    auto all = deps();
    all.events = events_.Maker();
    auto made = Make(all, options);
    EXPECT_TRUE(made) << made.error().Describe();
    return made ? *std::move(made) : nullptr;
  }
  void Run(const std::string& ranges, const std::function<void()>& test) {
    Play(MakeWith({.cluster_ranges = ranges}), test);
  }

  runtime::FakeEventRecorder events_;
};

TEST_F(NodeIpamTest, ANodeGetsARangeInOnePatch) {
  Run("10.244.0.0/16", [&] {
    const Node node = Create(Named("a"));
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].request, "PATCH /api/v1/nodes/a");
    EXPECT_EQ(sent[0].body,
              R"({"metadata":{"uid":")" + node.metadata.uid +
                  R"("},"spec":{"podCIDR":"10.244.0.0/24","podCIDRs":["10.244.0.0/24"]}})");
    EXPECT_THAT(RangesOf("a"), ElementsAre("10.244.0.0/24"));
    CreateNamed("b");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("b"), ElementsAre("10.244.1.0/24"));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(NodeIpamTest, OfTwoFamiliesItGetsOneOfEach) {
  Run("fd00:10::/48,10.244.0.0/16", [&] {
    CreateNamed("a");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("a"), ElementsAre("fd00:10::/64", "10.244.0.0/24"));
    EXPECT_EQ(All<Node>().Get({"", "a"})->spec.podCIDR, "fd00:10::/64");
  });
}

TEST_F(NodeIpamTest, WhatServicesHaveIsLeftOut) {
  Play(MakeWith({.cluster_ranges = "10.0.0.0/16", .service_ranges = "10.0.0.0/20,nonsense"}), [&] {
    CreateNamed("a");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("a"), ElementsAre("10.0.16.0/24"));
  });
}

TEST_F(NodeIpamTest, WhatNodesHadBeforeItStartedIsTheirs) {
  Create(Named("old", {"10.244.0.0/24"}));
  Create(Named("wide", {"10.244.2.0/23"}));
  CreateNamed("waiting");
  Run("10.244.0.0/16", [&] {
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("waiting"), ElementsAre("10.244.1.0/24"));
    CreateNamed("new");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("new"), ElementsAre("10.244.4.0/24"));
    EXPECT_THAT(TakeRequests(),
                ElementsAre("PATCH /api/v1/nodes/waiting", "PATCH /api/v1/nodes/new"));
  });
}

TEST_F(NodeIpamTest, WhereNoneIsLeftTheNodeSaysSoUntilAnotherGoes) {
  Run("10.244.0.0/23", [&] {
    for (const char* const name : {"a", "b"}) CreateNamed(name);
    Pass(seconds(1));
    CreateNamed("c");
    Pass(milliseconds(1));
    EXPECT_THAT(events_.lines(), ElementsAre("Normal CIDRNotAvailable: Node c status is now: "
                                             "CIDRNotAvailable"));
    const auto event = events_.recorded().front();
    EXPECT_EQ(event.about.kind, "Node");
    EXPECT_EQ(event.about.uid, All<Node>().Get({"", "c"})->metadata.uid);
    EXPECT_EQ(event.about.resourceVersion, "");
    const auto before = RangesOf("a");
    Delete("a");
    Pass(seconds(60));
    EXPECT_EQ(RangesOf("c"), before);
  });
}

TEST_F(NodeIpamTest, ANodeThatGoesGetsNone) {
  Node node = Named("a");
  node.metadata.finalizers = {"example.com/hold"};
  Create(node);
  Delete("a");
  Run("10.244.0.0/16", [&] { Pass(seconds(10)); });
  EXPECT_THAT(TakeRequests(), IsEmpty());
}

TEST_F(NodeIpamTest, NodesThatComeBeforeTheCacheShowsAnythingGetDifferentOnes) {
  faults_.OnEvents(Requests::Watches()).Delay(milliseconds(500));
  Run("10.244.0.0/21", [&] {
    for (const char* const name : {"a", "b", "c", "d"}) CreateNamed(name);
    Pass(seconds(5));
    std::vector<std::string> all;
    for (const char* const name : {"a", "b", "c", "d"}) all.push_back(RangesOf(name).at(0));
    EXPECT_THAT(all, UnorderedElementsAre("10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/24",
                                          "10.244.3.0/24"));
    EXPECT_EQ(TakeRequests().size(), 4U);
  });
}

TEST_F(NodeIpamTest, ALostAnswerDoesNotFreeWhatTheNodeMayHave) {
  // The server has heard of each of these, and the caches do not show it yet.
  const Fault lost = faults_.On(Requests::Patches()).Times(3).LoseAnswer();
  const Fault held = faults_.OnEvents(Requests::Watches()).After(2).Delay(seconds(20));
  Run("10.244.0.0/22", [&] {
    CreateNamed("a");
    CreateNamed("b");
    Pass(seconds(10));
    CreateNamed("c");
    Pass(seconds(60));
    std::vector<std::string> all;
    for (const char* const name : {"a", "b", "c"}) all.push_back(RangesOf(name).at(0));
    EXPECT_THAT(all, UnorderedElementsAre("10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/24"));
  });
  EXPECT_EQ(lost.count(), 3);
}

TEST_F(NodeIpamTest, WhatTheServerRefusedIsFreeAgain) {
  const Fault refused = faults_.On(Requests::Patches()).Times(3).Refuse(403);
  Run("10.244.0.0/24", [&] {
    CreateNamed("a");
    Pass(seconds(10));
    EXPECT_THAT(RangesOf("a"), ElementsAre("10.244.0.0/24"));
  });
  EXPECT_THAT(events_.lines(), ElementsAre("Normal CIDRAssignmentFailed: Node a status is now: "
                                           "CIDRAssignmentFailed"));
}

TEST_F(NodeIpamTest, AnotherNodeOfTheNameDoesNotGetWhatWasMeantForTheFirst) {
  Run("10.244.0.0/23", [&] {
    before_next_request_ = [&] {
      Delete("a");
      CreateNamed("a");
      CreateNamed("b");
    };
    CreateNamed("a");
    Pass(seconds(30));
    std::vector<std::string> all = {RangesOf("a").at(0), RangesOf("b").at(0)};
    EXPECT_THAT(all, UnorderedElementsAre("10.244.0.0/24", "10.244.1.0/24"));
  });
}

TEST_F(NodeIpamTest, ANodeThatWentMeanwhileIsNobodysTrouble) {
  Run("10.244.0.0/24", [&] {
    before_next_request_ = [&] { Delete("a"); };
    CreateNamed("a");
    Pass(seconds(1));
    CreateNamed("b");
    Pass(seconds(30));
    EXPECT_THAT(RangesOf("b"), ElementsAre("10.244.0.0/24"));
  });
  EXPECT_THAT(events_.lines(), IsEmpty());
}

TEST_F(NodeIpamTest, SomebodyElseMayHaveGivenItOneMeanwhile) {
  Run("10.244.0.0/23", [&] {
    before_next_request_ = [&] {
      EXPECT_TRUE(All<Node>().Patch(
          {"", "a"}, {client::PatchType::kMerge, R"({"spec":{"podCIDR":"10.244.1.0/24"}})"}));
    };
    CreateNamed("a");
    Pass(seconds(30));
    EXPECT_THAT(RangesOf("a"), ElementsAre("10.244.1.0/24"));
    CreateNamed("b");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("b"), ElementsAre("10.244.0.0/24"));
  });
}

TEST_F(NodeIpamTest, ANodeWithAForeignRangeIsNoHindranceToOthers) {
  Create(Named("foreign", {"192.168.0.0/24"}));
  Run("10.244.0.0/23", [&] {
    CreateNamed("a");
    Pass(seconds(1));
    EXPECT_THAT(RangesOf("a"), ElementsAre("10.244.0.0/24"));
    Delete("foreign");
    Pass(seconds(1));
  });
}

TEST_F(NodeIpamTest, ItIsOffUnlessAskedForAndErrorsSayWhy) {
  const auto off = Make(deps(), {.cluster_ranges = "nonsense"});
  ASSERT_TRUE(off);
  EXPECT_EQ(*off, nullptr);
  const auto wrong = Make(deps(), {.allocate = true, .cluster_ranges = "nonsense"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("invalid CIDR[0]"));
}

TEST_F(NodeIpamTest, NobodyGetsTheRangeOfANodeThatCannotBeDecoded) {
  faults_.OnEvents(Requests::Watches().Of("nodes")).Rewrite(Garble);
  Run("10.244.0.0/22", [&] {
    CreateNamed("a");
    Pass(seconds(1));
    ASSERT_THAT(RangesOf("a"), ElementsAre("10.244.0.0/24"));
    Node a = *All<Node>().Get({"", "a"});
    a.spec.taints.emplace_back().key = "example.com/undecodable";
    a.spec.taints.back().value = kUndecodable;
    a.spec.taints.back().effect = "NoSchedule";
    EXPECT_TRUE(All<Node>().Update(a));
    Pass(seconds(1));
    for (const char* name : {"b", "c", "d", "e"}) CreateNamed(name);
    Pass(seconds(100));
    EXPECT_THAT(RangesOf("b"), ElementsAre("10.244.1.0/24"));
    EXPECT_THAT(RangesOf("c"), ElementsAre("10.244.2.0/24"));
    EXPECT_THAT(RangesOf("d"), ElementsAre("10.244.3.0/24"));
    EXPECT_THAT(RangesOf("e"), IsEmpty());
    // With its deletion, which cannot be decoded either, its range comes back.
    Delete("a");
    Pass(seconds(3600));
    EXPECT_THAT(RangesOf("e"), ElementsAre("10.244.0.0/24"));
  });
}

}  // namespace
}  // namespace flyball::controllers::node_ipam

#include "flyball/controllers/claim_protection/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/controllers/common/internal/claim_fake.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/common/internal/undecodable_fake.h"

namespace flyball::controllers::claim_protection {
namespace {

using core::v1::PersistentVolumeClaim;
using core::v1::Pod;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kPut = "PUT /api/v1/namespaces/team/persistentvolumeclaims/data";

class ClaimProtectionTest : public ControllerFixture {
 protected:
  ClaimProtectionTest() {
    CreateNamespace("team");
    CreateServiceAccount("team");
  }

  void CreateClaim(const std::string& name = "data") {
    const auto created = All<PersistentVolumeClaim>().Create(FakeClaim(name));
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void Bind(const std::string& name = "data") {
    auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    claim->status.phase = "Bound";
    EXPECT_TRUE(All<PersistentVolumeClaim>().UpdateStatus(*claim));
  }
  void Delete(const std::string& name = "data") {
    EXPECT_TRUE(All<PersistentVolumeClaim>().Delete({"team", name}));
  }
  bool IsThere(const std::string& name = "data") {
    return All<PersistentVolumeClaim>().Get({"team", name}).has_value();
  }
  std::string UnusedOf(const std::string& name = "data") {
    const auto claim = All<PersistentVolumeClaim>().Get({"team", name});
    if (!claim || claim->status.conditions.size() != 1) return "nothing";
    return claim->status.conditions[0].type + " " + claim->status.conditions[0].status;
  }
  void CreatePod(const std::string& name, const std::string& claim = "data") {
    const auto created = All<Pod>().Create(WithClaim(FakeStoragePod(name), claim));
    EXPECT_TRUE(created) << created.error().Describe();
  }
  void DeletePod(const std::string& name) {
    meta::v1::DeleteOptions now;
    now.gracePeriodSeconds = 0;
    EXPECT_TRUE(All<Pod>().Delete({"team", name}, now));
  }
};

TEST_F(ClaimProtectionTest, AClaimThatNobodyUsesGoesWhenItIsDeleted) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Delete();
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(kPut));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(ClaimProtectionTest, AClaimGoesWithTheLastPodThatUsesIt) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    CreatePod("a");
    CreatePod("b");
    Delete();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    DeletePod("a");
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    DeletePod("b");
    Pass(seconds(1));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(ClaimProtectionTest, ItIsSaidWhetherABoundClaimIsUsed) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Bind();
    Pass(seconds(1));
    EXPECT_EQ(UnusedOf(), "Unused True");
    CreatePod("a");
    Pass(seconds(1));
    EXPECT_EQ(UnusedOf(), "Unused False");
    DeletePod("a");
    Pass(seconds(1));
    EXPECT_EQ(UnusedOf(), "Unused True");
    EXPECT_THAT(TakeRequests(),
                ElementsAre(std::string(kPut) + "/status", std::string(kPut) + "/status",
                            std::string(kPut) + "/status"));
  });
}

TEST_F(ClaimProtectionTest, WhatWasSaidBeforeAPodWentUnseenIsSetRight) {
  CreateClaim();
  auto claim = All<PersistentVolumeClaim>().Get({"team", "data"});
  claim->status.phase = "Bound";
  auto& condition = claim->status.conditions.emplace_back();
  condition.type = "Unused";
  condition.status = "False";
  EXPECT_TRUE(All<PersistentVolumeClaim>().UpdateStatus(*claim));
  Play(Make(deps(), {}), [&] {
    Pass(seconds(1));
    EXPECT_EQ(UnusedOf(), "Unused True");
  });
}

TEST_F(ClaimProtectionTest, NothingIsSaidWhereTheGateIsClosed) {
  Play(Make(deps(), {.says_unused = false}), [&] {
    CreateClaim();
    Bind();
    Pass(seconds(1));
    EXPECT_EQ(UnusedOf(), "nothing");
    EXPECT_THAT(TakeRequests(), IsEmpty());
  });
}

TEST_F(ClaimProtectionTest, AProtectionThatSomebodyTookAwayComesBack) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Bind();
    auto claim = All<PersistentVolumeClaim>().Get({"team", "data"});
    claim->metadata.finalizers.clear();
    EXPECT_TRUE(All<PersistentVolumeClaim>().Update(*claim));
    Pass(seconds(1));
    EXPECT_THAT(TakeRequests(), ElementsAre(std::string(kPut) + "/status", kPut));
    EXPECT_THAT(All<PersistentVolumeClaim>().Get({"team", "data"})->metadata.finalizers,
                ElementsAre("kubernetes.io/pvc-protection"));
  });
}

TEST_F(ClaimProtectionTest, APodThatTheCacheHasNotHeardOfKeepsItsClaim) {
  auto late = faults_.OnEvents(Requests::Watches().Of("pods")).Delay(seconds(30));
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Pass(seconds(1));
    CreatePod("a");
    Delete();
    Pass(seconds(20));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    DeletePod("a");
    Pass(seconds(120));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(ClaimProtectionTest, ForAllClaimsOfANamespaceTheServerIsAskedOnce) {
  int asked = 0;
  answer_instead_ = [&](const transport::Request& request) {
    if (request.method == "GET" && request.target.starts_with("/api/v1/namespaces/team/pods")) {
      ++asked;
    }
    return std::optional<transport::Response>();
  };
  Play(Make(deps(), {}), [&] {
    for (int i = 0; i < 20; ++i) CreateClaim("data-" + std::to_string(i));
    CreatePod("a", "data-7");
    Pass(seconds(1));
    for (int i = 0; i < 20; ++i) Delete("data-" + std::to_string(i));
    Pass(seconds(60));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(IsThere("data-" + std::to_string(i)), i == 7) << i;
    EXPECT_LE(asked, 3);
    DeletePod("a");
    Pass(seconds(1));
    EXPECT_FALSE(IsThere("data-7"));
  });
}

TEST_F(ClaimProtectionTest, WhatTheServerSaidOfAnotherVersionDoesNotCount) {
  auto late = faults_.OnEvents(Requests::Watches().Of("pods")).Delay(seconds(30));
  Play(Make(deps(), {}), [&] {
    CreateClaim("first");
    CreateClaim("second");
    Pass(seconds(1));
    Delete("first");
    // Asked for the first, while the second is not to go yet.
    Pass(seconds(1));
    CreatePod("a", "second");
    Delete("second");
    Pass(seconds(10));
    EXPECT_FALSE(IsThere("first"));
    EXPECT_TRUE(IsThere("second"));
  });
}

TEST_F(ClaimProtectionTest, WithoutAnAnswerNothingIsLetGo) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Pass(seconds(1));
    auto refused = faults_.On(Requests::Lists().Of("pods")).Refuse(500);
    Delete();
    Pass(seconds(60));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    refused.Lift();
    Pass(seconds(300));
    EXPECT_FALSE(IsThere());
  });
}

TEST_F(ClaimProtectionTest, WhatHasChangedMeanwhileIsLookedAtAgain) {
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Pass(seconds(1));
    // At the list of pods, which is the first that it asks for.
    before_next_request_ = [&] {
      EXPECT_TRUE(All<PersistentVolumeClaim>().Patch(
          {"team", "data"}, {client::PatchType::kMerge, R"({"metadata":{"labels":{"a":"b"}}})"}));
    };
    Delete();
    Pass(seconds(10));
    EXPECT_FALSE(IsThere());
    EXPECT_THAT(TakeRequests(), SizeIs(2));
  });
}

// Neither the cache nor the server's list shows which claims such a pod uses.
TEST_F(ClaimProtectionTest, ClaimOfAPodThatCannotBeDecodedStays) {
  faults_.OnEvents(Requests::Watches().Of("pods")).Rewrite(Garble);
  auto garbled_lists = faults_.On(Requests::Lists().Of("pods")).RewriteAnswer(Garble);
  Play(Make(deps(), {}), [&] {
    CreateClaim();
    Pod pod = WithClaim(FakeStoragePod("a"), "data");
    pod.spec.containers[0].image = kUndecodable;
    EXPECT_TRUE(All<Pod>().Create(pod));
    Pass(seconds(1));
    Delete();
    Pass(seconds(3600));
    EXPECT_TRUE(IsThere());
    EXPECT_THAT(TakeRequests(), IsEmpty());
    EXPECT_GT(garbled_lists.count(), 0);

    DeletePod("a");
    Pass(seconds(3600));
    EXPECT_FALSE(IsThere());
  });
}

}  // namespace
}  // namespace flyball::controllers::claim_protection

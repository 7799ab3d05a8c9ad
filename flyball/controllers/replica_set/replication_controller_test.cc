#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/controllers/common/controller_ref.h"
#include "flyball/controllers/common/internal/controller_fixture.h"
#include "flyball/controllers/replica_set/controller.h"
#include "flyball/runtime/event_recorder_fake.h"

namespace flyball::controllers::replica_set {
namespace {

using core::v1::Pod;
using core::v1::ReplicationController;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::SizeIs;

class ReplicationControllerTest : public ControllerFixture {
 protected:
  ReplicationControllerTest() { CreateServiceAccount("default"); }

  ReplicationController Create(std::int32_t replicas) {
    ReplicationController set;
    set.metadata.namespace_ = "default";
    set.metadata.name = "web";
    set.spec.replicas = replicas;
    core::v1::PodTemplateSpec& made_of = set.spec.template_.emplace();
    made_of.metadata.labels["app"] = "web";
    core::v1::Container& container = made_of.spec.containers.emplace_back();
    container.name = "main";
    container.image = "none";
    auto created = All<ReplicationController>().Create(set);
    EXPECT_TRUE(created) << created.error().Describe();
    return *std::move(created);
  }
  void PlayIt(const std::function<void()>& test) {
    runtime::Controller::Deps all = deps();
    all.events = [this](const std::string& component) {
      component_ = component;
      return events_.Maker()(component);
    };
    Play(MakeReplicationControllerController(all, {}), test);
  }

  runtime::FakeEventRecorder events_;
  std::string component_;
};

TEST_F(ReplicationControllerTest, DoesAsAReplicaSetDoesUnderItsOwnName) {
  PlayIt([&] {
    const ReplicationController set = Create(1);
    Pass(seconds(1));
    const auto sent = TakeSent();
    ASSERT_EQ(sent.size(), 2);
    EXPECT_EQ(sent[0].request, "POST /api/v1/namespaces/default/pods");
    const auto pod = api::DecodeJson<Pod>(sent[0].body);
    ASSERT_TRUE(pod);
    EXPECT_THAT(pod->metadata.ownerReferences, ElementsAre(common::ControllerRefTo(set)));
    EXPECT_EQ(pod->metadata.ownerReferences[0].apiVersion, "v1");
    EXPECT_EQ(pod->metadata.ownerReferences[0].kind, "ReplicationController");
    EXPECT_EQ(pod->metadata.generateName, "web-");
    EXPECT_EQ(sent[1].request, "PUT /api/v1/namespaces/default/replicationcontrollers/web/status");
    core::v1::ReplicationControllerStatus expected;
    expected.replicas = expected.fullyLabeledReplicas = 1;
    expected.observedGeneration = 1;
    EXPECT_EQ(All<ReplicationController>().Get({"default", "web"})->status, expected);
    ASSERT_THAT(events_.recorded(), SizeIs(1));
    EXPECT_EQ(events_.recorded()[0].about.kind, "ReplicationController");
    EXPECT_EQ(component_, "replication-controller");
  });
}

TEST_F(ReplicationControllerTest, RemovesPodsAndAdoptsThem) {
  PlayIt([&] {
    Create(2);
    Pass(seconds(1));
    // Its own default would be to let its pods go first, for which there is nobody here.
    meta::v1::DeleteOptions at_once;
    at_once.propagationPolicy = "Background";
    EXPECT_TRUE(All<ReplicationController>().Delete({"default", "web"}, at_once));
    Pass(seconds(1));
    const auto left = All<Pod>().ListIn("default");
    ASSERT_THAT(left->items, SizeIs(2));
    for (Pod freed : left->items) {
      freed.metadata.ownerReferences.clear();
      EXPECT_TRUE(All<Pod>().Update(freed));
    }
    Pass(seconds(1));
    TakeSent();
    Create(1);
    Pass(seconds(1));
    std::vector<std::string> methods;
    for (const std::string& request : TakeRequests()) {
      methods.push_back(request.substr(0, request.find(' ')));
    }
    EXPECT_THAT(methods, ElementsAre("PATCH", "PATCH", "DELETE", "PUT"));
    EXPECT_THAT(All<Pod>().ListIn("default")->items, SizeIs(1));
  });
}

}  // namespace
}  // namespace flyball::controllers::replica_set

#include "flyball/operator/controller_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
#include "flyball/testkit/test_cluster.h"
#include "tests/operator/gadget.h"

namespace flyball {
namespace {

using core::v1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testkit::TestCluster;

const std::string kCrd = OPERATOR_TESTS "/gadgets.yaml";

/// A cluster with a controller that notes its reconciles.
class ControllerBuilderTest : public testing::Test {
 protected:
  ControllerBuilderTest() { cluster_.Install(kCrd); }

  Result<Outcome> Note(const Gadget& gadget) {
    reconciled_.push_back(gadget.metadata.name + " " + gadget.spec.text);
    return Outcome::Done();
  }
  auto Noting() {
    return [this](ReconcileContext&, const Gadget& gadget) { return Note(gadget); };
  }
  std::vector<std::string> ReconciledSince() {
    cluster_.Pass(seconds(5));
    return std::exchange(reconciled_, {});
  }
  ConfigMap MapNamed(const std::string& name) {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = name;
    return map;
  }

  TestCluster cluster_{{.nodes = 0}};
  std::vector<std::string> reconciled_;
};

TEST_F(ControllerBuilderTest, ReconcilesObjectsThatAreCreatedOrUpdated) {
  cluster_.Create(NewGadget("old"));
  cluster_.StartOperator([this](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget").Reconcile(Noting());
  });
  EXPECT_THAT(ReconciledSince(), ElementsAre("old hello"));
  Gadget gadget = cluster_.Create(NewGadget("new"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("new hello"));
  gadget.spec.text = "bye";
  gadget = cluster_.Update(gadget);
  EXPECT_THAT(ReconciledSince(), ElementsAre("new bye"));
  gadget.status.emplace().seen = "x";
  cluster_.UpdateStatus(gadget);
  EXPECT_THAT(ReconciledSince(), ElementsAre("new bye"));
  cluster_.Delete<Gadget>({"default", "new"});
  EXPECT_THAT(ReconciledSince(), IsEmpty());
}

TEST_F(ControllerBuilderTest, PredicateFiltersUpdates) {
  cluster_.StartOperator([this](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget").When(SpecChanged<Gadget>()).Reconcile(Noting());
  });
  Gadget gadget = cluster_.Create(NewGadget("a"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello"));
  gadget.status.emplace().seen = "x";
  gadget = cluster_.UpdateStatus(gadget);
  gadget.metadata.labels["team"] = "b";
  gadget = cluster_.Update(gadget);
  EXPECT_THAT(ReconciledSince(), IsEmpty());
  gadget.spec.text = "bye";
  cluster_.Update(gadget);
  EXPECT_THAT(ReconciledSince(), ElementsAre("a bye"));
}

TEST_F(ControllerBuilderTest, WatchMappingSelectsTheKeysToReconcile) {
  cluster_.StartOperator([this](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Watches<ConfigMap>([](const ConfigMap& map) -> std::vector<ObjectKey> {
          return {{map.metadata.namespace_, map.metadata.name}, {"default", "nobody"}};
        })
        .Reconcile(Noting());
  });
  cluster_.Create(NewGadget("a"));
  cluster_.Create(NewGadget("b"));
  ReconciledSince();
  cluster_.Create(MapNamed("b"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("b hello"));
  cluster_.Delete<ConfigMap>({"default", "b"});
  EXPECT_THAT(ReconciledSince(), ElementsAre("b hello"));
}

/// The answer comes on the thread that reads the changes, which must not wait for it.
TEST_F(ControllerBuilderTest, WatchMappingMayAskTheApiServer) {
  std::shared_ptr<client::Client> client;
  bool sees_later_map = false;
  cluster_.StartOperator([&](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Watches<ConfigMap>([&](const ConfigMap& map) -> std::vector<ObjectKey> {
          const auto now = client->Of<ConfigMap>().Get(ObjectKey::Of(map));
          return now ? std::vector<ObjectKey>{{"default", "by-" + now->metadata.name}}
                     : std::vector<ObjectKey>{};
        })
        .Reconcile([&](ReconcileContext& context, const Gadget& gadget) {
          client = std::make_shared<client::Client>(context.client());
          sees_later_map = context.Find<ConfigMap>("b") != nullptr;
          return Note(gadget);
        });
  });
  Gadget other = cluster_.Create(NewGadget("other"));
  cluster_.Create(NewGadget("by-a"));
  ReconciledSince();
  cluster_.faults().On(sandbox::Requests::Gets().Of("configmaps")).Delay(minutes(1));
  cluster_.Create(MapNamed("a"));
  cluster_.Create(MapNamed("b"));
  other.spec.text = "bye";
  cluster_.Update(other);
  EXPECT_THAT(ReconciledSince(), ElementsAre("other bye"));
  EXPECT_TRUE(sees_later_map);
  cluster_.Pass(minutes(1));
  EXPECT_THAT(ReconciledSince(), ElementsAre("by-a hello"));
}

TEST_F(ControllerBuilderTest, WatchesAResourceWithoutAType) {
  cluster_.StartOperator([this](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Watches(client::Resource::Of<ConfigMap>(),
                 [](const api::Json& map) -> std::vector<ObjectKey> {
                   return {{"default", std::string(api::IdentityOf(map).name)}};
                 })
        .Reconcile(Noting());
  });
  cluster_.Create(NewGadget("a"));
  ReconciledSince();
  cluster_.Create(MapNamed("a"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello"));
}

TEST_F(ControllerBuilderTest, ResyncReconcilesAllObjectsPeriodically) {
  cluster_.StartOperator([this](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget").Resync(minutes(10)).Reconcile(Noting());
  });
  cluster_.Create(NewGadget("a"));
  ReconciledSince();
  cluster_.Pass(minutes(35));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello", "a hello", "a hello"));
}

TEST_F(ControllerBuilderTest, ErrorRequeuesWithBackoff) {
  int failures = 0;
  cluster_.StartOperator([&](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Reconcile([&](ReconcileContext&, const Gadget& gadget) {
          if (++failures < 5) return Result<Outcome>(Fail(ErrorCode::kInternal, "not today"));
          return Note(gadget);
        });
  });
  cluster_.Create(NewGadget("a"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello"));
  EXPECT_THAT(cluster_.Log(), testing::HasSubstr("not today"));
}

TEST_F(ControllerBuilderTest, ConflictRequeuesWithoutAnErrorInTheLog) {
  int conflicts = 0;
  cluster_.StartOperator([&](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Reconcile([&](ReconcileContext&, const Gadget& gadget) {
          if (++conflicts < 3) return Result<Outcome>(Fail(ErrorCode::kConflict, "too late"));
          return Note(gadget);
        });
  });
  cluster_.Create(NewGadget("a"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello"));
  EXPECT_THAT(cluster_.Log(), testing::Not(testing::HasSubstr("too late")));
}

TEST_F(ControllerBuilderTest, FinalizerStaysUntilItsFunctionIsDone) {
  bool may_go = false;
  cluster_.StartOperator([&](Manager& manager) {
    ControllerBuilder<Gadget>(manager, "gadget")
        .Finalizer("test.example.com/wait",
                   [&](ReconcileContext&, const Gadget&) -> Result<Outcome> {
                     return may_go ? Outcome::Done() : Outcome::RequeueAfter(seconds(10));
                   })
        .Reconcile(Noting());
  });
  cluster_.Create(NewGadget("a"));
  EXPECT_THAT(ReconciledSince(), ElementsAre("a hello"));
  EXPECT_THAT(cluster_.Get<Gadget>({"default", "a"}).metadata.finalizers,
              ElementsAre("test.example.com/wait"));
  cluster_.Delete<Gadget>({"default", "a"});
  cluster_.Pass(minutes(5));
  EXPECT_TRUE(cluster_.Exists<Gadget>({"default", "a"}));
  EXPECT_THAT(ReconciledSince(), IsEmpty());
  may_go = true;
  EXPECT_TRUE(cluster_.Eventually([&] { return !cluster_.Exists<Gadget>({"default", "a"}); }));
}

TEST_F(ControllerBuilderTest, AManagerOfOneNamespaceSeesNoOther) {
  cluster_.StartOperator(
      [this](Manager& manager) {
        ControllerBuilder<Gadget>(manager, "gadget").Reconcile(Noting());
      },
      {.name = "operator", .namespace_ = "kube-system"});
  cluster_.Create(NewGadget("a"));
  Gadget there = NewGadget("b");
  there.metadata.namespace_ = "kube-system";
  cluster_.Create(there);
  EXPECT_THAT(ReconciledSince(), ElementsAre("b hello"));
}

}  // namespace
}  // namespace flyball

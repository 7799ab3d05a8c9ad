#include "flyball/operator/reconcile_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/core/v1.h"
#include "flyball/operator/controller_builder.h"
#include "flyball/testkit/test_cluster.h"
#include "tests/operator/gadget.h"

namespace flyball {
namespace {

using core::v1::ConfigMap;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::SizeIs;
using testkit::TestCluster;

const ObjectKey kA = {"default", "a"};

/// A controller that wants a ConfigMap for every gadget, as a test says.
class ReconcileContextTest : public testing::Test {
 protected:
  ReconcileContextTest() {
    cluster_.Install(OPERATOR_TESTS "/gadgets.yaml");
    cluster_.StartOperator([this](Manager& manager) {
      ControllerBuilder<Gadget>(manager, "gadget")
          .Owns<ConfigMap>()
          .Reconcile([this](ReconcileContext& context, const Gadget& gadget) -> Result<Outcome> {
            ConfigMap desired;
            desired.metadata.name = gadget.metadata.name;
            desired.data = desired_;
            FLYBALL_TRY(context.Apply(desired));
            owned_ = context.Owned<ConfigMap>().size();
            auto status = StatusOf(gadget);
            status.seen = gadget.spec.text;
            FLYBALL_TRY(context.SetStatus(gadget, status));
            return Outcome::Done();
          });
    });
  }

  /// Makes the controller look at a gadget again.
  void Touch(const std::string& text) {
    Gadget gadget = cluster_.Get<Gadget>(kA);
    gadget.spec.text = text;
    cluster_.Update(gadget);
    cluster_.Pass(seconds(5));
  }
  std::size_t Patches() {
    const auto writes = cluster_.Writes();
    return static_cast<std::size_t>(std::ranges::count(writes, "patch configmaps default/a"));
  }

  TestCluster cluster_{{.nodes = 0}};
  api::Map<std::string> desired_ = {{"one", "1"}, {"two", "2"}};
  std::size_t owned_ = 0;
};

TEST_F(ReconcileContextTest, ApplyMakesWhatIsMissingAndOwnsIt) {
  const Gadget gadget = cluster_.Create(NewGadget("a"));
  cluster_.Pass(seconds(5));
  const ConfigMap map = cluster_.Get<ConfigMap>(kA);
  EXPECT_EQ(map.data, desired_);
  ASSERT_THAT(map.metadata.ownerReferences, SizeIs(1));
  EXPECT_EQ(map.metadata.ownerReferences[0].uid, gadget.metadata.uid);
  EXPECT_EQ(map.metadata.ownerReferences[0].controller, true);
  EXPECT_EQ(map.metadata.managedFields[0].manager, "operator");
  EXPECT_EQ(map.metadata.managedFields[0].operation, "Apply");
}

TEST_F(ReconcileContextTest, ApplySendsNothingWhereNothingIsToBeChanged) {
  cluster_.Create(NewGadget("a"));
  cluster_.Pass(seconds(5));
  Touch("again");
  Touch("and again");
  EXPECT_EQ(Patches(), 1U);
  EXPECT_EQ(owned_, 1U);
}

TEST_F(ReconcileContextTest, ApplyTakesAwayWhatIsWantedNoLonger) {
  cluster_.Create(NewGadget("a"));
  cluster_.Pass(seconds(5));
  ConfigMap map = cluster_.Get<ConfigMap>(kA);
  map.data["theirs"] = "3";
  cluster_.Update(map);
  desired_ = {{"one", "1"}};
  Touch("less");
  EXPECT_THAT(cluster_.Get<ConfigMap>(kA).data,
              ElementsAre(testing::Pair("one", "1"), testing::Pair("theirs", "3")));
}

TEST_F(ReconcileContextTest, StatusIsWrittenWhereItIsAnother) {
  cluster_.Create(NewGadget("a"));
  cluster_.Pass(seconds(5));
  EXPECT_EQ(cluster_.Get<Gadget>(kA).status->seen, "hello");
  Touch("bye");
  EXPECT_EQ(cluster_.Get<Gadget>(kA).status->seen, "bye");
  const auto writes = cluster_.Writes();
  EXPECT_EQ(std::ranges::count(writes, "update gadgets/status default/a"), 2)
      << testing::PrintToString(writes);
}

}  // namespace
}  // namespace flyball

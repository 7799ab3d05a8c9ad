#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/operator/controller_builder.h"
#include "flyball/testkit/test_cluster.h"
#include "tests/operator/gadget.h"

/// What becomes of a controller whose kind is not as it was when the controller was written.
namespace flyball {
namespace {

using apiextensions::v1::CustomResourceDefinition;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testkit::TestCluster;

const ObjectKey kDefinition = {"", "gadgets.test.example.com"};

class CustomKindsTest : public testing::Test {
 protected:
  void Start() {
    cluster_.StartOperator([this](Manager& manager) {
      ControllerBuilder<Gadget>(manager, "gadget")
          .Reconcile([this](ReconcileContext&, const Gadget& gadget) -> Result<Outcome> {
            reconciled_.push_back(gadget.metadata.name + " " + gadget.spec.text);
            return Outcome::Done();
          });
    });
  }
  void Serve(bool v1) {
    auto definition = cluster_.Get<CustomResourceDefinition>(kDefinition);
    auto& versions = definition.spec.versions;
    if (versions.size() == 1) {
      versions.push_back(versions[0]);
      versions[1].name = "v2";
      versions[0].storage = false;
    }
    versions[0].served = v1;
    cluster_.Update(definition);
  }
  api::Json Raw(const std::string& name, const api::Json& copies) {
    return api::Json::Object{
        {"apiVersion", "test.example.com/v1"},
        {"kind", "Gadget"},
        {"metadata", api::Json::Object{{"namespace", "default"}, {"name", name}}},
        {"spec", api::Json::Object{{"text", "hello"}, {"copies", copies}}}};
  }
  void CreateRaw(const api::Json& gadget) {
    const auto created = cluster_.Do([&](const client::Client& client) {
      return client.Dynamic(client::Resource::Of<Gadget>()).Create(gadget);
    });
    ASSERT_TRUE(created) << created.error().Describe();
  }

  TestCluster cluster_{{.nodes = 0}};
  std::vector<std::string> reconciled_;
};

TEST_F(CustomKindsTest, AControllerWaitsForADefinitionThatIsNotThereYet) {
  Start();
  cluster_.Pass(minutes(10));
  const auto ready = cluster_.Ready();
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().Describe(), HasSubstr("gadgets.test.example.com: not served"));

  cluster_.Install(OPERATOR_TESTS "/gadgets.yaml");
  cluster_.Create(NewGadget("a"));
  EXPECT_TRUE(cluster_.Eventually([&] { return !reconciled_.empty(); }, minutes(2)));
  EXPECT_THAT(reconciled_, ElementsAre("a hello"));
  EXPECT_TRUE(cluster_.Ready());
}

TEST_F(CustomKindsTest, AControllerWaitsForAVersionThatIsServedNoLonger) {
  cluster_.Install(OPERATOR_TESTS "/gadgets.yaml");
  Start();
  cluster_.Create(NewGadget("a"));
  cluster_.Pass(seconds(5));
  Serve(false);
  // Its watch ends when the server likes, as all do.
  cluster_.Pass(minutes(15));
  const auto ready = cluster_.Ready();
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().Describe(), HasSubstr("not found"));

  Serve(true);
  cluster_.Create(NewGadget("b"));
  EXPECT_TRUE(cluster_.Eventually([&] { return reconciled_.size() == 2; }, minutes(2)));
  EXPECT_THAT(reconciled_, ElementsAre("a hello", "b hello"));
  EXPECT_TRUE(cluster_.Ready());
}

TEST_F(CustomKindsTest, AnObjectThatDoesNotFitIsNamedWithItsPathAndTheOthersGoOn) {
  cluster_.Install(OPERATOR_TESTS "/gadgets_of_a_later_day.yaml");
  CreateRaw(Raw("early", "many"));
  Start();
  cluster_.Create(NewGadget("fits"));
  CreateRaw(Raw("late", "more"));
  cluster_.Create(NewGadget("fits-too"));
  cluster_.Pass(seconds(10));
  EXPECT_THAT(reconciled_, ElementsAre("fits hello", "fits-too hello"));
  EXPECT_TRUE(cluster_.Ready());
  for (const char* const name : {"early", "late"}) {
    EXPECT_THAT(
        cluster_.EventsAbout(name),
        ElementsAre(testing::AllOf(HasSubstr("Warning DoesNotFit"), HasSubstr("spec.copies"))));
    EXPECT_THAT(cluster_.Log(), HasSubstr(name));
  }
}

TEST_F(CustomKindsTest, ReconcilesAnObjectThatHasBecomeDecodable) {
  cluster_.Install(OPERATOR_TESTS "/gadgets_of_a_later_day.yaml");
  Start();
  CreateRaw(Raw("a", "many"));
  cluster_.Pass(seconds(5));
  const auto patched = cluster_.Do([&](const client::Client& client) {
    return client.Dynamic(client::Resource::Of<Gadget>())
        .Patch({"default", "a"},
               client::Patch::Merge(*api::Json::Parse(R"({"spec":{"copies":null}})")));
  });
  ASSERT_TRUE(patched);
  cluster_.Pass(seconds(5));
  EXPECT_THAT(reconciled_, ElementsAre("a hello"));
}

}  // namespace
}  // namespace flyball

#include "flyball/controllers/root_ca_publisher/plan.h"

#include <gtest/gtest.h>

#include <utility>

#include "flyball/api/time.h"

namespace flyball::controllers::root_ca_publisher {
namespace {

using core::v1::ConfigMap;

constexpr const char* kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

core::v1::Namespace Team() {
  core::v1::Namespace space;
  space.metadata.name = "team";
  return space;
}

ConfigMap Published() {
  ConfigMap map;
  map.metadata.namespace_ = "team";
  map.metadata.name = "kube-root-ca.crt";
  map.metadata.annotations = {{"kubernetes.io/description", kDescription}};
  map.data = {{"ca.crt", "PEM"}};
  return map;
}

TEST(RootCaPublisherPlan, MakesWhatIsNotThere) {
  EXPECT_EQ(PlanFor(Team(), nullptr, "PEM"), (Plan{Plan::Action::kCreate, Published()}));
}

TEST(RootCaPublisherPlan, LeavesWhatIsAsItIsToBe) {
  ConfigMap map = Published();
  EXPECT_EQ(PlanFor(Team(), &map, "PEM"), Plan());
  map.metadata.annotations = {{"kubernetes.io/description", "ours"}, {"more", "of it"}};
  map.metadata.labels = {{"a", "b"}};
  map.metadata.resourceVersion = "5";
  EXPECT_EQ(PlanFor(Team(), &map, "PEM"), Plan());
}

TEST(RootCaPublisherPlan, SetsRightWhatSomebodyChanged) {
  ConfigMap right = Published();
  right.metadata.labels = {{"a", "b"}};
  right.metadata.resourceVersion = "5";
  const Plan update{Plan::Action::kUpdate, right};

  ConfigMap other_authority = right;
  other_authority.data = {{"ca.crt", "OLD"}};
  EXPECT_EQ(PlanFor(Team(), &other_authority, "PEM"), update);

  ConfigMap more_data = right;
  more_data.data["mine"] = "too";
  EXPECT_EQ(PlanFor(Team(), &more_data, "PEM"), update);

  ConfigMap not_described = right;
  not_described.metadata.annotations = {};
  EXPECT_EQ(PlanFor(Team(), &not_described, "PEM"), update);
  not_described.metadata.annotations = {{"kubernetes.io/description", ""}};
  EXPECT_EQ(PlanFor(Team(), &not_described, "PEM"), update);
}

TEST(RootCaPublisherPlan, DoesNothingToANamespaceThatGoes) {
  core::v1::Namespace space = Team();
  space.metadata.deletionTimestamp = api::Time::FromUnix(1'000'000'000);
  EXPECT_EQ(PlanFor(space, nullptr, "PEM"), Plan());
}

TEST(RootCaPublisherPlan, TellsErrorsByTheServersCodes) {
  const std::pair<ErrorCode, std::string_view> codes[] = {{ErrorCode::kBadRequest, "400"},
                                                          {ErrorCode::kUnauthorized, "401"},
                                                          {ErrorCode::kForbidden, "403"},
                                                          {ErrorCode::kNotFound, "404"},
                                                          {ErrorCode::kMethodNotAllowed, "405"},
                                                          {ErrorCode::kNotAcceptable, "406"},
                                                          {ErrorCode::kAlreadyExists, "409"},
                                                          {ErrorCode::kConflict, "409"},
                                                          {ErrorCode::kGone, "410"},
                                                          {ErrorCode::kTooLarge, "413"},
                                                          {ErrorCode::kInvalid, "422"},
                                                          {ErrorCode::kUnsupportedMediaType, "415"},
                                                          {ErrorCode::kTooManyRequests, "429"},
                                                          {ErrorCode::kUnavailable, "503"},
                                                          {ErrorCode::kInternal, "500"},
                                                          {ErrorCode::kIo, "500"}};
  for (const auto& [code, expected] : codes) EXPECT_EQ(CodeOf({code, ""}), expected);
}

}  // namespace
}  // namespace flyball::controllers::root_ca_publisher

#include "flyball/controllers/service_account/plan.h"

#include <gtest/gtest.h>

#include <string>

namespace flyball::controllers::service_account {
namespace {

using core::v1::Namespace;

Namespace InPhase(const std::string& phase) {
  Namespace space;
  space.metadata.name = "team";
  space.status.phase = phase;
  return space;
}

TEST(ServiceAccountPlan, AnActiveNamespaceGetsItsAccountOnce) {
  core::v1::ServiceAccount account;
  account.metadata.namespace_ = "team";
  account.metadata.name = "default";
  EXPECT_EQ(PlanFor(InPhase("Active"), /*has_account=*/false), account);
  EXPECT_EQ(PlanFor(InPhase("Active"), /*has_account=*/true), std::nullopt);
}

TEST(ServiceAccountPlan, ANamespaceThatIsNotActiveGetsNone) {
  EXPECT_EQ(PlanFor(InPhase("Terminating"), /*has_account=*/false), std::nullopt);
  EXPECT_EQ(PlanFor(InPhase(""), /*has_account=*/false), std::nullopt);
}

}  // namespace
}  // namespace flyball::controllers::service_account

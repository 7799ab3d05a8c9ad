#include "flyball/controllers/disruption/event_text.h"

#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"

namespace flyball::controllers::disruption {
namespace {

std::string Unmanaged(const std::string& selector) {
  return "Pods selected by this PodDisruptionBudget (selector: " + selector +
         ") were found to be unmanaged. As a result, the status of the PDB cannot be calculated "
         "correctly, which may result in undefined behavior. To account for these pods please set "
         "\".spec.minAvailable\" field of the PDB to an integer value.";
}

TEST(DisruptionEventText, ShowsASelectorAsGoDoes) {
  policy::v1::PodDisruptionBudget budget = FakeBudget("web");
  EXPECT_EQ(UnmanagedText(budget),
            Unmanaged("&LabelSelector{MatchLabels:map[string]string{app: web,},"
                      "MatchExpressions:[]LabelSelectorRequirement{},}"));
  budget.spec.selector->matchLabels = {};
  meta::v1::LabelSelectorRequirement& in = budget.spec.selector->matchExpressions.emplace_back();
  in.key = "tier";
  in.operator_ = "In";
  in.values = {"back", "front"};
  meta::v1::LabelSelectorRequirement& has = budget.spec.selector->matchExpressions.emplace_back();
  has.key = "app";
  has.operator_ = "Exists";
  EXPECT_EQ(UnmanagedText(budget),
            Unmanaged("&LabelSelector{MatchLabels:map[string]string{},"
                      "MatchExpressions:[]LabelSelectorRequirement{"
                      "LabelSelectorRequirement{Key:tier,Operator:In,Values:[back front],},"
                      "LabelSelectorRequirement{Key:app,Operator:Exists,Values:[],},},}"));
  budget.spec.selector.reset();
  EXPECT_EQ(UnmanagedText(budget), Unmanaged("nil"));
}

TEST(DisruptionEventText, NamesPodsAndBudgetsAsUpstreamDoes) {
  EXPECT_EQ(NotDeletedText(FakeBudget("web")),
            "Pod was expected by PDB team/team to be deleted but it wasn't");
  EXPECT_EQ(SeveralBudgetsText(*ViewOf(FakePod("a")), "web"),
            R"(Pod "team"/"a" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.)");
}

}  // namespace
}  // namespace flyball::controllers::disruption

#include "flyball/controllers/disruption/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flyball/controllers/common/internal/pod_fake.h"
#include "flyball/controllers/disruption/internal/disruption_fake.h"

namespace flyball::controllers::disruption {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Covering = Coverage::Covering;

class CoverageTest : public testing::Test {
 protected:
  /// A pod is in the cache, with what the index says then.
  Covering Store(const std::string& name, const std::string& app = "web") {
    auto pod = ViewOf(FakePod(name, app));
    std::erase_if(pods_, [&](const auto& its) { return its->metadata.name == name; });
    pods_.push_back(pod);
    return coverage_.Put(pod);
  }
  std::vector<std::string> Drop(const std::string& name) {
    std::erase_if(pods_, [&](const auto& its) { return its->metadata.name == name; });
    return coverage_.Remove(*ViewOf(FakePod(name)));
  }
  std::vector<std::string> PodsOf(const std::string& budget) {
    const auto pods = coverage_.PodsOf({"team", budget});
    EXPECT_TRUE(pods) << pods.error().Describe();
    std::vector<std::string> names;
    for (const PodRef& pod : pods.value_or(std::vector<PodRef>())) {
      names.emplace_back(pod->metadata.name);
    }
    return names;
  }

  int scans_ = 0;
  std::vector<PodRef> pods_;
  Coverage coverage_{[this](std::string_view namespace_, const api::Selector& selector) {
    ++scans_;
    std::vector<PodRef> selected;
    for (const auto& pod : pods_) {
      if (pod->metadata.namespace_ == namespace_ && selector.Matches(pod->metadata.labels)) {
        selected.push_back(pod);
      }
    }
    return selected;
  }};
};

TEST_F(CoverageTest, KnowsPodsThatWereThereBeforeTheBudgetAndThoseThatCameAfter) {
  EXPECT_EQ(Store("old"), Covering());
  coverage_.Put(FakeBudget("web"));
  EXPECT_EQ(Store("new"), Covering({.now = {"web"}, .no_longer = {}}));
  EXPECT_EQ(Store("other", "db"), Covering());
  EXPECT_THAT(PodsOf("web"), ElementsAre("new", "old"));
}

TEST_F(CoverageTest, HasPodsAsTheyWereLastSeen) {
  coverage_.Put(FakeBudget("web"));
  Store("a");
  Store("a");
  EXPECT_THAT(*coverage_.PodsOf({"team", "web"}), ElementsAre(pods_.back()));
}

TEST_F(CoverageTest, NamesAllBudgetsOfAPod) {
  coverage_.Put(FakeBudget("b"));
  coverage_.Put(FakeBudget("a"));
  coverage_.Put(FakeBudget("db", "db"));
  EXPECT_EQ(Store("pod"), Covering({.now = {"a", "b"}, .no_longer = {}}));
  EXPECT_EQ(Store("pod", "db"), Covering({.now = {"db"}, .no_longer = {"a", "b"}}));
  EXPECT_EQ(Store("pod", "db"), Covering({.now = {"db"}, .no_longer = {}}));
  EXPECT_THAT(Drop("pod"), ElementsAre("db"));
  EXPECT_THAT(Drop("pod"), IsEmpty());
  EXPECT_THAT(PodsOf("db"), IsEmpty());
}

TEST_F(CoverageTest, LooksAtAllPodsOnlyWhenABudgetComesOrSelectsOtherwise) {
  Store("a");
  Store("b", "db");
  PodDisruptionBudget budget = FakeBudget("web");
  coverage_.Put(budget);
  budget.status.currentHealthy = 1;
  coverage_.Put(budget);
  Store("a");
  EXPECT_EQ(scans_, 1);
  budget.spec.selector->matchLabels = {{"app", "db"}};
  coverage_.Put(budget);
  EXPECT_EQ(scans_, 2);
  EXPECT_THAT(PodsOf("web"), ElementsAre("b"));
}

TEST_F(CoverageTest, ABudgetThatIsGoneCoversNothing) {
  coverage_.Put(FakeBudget("web"));
  Store("a");
  coverage_.Remove({"team", "web"});
  coverage_.Remove({"team", "web"});
  EXPECT_THAT(PodsOf("web"), IsEmpty());
  EXPECT_EQ(Store("a"), Covering());
  EXPECT_THAT(Drop("a"), IsEmpty());
}

TEST_F(CoverageTest, PodsOfOtherNamespacesAreNotABudgets) {
  PodDisruptionBudget budget = FakeBudget("web");
  budget.metadata.namespace_ = "elsewhere";
  coverage_.Put(budget);
  EXPECT_EQ(Store("a"), Covering());
  EXPECT_THAT(*coverage_.PodsOf({"elsewhere", "web"}), IsEmpty());
}

TEST_F(CoverageTest, ABudgetWithoutASelectorCoversNoneAndOneThatAsksForNothingAll) {
  PodDisruptionBudget none = FakeBudget("none");
  none.spec.selector.reset();
  coverage_.Put(none);
  PodDisruptionBudget all = FakeBudget("all");
  all.spec.selector->matchLabels = {};
  coverage_.Put(all);
  EXPECT_EQ(Store("a"), Covering({.now = {"all"}, .no_longer = {}}));
  EXPECT_THAT(PodsOf("none"), IsEmpty());
}

TEST_F(CoverageTest, ASelectorThatCannotBeReadCoversNoneAndSaysSo) {
  PodDisruptionBudget budget = FakeBudget("web");
  budget.spec.selector->matchExpressions.emplace_back().key = "app";
  budget.spec.selector->matchExpressions.back().operator_ = "Like";
  coverage_.Put(budget);
  EXPECT_EQ(Store("a"), Covering());
  const auto pods = coverage_.PodsOf({"team", "web"});
  ASSERT_FALSE(pods);
  EXPECT_EQ(pods.error().code(), ErrorCode::kInvalid);
  EXPECT_EQ(scans_, 0);
}

TEST_F(CoverageTest, MatchesSelectorsOnlyWhenLabelsChange) {
  coverage_.Put(FakeBudget("db", "db"));
  coverage_.Put(FakeBudget("web"));
  const PodRef before = ViewOf(FakePod("pod"));
  const PodRef same = ViewOf(FakePod("pod"));
  const PodRef other = ViewOf(FakePod("pod", "db"));
  EXPECT_EQ(coverage_.Put(before), Covering({.now = {"web"}, .no_longer = {}}));
  EXPECT_EQ(coverage_.matched(), 2);

  EXPECT_EQ(coverage_.Put(same, before.get()), Covering({.now = {"web"}, .no_longer = {}}));
  EXPECT_EQ(coverage_.matched(), 2);
  EXPECT_THAT(*coverage_.PodsOf({"team", "web"}), ElementsAre(same));

  EXPECT_EQ(coverage_.Put(other, same.get()), Covering({.now = {"db"}, .no_longer = {"web"}}));
  EXPECT_EQ(coverage_.matched(), 4);
  EXPECT_THAT(*coverage_.PodsOf({"team", "db"}), ElementsAre(other));
  EXPECT_THAT(PodsOf("web"), IsEmpty());
}

TEST_F(CoverageTest, ABudgetThatComesBetweenTwoChangesOfAPodHasTheLast) {
  Store("pod");
  const PodRef before = pods_.back();
  coverage_.Put(FakeBudget("web"));
  const PodRef after = ViewOf(FakePod("pod"));
  EXPECT_EQ(coverage_.Put(after, before.get()), Covering({.now = {"web"}, .no_longer = {}}));
  EXPECT_THAT(*coverage_.PodsOf({"team", "web"}), ElementsAre(after));
}

// Each requirement compared with each label: 1.6 x 10^10 comparisons an event, beyond the time
// limit of tests.
TEST_F(CoverageTest, BudgetsWithLargeSelectorsCostAPodTheirSizes) {
  constexpr int kLabels = 40'000;
  core::v1::Pod pod = FakePod("pod");
  PodDisruptionBudget budget = FakeBudget("b");
  for (int i = 0; i < kLabels; ++i) {
    const std::string key = "k" + std::to_string(1'000'000 + i);
    pod.metadata.labels.insert_or_assign(key, "v");
    auto& expression = budget.spec.selector->matchExpressions.emplace_back();
    expression.key = "k" + std::to_string(2'000'000 - i);
    expression.operator_ = "DoesNotExist";
  }
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    names.push_back(budget.metadata.name = "b" + std::to_string(i));
    coverage_.Put(budget);
  }
  EXPECT_EQ(coverage_.Put(ViewOf(pod)), Covering({.now = names, .no_longer = {}}));
  pod.metadata.labels["app"] = "db";
  EXPECT_EQ(coverage_.Put(ViewOf(pod)), Covering({.now = {}, .no_longer = names}));
}

}  // namespace
}  // namespace flyball::controllers::disruption

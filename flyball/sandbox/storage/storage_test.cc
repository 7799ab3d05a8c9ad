#include "flyball/sandbox/storage/storage.h"

#include <string>
#include <vector>

#include "flyball/sandbox/internal/scratch_storage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kAll = 1000;

/// All of this holds in memory and on disk alike.
class StorageTest : public ::testing::TestWithParam<bool> {
 protected:
  static Storage::Options Keeping(std::size_t changes) {
    Storage::Options options;
    options.changes_kept = changes;
    return options;
  }

  std::vector<std::string> List(const Storage::Range& range) {
    const auto page = storage_->List(range);
    EXPECT_TRUE(page.has_value()) << page.error().Describe();
    return page ? Briefs(page->entries) : std::vector<std::string>();
  }
  std::vector<std::string> ListPods(Revision at = 0) {
    return List({.collection = "pods", .at = at});
  }
  std::unique_ptr<Storage::Follower> Follow(std::string namespace_, Revision since) {
    auto follower = storage_->Follow("pods", std::move(namespace_), since, [this] { ++woken_; });
    EXPECT_TRUE(follower.has_value()) << follower.error().Describe();
    return *std::move(follower);
  }
  static std::vector<std::string> Take(Storage::Follower& follower, std::size_t max = kAll) {
    const auto taken = follower.Take(max);
    EXPECT_TRUE(taken.has_value()) << taken.error().Describe();
    return taken ? Briefs(*taken) : std::vector<std::string>();
  }
  static ErrorCode CodeOf(const auto& result) {
    EXPECT_FALSE(result.has_value());
    return result.error().code();
  }

  ScratchStorage storage_{GetParam(), Keeping(5)};
  int woken_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Kept, StorageTest, ::testing::Bool(), [](const auto& kind) {
  return std::string(kind.param ? "OnDisk" : "InMemory");
});

TEST_P(StorageTest, StartsEmptyAtRevisionOne) {
  EXPECT_EQ(storage_->revision(), 1);
  const auto page = storage_->List({.collection = "pods"});
  ASSERT_TRUE(page.has_value());
  EXPECT_THAT(page->entries, IsEmpty());
  EXPECT_EQ(page->at, 1);
}

TEST_P(StorageTest, GivesEveryChangeTheNextRevision) {
  EXPECT_EQ(Brief(*storage_.Put("shop", "web", 0, "one")), "shop/web@2 one");
  EXPECT_EQ(Brief(*storage_.Put("shop", "db", 0, "two", "other")), "shop/db@3 two");
  EXPECT_EQ(Brief(*storage_.Put("shop", "web", 2, "three")), "shop/web@4 three");
  EXPECT_EQ(Brief(*storage_.Remove("shop", "web", 4, "last")), "shop/web@5 last");
  EXPECT_EQ(storage_->revision(), 5);
  EXPECT_FALSE(storage_->Get({"pods", "shop", "web"}).has_value());
  EXPECT_EQ(Brief(*storage_->Get({"other", "shop", "db"})), "shop/db@3 two");
}

TEST_P(StorageTest, MakesAnObjectWithItsRevision) {
  Revision told = 0;
  storage_->Put(
      {"pods", "shop", "web"}, 0,
      [&](Revision revision) {
        told = revision;
        return MakeBytes("x");
      },
      [](Result<Entry>) {});
  storage_.Settle();
  EXPECT_EQ(told, 2);
  EXPECT_EQ(storage_->Get({"pods", "shop", "web"})->revision, 2);
}

TEST_P(StorageTest, RefusesWhatIsNotAsExpected) {
  ASSERT_TRUE(storage_.Put("shop", "web", 0, "one").has_value());
  EXPECT_EQ(storage_.Put("shop", "web", 0, "x").error(),
            Error(ErrorCode::kAlreadyExists, "pods shop/web is there already"));
  EXPECT_EQ(storage_.Put("shop", "web", 7, "x").error(),
            Error(ErrorCode::kConflict, "pods shop/web is at revision 2, not at 7"));
  EXPECT_EQ(storage_.Put("shop", "db", 2, "x").error(),
            Error(ErrorCode::kNotFound, "pods shop/db is not there"));
  EXPECT_EQ(storage_.Remove("", "node", 2, "x").error(),
            Error(ErrorCode::kNotFound, "pods node is not there"));
  EXPECT_EQ(CodeOf(storage_.Remove("shop", "web", 1, "x")), ErrorCode::kConflict);
  EXPECT_EQ(storage_->revision(), 2);  // what was refused took no number
  EXPECT_THAT(ListPods(), ElementsAre("shop/web@2 one"));
}

TEST_P(StorageTest, TakesOneOfTwoWritesWithTheSameExpectation) {
  std::vector<std::string> outcomes;
  const auto note = [&](Result<Entry> entry) {
    outcomes.push_back(entry ? Brief(*entry) : std::string(ToString(entry.error().code())));
  };
  const auto make = [](Revision) { return MakeBytes("x"); };
  // None of these is durable when the next comes.
  storage_->Put({"pods", "shop", "web"}, 0, make, note);
  storage_->Put({"pods", "shop", "web"}, 0, make, note);
  storage_->Put({"pods", "shop", "web"}, 2, make, note);
  storage_->Remove({"pods", "shop", "web"}, 2, make, note);
  storage_->Remove({"pods", "shop", "web"}, 3, make, note);
  storage_->Put({"pods", "shop", "web"}, 3, make, note);
  storage_->Put({"pods", "shop", "web"}, 0, make, note);
  storage_.Settle();
  EXPECT_THAT(outcomes, ::testing::UnorderedElementsAre("shop/web@2 x", "already exists",
                                                        "shop/web@3 x", "conflict", "shop/web@4 x",
                                                        "not found", "shop/web@5 x"));
}

TEST_P(StorageTest, ListsByNamespaceAndNameInTheOrderOfUpstream) {
  for (const auto& [namespace_, name] : std::vector<std::pair<std::string, std::string>>{
           {"a", "x"}, {"a-b", "x"}, {"b", "a"}, {"a", "a.b"}, {"a", "a"}}) {
    ASSERT_TRUE(storage_.Put(namespace_, name, 0, "").has_value());
  }
  EXPECT_THAT(ListPods(), ElementsAre("a-b/x@3 ", "a/a@6 ", "a/a.b@5 ", "a/x@2 ", "b/a@4 "));
  EXPECT_THAT(List({.collection = "pods", .namespace_ = "a"}),
              ElementsAre("a/a@6 ", "a/a.b@5 ", "a/x@2 "));
  EXPECT_THAT(List({.collection = "nodes"}), IsEmpty());
}

TEST_P(StorageTest, ListsTheFollowingPagesAsOfTheFirst) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(storage_.Put("n", name, 0, "").has_value());
  const Storage::Range first{.collection = "pods", .namespace_ = "n", .limit = 1};
  const auto page = storage_->List(first);
  ASSERT_TRUE(page.has_value());
  EXPECT_THAT(Briefs(page->entries), ElementsAre("n/a@2 "));
  EXPECT_TRUE(page->more);
  EXPECT_EQ(page->remaining, 2U);
  EXPECT_EQ(page->at, 4);

  ASSERT_TRUE(storage_.Remove("n", "b", 3, "").has_value());
  ASSERT_TRUE(storage_.Put("n", "bb", 0, "").has_value());
  ASSERT_TRUE(storage_.Put("n", "c", 4, "new").has_value());
  Storage::Range next = first;
  next.at = page->at;
  next.after = {"n", "a"};
  next.limit = 2;
  const auto rest = storage_->List(next);
  ASSERT_TRUE(rest.has_value());
  EXPECT_THAT(Briefs(rest->entries), ElementsAre("n/b@3 ", "n/c@4 "));
  EXPECT_FALSE(rest->more);
  EXPECT_EQ(rest->remaining, 0U);
  EXPECT_EQ(rest->at, 4);
  EXPECT_THAT(ListPods(), ElementsAre("n/a@2 ", "n/bb@6 ", "n/c@7 new"));
}

TEST_P(StorageTest, KeepsTheNewestChangesOfEachCollection) {
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(storage_.Put("n", "pod" + std::to_string(i), 0, "").has_value());
  }
  ASSERT_TRUE(storage_.Put("n", "x", 0, "", "other").has_value());
  storage_.Reopen();
  EXPECT_EQ(ListPods(3).size(), 2U);
  EXPECT_EQ(storage_->List({.collection = "pods", .at = 2}).error(),
            Error(ErrorCode::kGone, "the history of pods at 2 is no longer kept: it begins at 3"));
  EXPECT_EQ(CodeOf(storage_->Follow("pods", "", 2, [] {})), ErrorCode::kGone);
  EXPECT_EQ(Take(*Follow("", 3)).size(), 5U);
  EXPECT_THAT(List({.collection = "other", .at = 1}), IsEmpty());
}

TEST_P(StorageTest, DoesNotListWhatHasNotBeenYet) {
  EXPECT_EQ(storage_->List({.collection = "pods", .at = 2}).error(),
            Error(ErrorCode::kInvalid, "revision 2 has not been yet: now is 1"));
}

TEST_P(StorageTest, FollowersAreToldWhatChangedIntoWhat) {
  ASSERT_TRUE(storage_.Put("n", "a", 0, "one").has_value());
  const auto follower = Follow("", 2);
  ASSERT_TRUE(storage_.Put("n", "a", 2, "two").has_value());
  ASSERT_TRUE(storage_.Remove("n", "a", 3, "last").has_value());
  ASSERT_TRUE(storage_.Put("n", "a", 0, "again").has_value());
  EXPECT_THAT(Take(*follower),
              ElementsAre("*n/a@3 two, was one", "-n/a@4 last, was two", "+n/a@5 again"));
  EXPECT_EQ(woken_, 0);
}

TEST_P(StorageTest, AFollowerIsWokenOnceWhenItHadTakenAll) {
  const auto follower = Follow("", 1);
  ASSERT_TRUE(storage_.Put("n", "a", 0, "").has_value());
  EXPECT_EQ(woken_, 0);  // it has not looked yet
  EXPECT_THAT(Take(*follower), ElementsAre("+n/a@2 "));
  ASSERT_TRUE(storage_.Put("n", "b", 0, "").has_value());
  EXPECT_EQ(woken_, 0);
  EXPECT_THAT(Take(*follower), ElementsAre("+n/b@3 "));
  EXPECT_THAT(Take(*follower), IsEmpty());
  ASSERT_TRUE(storage_.Put("n", "c", 0, "").has_value());
  EXPECT_EQ(woken_, 1);
  ASSERT_TRUE(storage_.Put("n", "d", 0, "").has_value());
  EXPECT_EQ(woken_, 1);
  EXPECT_THAT(Take(*follower, 1), ElementsAre("+n/c@4 "));
  EXPECT_THAT(Take(*follower, 1), ElementsAre("+n/d@5 "));
}

TEST_P(StorageTest, AFollowerOfANamespaceIsNotWokenForOthers) {
  const auto follower = Follow("mine", 1);
  EXPECT_THAT(Take(*follower), IsEmpty());
  ASSERT_TRUE(storage_.Put("other", "a", 0, "").has_value());
  ASSERT_TRUE(storage_.Put("mine", "a", 0, "", "services").has_value());
  EXPECT_EQ(woken_, 0);
  ASSERT_TRUE(storage_.Put("mine", "a", 0, "").has_value());
  EXPECT_EQ(woken_, 1);
  EXPECT_THAT(Take(*follower), ElementsAre("+mine/a@4 "));
}

TEST_P(StorageTest, AFollowerThatWaitsMissesNothingHoweverMuchHappensElsewhere) {
  const auto follower = Follow("mine", 1);
  EXPECT_THAT(Take(*follower), IsEmpty());
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(storage_.Put("other", std::to_string(i), 0, "").has_value());
  }
  storage_->Compact("pods", 21);
  EXPECT_EQ(follower->revision(), 21);
  ASSERT_TRUE(storage_.Put("mine", "a", 0, "").has_value());
  EXPECT_THAT(Take(*follower), ElementsAre("+mine/a@22 "));
}

TEST_P(StorageTest, AFollowersRevisionMovesOnWithOtherCollectionsWhenNothingIsLeft) {
  const auto follower = Follow("", 1);
  ASSERT_TRUE(storage_.Put("n", "a", 0, "").has_value());
  ASSERT_TRUE(storage_.Put("n", "b", 0, "").has_value());
  EXPECT_EQ(follower->revision(), 1);
  EXPECT_EQ(Take(*follower, 1).size(), 1U);
  EXPECT_EQ(follower->revision(), 2);
  EXPECT_EQ(Take(*follower, 1).size(), 1U);
  EXPECT_THAT(Take(*follower, 1), IsEmpty());
  ASSERT_TRUE(storage_.Put("n", "x", 0, "", "other").has_value());
  EXPECT_EQ(follower->revision(), 4);
  ASSERT_TRUE(storage_.Put("n", "c", 0, "").has_value());
  EXPECT_EQ(follower->revision(), 4);
}

TEST_P(StorageTest, AFollowerThatFellBehindIsToldSo) {
  const auto follower = Follow("", 1);
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(storage_.Put("n", std::to_string(i), 0, "").has_value());
  }
  EXPECT_EQ(CodeOf(follower->Take(kAll)), ErrorCode::kGone);
  EXPECT_EQ(CodeOf(follower->Take(kAll)), ErrorCode::kGone);
}

TEST_P(StorageTest, AFollowerFromTheFutureIsToldOfWhatComesThen) {
  const auto follower = Follow("", 3);
  EXPECT_THAT(Take(*follower), IsEmpty());
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(storage_.Put("n", name, 0, "").has_value());
    if (woken_ > 0 && storage_->revision() < 4) {
      EXPECT_THAT(Take(*follower), IsEmpty());
    }
  }
  EXPECT_THAT(Take(*follower), ElementsAre("+n/c@4 "));
}

TEST_P(StorageTest, AFollowerThatIsGoneIsNotWoken) {
  {
    const auto follower = Follow("", 1);
    EXPECT_THAT(Take(*follower), IsEmpty());
  }
  ASSERT_TRUE(storage_.Put("n", "a", 0, "").has_value());
  EXPECT_EQ(woken_, 0);
}

TEST_P(StorageTest, CompactsWhatItIsTold) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(storage_.Put("n", name, 0, "").has_value());
  const auto follower = Follow("", 2);
  storage_->Compact("pods", 3);
  EXPECT_EQ(CodeOf(follower->Take(kAll)), ErrorCode::kGone);
  EXPECT_EQ(CodeOf(storage_->Follow("pods", "", 2, [] {})), ErrorCode::kGone);
  EXPECT_THAT(ListPods(3), ElementsAre("n/a@2 ", "n/b@3 "));
  EXPECT_THAT(Take(*Follow("", 3)), ElementsAre("+n/c@4 "));
  storage_->Compact("pods", 100);  // no more than there has been
  EXPECT_THAT(ListPods(), ElementsAre("n/a@2 ", "n/b@3 ", "n/c@4 "));
  EXPECT_THAT(Take(*Follow("", 4)), IsEmpty());
}

TEST_P(StorageTest, IsTheSameAfterARestart) {
  ASSERT_TRUE(storage_.Put("n", "a", 0, std::string("\0x", 2)).has_value());
  ASSERT_TRUE(storage_.Put("n", "b", 0, "").has_value());
  ASSERT_TRUE(storage_.Put("n", "a", 2, "new").has_value());
  ASSERT_TRUE(storage_.Remove("n", "b", 3, "last").has_value());
  storage_.Reopen();
  EXPECT_EQ(storage_->revision(), 5);
  EXPECT_THAT(ListPods(), ElementsAre("n/a@4 new"));
  EXPECT_THAT(ListPods(3), ElementsAre(std::string("n/a@2 \0x", 8), "n/b@3 "));
  EXPECT_THAT(Take(*Follow("", 3)),
              ElementsAre(std::string("*n/a@4 new, was \0x", 18), "-n/b@5 last, was "));
  EXPECT_EQ(Brief(*storage_.Put("n", "c", 0, "")), "n/c@6 ");
}

TEST_P(StorageTest, RevisionsDoNotGoBackWhenNothingIsLeft) {
  ASSERT_TRUE(storage_.Put("n", "a", 0, "").has_value());
  ASSERT_TRUE(storage_.Remove("n", "a", 2, "").has_value());
  storage_->Compact("pods", 3);
  ASSERT_TRUE(storage_.Put("n", "x", 0, "", "other").has_value());
  ASSERT_TRUE(storage_.Remove("n", "x", 4, "", "other").has_value());
  storage_->Compact("other", 5);
  storage_.Reopen();
  EXPECT_EQ(storage_->revision(), 5);
  EXPECT_EQ(Brief(*storage_.Put("n", "a", 0, "")), "n/a@6 ");
}

TEST_P(StorageTest, EndsItsWritesBeforeItEnds) {
  int done = 0;
  for (const char* name : {"a", "b"}) {
    storage_->Put(
        {"pods", "n", name}, 0, [](Revision) { return MakeBytes("x"); },
        [&](Result<Entry> entry) { done += entry.has_value() ? 1 : 0; });
  }
  storage_.Reopen();
  EXPECT_EQ(done, 2);
  EXPECT_THAT(ListPods(), ElementsAre("n/a@2 x", "n/b@3 x"));
}

TEST_P(StorageTest, AFollowerMayOutliveTheStorage) {
  auto scratch = std::make_unique<ScratchStorage>(GetParam());
  auto follower = *(*scratch)->Follow("pods", "", 1, [] {});
  ASSERT_TRUE(scratch->Put("n", "a", 0, "").has_value());
  scratch.reset();
  EXPECT_THAT(Take(*follower), ElementsAre("+n/a@2 "));
}

// Its versions own each other: to destroy them must not take a stack as deep as there are of them.
TEST(StorageHistory, OfOneObjectMayBeLong) {
  Storage::Options options;
  options.changes_kept = 200'000;
  ScratchStorage storage(false, options);
  Revision revision = 0;
  for (int i = 0; i < 200'000; ++i) revision = storage.Put("n", "a", revision, "")->revision;
  EXPECT_EQ(revision, 200'001);
}

}  // namespace
}  // namespace flyball::sandbox

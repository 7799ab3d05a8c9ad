// The storage against a model of it that is too simple to be wrong, by random operations. A failure
// names the seed and the step: the same seed takes the same steps again.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/sandbox/internal/scratch_storage.h"
#include "flyball/sandbox/storage/storage.h"
#include "gtest/gtest.h"

namespace flyball::sandbox {
namespace {

constexpr std::size_t kChangesKept = 40;
constexpr std::size_t kFollowers = 6;

/// All that was ever written, in its order. Each answer is made from the beginning.
class Model {
 public:
  struct Step {
    StorageKey key;
    Revision revision;
    bool deleted;
    std::string text;
  };
  using Objects = std::map<std::pair<std::string, std::string>, Step>;  // by namespace and name

  Objects ObjectsAt(const std::string& collection, Revision at) const {
    Objects objects;
    for (const Step& step : steps_) {
      if (step.key.collection != collection || step.revision > at) continue;
      const std::pair place(step.key.namespace_, step.key.name);
      objects.erase(place);
      if (!step.deleted) objects.emplace(place, step);
    }
    return objects;
  }

  Revision RevisionOf(const StorageKey& key) const {
    Revision revision = 0;
    for (const Step& step : steps_) {
      if (step.key == key) revision = step.deleted ? 0 : step.revision;
    }
    return revision;
  }

  std::vector<std::string> List(const std::string& collection, const std::string& namespace_,
                                Revision at) const {
    std::vector<std::string> listed;
    for (const auto& [place, step] : ObjectsAt(collection, at)) {
      if (namespace_.empty() || place.first == namespace_) listed.push_back(BriefOf(step));
    }
    return listed;
  }

  std::vector<std::string> ChangesAfter(const std::string& collection,
                                        const std::string& namespace_, Revision since) const {
    std::map<std::pair<std::string, std::string>, std::string> texts;
    std::vector<std::string> changes;
    for (const Step& step : steps_) {
      if (step.key.collection != collection) continue;
      const std::pair place(step.key.namespace_, step.key.name);
      const auto before = texts.find(place);
      if (step.revision > since && (namespace_.empty() || place.first == namespace_)) {
        const char* const what = step.deleted ? "-" : before == texts.end() ? "+" : "*";
        changes.push_back(what + BriefOf(step) +
                          (before == texts.end() ? "" : ", was " + before->second));
      }
      if (step.deleted) {
        texts.erase(place);
      } else {
        texts[place] = step.text;
      }
    }
    return changes;
  }

  /// The moment before the oldest change that is kept.
  Revision Compacted(const std::string& collection) const {
    std::vector<Revision> revisions;
    for (const Step& step : steps_) {
      if (step.key.collection == collection) revisions.push_back(step.revision);
    }
    const auto told = told_.find(collection);
    const Revision least = told == told_.end() ? 0 : told->second;
    if (revisions.size() <= kChangesKept) return least;
    return std::max(least, revisions[revisions.size() - kChangesKept - 1]);
  }

  void Add(Step step) {
    revision_ = step.revision;
    steps_.push_back(std::move(step));
  }
  void Compact(const std::string& collection, Revision up_to) {
    told_[collection] = std::max(told_[collection], std::min(up_to, revision_));
  }
  Revision revision() const { return revision_; }

 private:
  static std::string BriefOf(const Step& step) {
    return step.key.namespace_ + "/" + step.key.name + "@" + std::to_string(step.revision) + " " +
           step.text;
  }

  std::vector<Step> steps_;
  std::map<std::string, Revision> told_;
  Revision revision_ = 1;
};

/// Somebody who follows, and what it must be told.
struct Observer {
  std::string collection;
  std::string namespace_;
  Revision position = 0;  // of what it was told last
  bool waits = false;
  std::shared_ptr<int> woken = std::make_shared<int>(0);
  std::unique_ptr<Storage::Follower> follower;
};

class Comparison {
 public:
  Comparison(std::uint64_t seed, bool on_disk)
      : random_(seed), storage_(on_disk, {.changes_kept = kChangesKept}) {}

  void Step() {
    switch (Draw(16)) {
      case 0:
        return Compact();
      case 1:
        return Draw(20) == 0 ? Restart() : ListPages();
      case 2:
      case 3:
        return List();
      case 4:
        return Follow();
      case 5:
      case 6:
      case 7:
        return Take();
      case 8:
      case 9:
        return Remove();
      default:
        return Put();
    }
  }

 private:
  std::uint64_t Draw(std::uint64_t below) { return random_() % below; }
  std::string DrawCollection() { return Draw(3) == 0 ? "rare" : "usual"; }
  std::string DrawNamespace() { return std::string(1, static_cast<char>('a' + Draw(3))); }
  StorageKey DrawKey() { return {DrawCollection(), DrawNamespace(), std::to_string(Draw(6))}; }
  Revision DrawRevision() {
    const Revision newest = model_.revision();
    return newest -
           static_cast<Revision>(Draw(static_cast<std::uint64_t>(std::min<Revision>(newest, 100))));
  }
  /// Mostly what it is.
  Revision DrawExpected(const StorageKey& key) {
    return Draw(8) == 0 ? DrawRevision() : model_.RevisionOf(key);
  }

  void Put() {
    const StorageKey key = DrawKey();
    const Revision expected = DrawExpected(key);
    const std::string text = std::to_string(random_());
    Check(storage_.Put(key.namespace_, key.name, expected, text, key.collection), key, expected,
          false, text);
  }
  void Remove() {
    const StorageKey key = DrawKey();
    const Revision expected = std::max<Revision>(DrawExpected(key), 1);
    const std::string text = std::to_string(random_());
    Check(storage_.Remove(key.namespace_, key.name, expected, text, key.collection), key, expected,
          true, text);
  }
  void Check(const Result<Entry>& outcome, const StorageKey& key, Revision expected, bool deleted,
             const std::string& text) {
    const Revision is = model_.RevisionOf(key);
    ASSERT_EQ(outcome.has_value(), is == expected);
    if (!outcome) {
      EXPECT_EQ(outcome.error().code(), is == 0         ? ErrorCode::kNotFound
                                        : expected == 0 ? ErrorCode::kAlreadyExists
                                                        : ErrorCode::kConflict);
      return;
    }
    EXPECT_EQ(outcome->revision, model_.revision() + 1);
    model_.Add({key, outcome->revision, deleted, text});
    EXPECT_EQ(storage_->revision(), outcome->revision);
    EXPECT_EQ(storage_->Get(key).has_value(), !deleted);
    CheckWakes(key);
  }

  void CheckWakes(const StorageKey& key) {
    for (Observer& observer : observers_) {
      if (observer.follower == nullptr || !observer.waits) continue;
      const bool matches = observer.collection == key.collection &&
                           (observer.namespace_.empty() || observer.namespace_ == key.namespace_);
      EXPECT_EQ(*observer.woken, matches ? 1 : 0);
      if (!matches) {
        EXPECT_EQ(observer.follower->revision(), model_.revision());
        continue;
      }
      observer.waits = false;
      observer.position = model_.revision() - 1;
    }
  }

  void List() {
    const std::string collection = DrawCollection();
    const std::string namespace_ = Draw(2) == 0 ? "" : DrawNamespace();
    const Revision at = Draw(3) == 0 ? 0 : DrawRevision();
    const auto page =
        storage_->List({.collection = collection, .namespace_ = namespace_, .at = at});
    if (at != 0 && at < model_.Compacted(collection)) {
      ASSERT_FALSE(page.has_value());
      EXPECT_EQ(page.error().code(), ErrorCode::kGone);
      return;
    }
    ASSERT_TRUE(page.has_value()) << page.error().Describe();
    EXPECT_EQ(page->at, at == 0 ? model_.revision() : at);
    EXPECT_EQ(Briefs(page->entries), model_.List(collection, namespace_, page->at));
  }

  void ListPages() {
    Storage::Range range{.collection = DrawCollection(), .limit = 1 + Draw(4)};
    range.at = std::max(DrawRevision(), model_.Compacted(range.collection));
    std::vector<std::string> listed;
    const auto all = model_.List(range.collection, "", range.at);
    for (;;) {
      const auto page = storage_->List(range);
      ASSERT_TRUE(page.has_value()) << page.error().Describe();
      for (const std::string& brief : Briefs(page->entries)) listed.push_back(brief);
      EXPECT_EQ(page->remaining, all.size() - listed.size());
      EXPECT_EQ(page->more, page->remaining > 0);
      if (!page->more) break;
      const StorageKey& last = *page->entries.back().key;
      range.after = {last.namespace_, last.name};
    }
    EXPECT_EQ(listed, all);
  }

  void Follow() {
    Observer observer{.collection = DrawCollection(),
                      .namespace_ = Draw(2) == 0 ? "" : DrawNamespace(),
                      .position = DrawRevision(),
                      .follower = nullptr};
    auto follower = storage_->Follow(observer.collection, observer.namespace_, observer.position,
                                     [woken = observer.woken] { ++*woken; });
    ASSERT_EQ(follower.has_value(), observer.position >= model_.Compacted(observer.collection));
    if (!follower) return;
    observer.follower = *std::move(follower);
    observers_[Draw(kFollowers)] = std::move(observer);
  }

  void Take() {
    Observer& observer = observers_[Draw(kFollowers)];
    if (observer.follower == nullptr) return;
    const std::size_t max = 1 + Draw(10);
    const auto taken = observer.follower->Take(max);
    if (!observer.waits && observer.position < model_.Compacted(observer.collection)) {
      ASSERT_FALSE(taken.has_value());
      EXPECT_EQ(taken.error().code(), ErrorCode::kGone);
      observer.follower.reset();
      return;
    }
    ASSERT_TRUE(taken.has_value()) << taken.error().Describe();
    auto expected = observer.waits ? std::vector<std::string>()
                                   : model_.ChangesAfter(observer.collection, observer.namespace_,
                                                         observer.position);
    const bool all = expected.size() < max;
    if (!all) expected.resize(max);
    EXPECT_EQ(Briefs(*taken), expected);
    observer.position = all ? model_.revision() : taken->back().revision;
    observer.waits = expected.empty();
    *observer.woken = 0;
    EXPECT_EQ(observer.follower->revision(), observer.position);
  }

  void Compact() {
    if (Draw(4) != 0) return;
    const std::string collection = DrawCollection();
    const Revision up_to = DrawRevision() + 1;
    storage_->Compact(collection, up_to);
    model_.Compact(collection, up_to);
  }

  void Restart() {
    if (storage_.folder().empty()) return;
    Put();  // what was compacted is kept with the next write
    for (Observer& observer : observers_) observer = {};
    storage_.Reopen();
    EXPECT_EQ(storage_->revision(), model_.revision());
  }

  std::mt19937_64 random_;
  ScratchStorage storage_;
  Model model_;
  std::vector<Observer> observers_ = std::vector<Observer>(kFollowers);
};

void Compare(std::uint64_t seed, bool on_disk, int steps) {
  Comparison comparison(seed, on_disk);
  for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
    comparison.Step();
  }
}

TEST(StorageModel, HoldsInMemory) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) Compare(seed, false, 2000);
}

TEST(StorageModel, HoldsOnDiskAndAcrossRestarts) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) Compare(seed, true, 2000);
}

}  // namespace
}  // namespace flyball::sandbox

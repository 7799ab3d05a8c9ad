#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "flyball/controllers/endpoint_slice/internal/endpoint_slice_fixture.h"

/// Pods of a service come, go and change at random. What its slices say is looked at whenever all
/// is quiet, and before each write: those whose pods stay as they are must be there all the time.
/// (tests/conformance/slices compares the number of writes with upstream's, for 3,000 pods.)
namespace flyball::controllers::endpoint_slice {
namespace {

using std::chrono::milliseconds;

class RandomChanges : public EndpointSliceTest {
 protected:
  static constexpr std::size_t kMost = 20;

  void Add() {
    const std::string name = "p" + std::to_string(made_);
    CreatePod(name, "10.1." + std::to_string(made_ / 250) + "." + std::to_string(made_ % 250));
    ++made_;
    ready_[name] = true;
    changed_.insert(name);
  }
  void Change() {
    if (ready_.empty() || random_() % 3 == 0) return Add();
    auto at = ready_.begin();
    std::advance(at, random_() % ready_.size());
    changed_.insert(at->first);
    if (random_() % 2 == 0) {
      at->second = !at->second;
      SetReady(at->first, at->second);
    } else {
      DeletePod(at->first);
      ready_.erase(at);
    }
  }

  std::map<std::string, bool> Said() {
    std::map<std::string, bool> said;
    for (const Slice& slice : Slices()) {
      EXPECT_LE(slice.endpoints.size(), kMost);
      for (const auto& endpoint : slice.endpoints) {
        const bool is_new =
            said.emplace(endpoint.targetRef->name, *endpoint.conditions.ready).second;
        EXPECT_TRUE(is_new) << endpoint.targetRef->name << " is there twice";
      }
    }
    return said;
  }
  /// Looks before the next request, and before each after that.
  void WatchWrites() {
    before_next_request_ = [this] {
      const auto said = Said();
      for (const auto& [pod, ready] : ready_) {
        if (changed_.contains(pod)) continue;
        const auto found = said.find(pod);
        EXPECT_TRUE(found != said.end() && found->second == ready) << pod << " is missed";
      }
      WatchWrites();
    };
  }

  std::mt19937 random_{7};
  int made_ = 0;
  std::map<std::string, bool> ready_;  // the pods that there are
  std::set<std::string> changed_;      // since all was quiet
};

TEST_F(RandomChanges, OfPodsAreInTheSlicesWhenAllIsQuietAndNobodyIsMissedMeanwhile) {
  PlayIt(
      [&] {
        CreateService();
        for (int i = 0; i < 150; ++i) Add();
        Settle();
        for (int round = 0; round < 40; ++round) {
          ASSERT_EQ(Said(), ready_) << "round " << round;
          changed_.clear();
          WatchWrites();
          for (auto i = 1 + random_() % 5; i > 0; --i) Change();
          Settle();
        }
      },
      {.max_endpoints_per_slice = kMost});
}

TEST_F(RandomChanges, AreThereAfterTheBatchPeriod) {
  constexpr milliseconds kPeriod{500};
  PlayIt(
      [&] {
        CreateService();
        for (int i = 0; i < 50; ++i) Add();
        Pass(kPeriod + milliseconds(100));
        for (int round = 0; round < 20; ++round) {
          ASSERT_EQ(Said(), ready_) << "round " << round;
          TakeSent();
          changed_.clear();
          WatchWrites();
          for (auto i = 1 + random_() % 5; i > 0; --i) {
            Change();
            Pass(milliseconds(20));
          }
          Pass(kPeriod);
          EXPECT_LE(TakeSent().size(), 3 + changed_.size()) << "they were not collected";
        }
      },
      {.max_endpoints_per_slice = kMost, .updates_batch_period = kPeriod});
}

}  // namespace
}  // namespace flyball::controllers::endpoint_slice

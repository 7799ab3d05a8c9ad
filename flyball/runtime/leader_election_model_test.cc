// Several candidates on one lease, in many orders and with a server that fails: at no time may two
// of them act.

#include <random>

#include "flyball/base/deterministic_executor.h"
#include "flyball/runtime/leader_elector.h"
#include "flyball/runtime/lease_store_fake.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using namespace std::chrono_literals;
using transport::FakeTransport;

/// What they have in common.
struct ElectionWorld {
  explicit ElectionWorld(std::uint64_t seed) : executor(seed), dice(seed) {}

  double Chance() { return std::uniform_real_distribution<double>(0, 1)(dice); }

  DeterministicExecutor executor;
  std::mt19937_64 dice;
  FakeLeaseStore store;
  std::vector<std::string> acted;  // who, whenever it was another than before
};

/// A process that stands for election and acts as fast as it can. It is slow at times, its requests
/// get lost on the way there or back, and it stands still for longer than its lease.
class Candidate {
 public:
  Candidate(ElectionWorld& world, std::string name) : world_(world), name_(std::move(name)) {
    elector_ = *LeaderElector::Create({.rest = rest_,
                                       .clock = clock_,
                                       .random = [&world] { return world.dice(); },
                                       .fence = fence_},
                                      {{"default", "shop"}, name_, {3s, 2s, 500ms}}, {});
    world_.executor.Start(name_, [this] {
      if (elector_->Run(stop_.get_token()) == LeaderElector::Ended::kStopped) {
        drained_ = true;
        if (const auto released = elector_->Release(); !released) return;
      }
    });
    world_.executor.Start(name_ + "/work", [this] {
      while (!drained_) {
        if (fence_->IsOpen()) Act();
        clock_.SleepFor(100ms);
      }
    });
  }

  void Stop() { stop_.request_stop(); }

 private:
  void Act() {
    if (world_.acted.empty() || world_.acted.back() != name_) world_.acted.push_back(name_);
  }

  FakeTransport::Answer Handle(const transport::Request& request) {
    Delay(request);
    if (world_.Chance() < 0.05) return Lost();
    auto answer = world_.store.Handle(request);
    Delay(request);
    if (world_.Chance() < 0.05) return Lost();
    return answer;
  }

  void Delay(const transport::Request& request) {
    const double chance = world_.Chance();
    if (chance < 0.02) {
      clock_.SleepFor(5s);  // a pause: the time-out does not see it
    } else if (chance < 0.1) {
      clock_.SleepFor(request.timeout / 2);
    } else {
      clock_.SleepFor(1ms);
    }
  }

  static FakeTransport::Answer Lost() {
    return FakeTransport::Answer::Broken({ErrorCode::kIo, "connection reset"});
  }

  ElectionWorld& world_;
  const std::string name_;
  Clock& clock_ = world_.executor.clock();
  FakeTransport transport_{[this](const auto& request) { return Handle(request); }};
  client::RestClient rest_{{.transport = transport_, .clock = clock_}, {}};
  std::shared_ptr<LeadershipFence> fence_ = std::make_shared<LeadershipFence>(clock_);
  std::unique_ptr<LeaderElector> elector_;
  std::stop_source stop_;
  bool drained_ = false;
};

TEST(LeaderElectionModel, NoCandidateActsAfterAnotherHasBegunTo) {
  std::size_t terms = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ElectionWorld world(seed);
    std::vector<std::unique_ptr<Candidate>> candidates;
    for (int round = 0; round < 10; ++round) {
      candidates.push_back(
          std::make_unique<Candidate>(world, "candidate-" + std::to_string(round)));
      if (round >= 3) candidates[static_cast<std::size_t>(round - 3)]->Stop();
      std::ignore = world.executor.RunFor(4s);
    }
    auto once = world.acted;
    std::ranges::sort(once);
    EXPECT_EQ(std::ranges::adjacent_find(once), once.end()) << "seed " << seed;
    terms += world.acted.size();
    world.executor.Abandon();
  }
  EXPECT_GT(terms, 40U);
}

}  // namespace
}  // namespace flyball::runtime

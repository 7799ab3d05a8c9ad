#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/client/client.h"
#include "flyball/runtime/lease_record.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/process.h"

namespace flyball::cluster {

inline int FromEnvironment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

inline double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

struct Candidate {
  std::string identity;
  Process process;
};

/// Three candidates, each a process, and what they write.
class ElectionTest : public ClusterTest {
 protected:
  /// For who waits for a leader and does not ask how long it takes.
  static constexpr std::chrono::seconds kPatience{120};

  explicit ElectionTest(const runtime::LeaseTimes& times) : times_(times) {}

  void SetUp() override {
    auto file = plane().WriteKubeconfig("candidate", {.token = plane().admin_token()});
    ASSERT_TRUE(file.has_value()) << file.error().Describe();
    kubeconfig_ = *file;
    Fill();
    ASSERT_NE(AwaitLeader("", kPatience), nullptr);
  }

  void TearDown() override {
    if (!HasFailure()) return;
    for (const auto& [identity, span] : trail_.spans()) {
      std::cout << identity << ": " << span.writes << " writes, " << span.first << " to "
                << span.last << "\n";
    }
  }

  /// So that there are three again.
  void Fill() {
    std::erase_if(candidates_, [](Candidate& one) { return !one.process.Running(); });
    while (candidates_.size() < 3) {
      const std::string identity = "candidate-" + std::to_string(++started_);
      const auto text = [](std::chrono::nanoseconds time) {
        return std::to_string(std::chrono::floor<std::chrono::milliseconds>(time).count());
      };
      auto process = Process::Start(BuildFolder() / "tests/cluster/election_candidate",
                                    {kubeconfig_.string(), space_, identity, text(times_.duration),
                                     text(times_.renew_deadline), text(times_.retry_period)},
                                    logs() / "candidates.log");
      ASSERT_TRUE(process.has_value()) << process.error().Describe();
      candidates_.push_back({identity, *std::move(process)});
    }
  }

  std::string Holder() {
    const auto lease = admin_.Of<coordination::v1::Lease>().Get({space_, "election"});
    return lease ? std::string(runtime::HolderOf(*lease)) : "";
  }

  /// A leader other than `old`, when there is one. Null, and a failure, if there is none in time.
  Candidate* AwaitLeader(const std::string& old, std::chrono::nanoseconds patience) {
    const SteadyTime deadline = clock().SteadyNow() + patience;
    std::string holder;
    while (clock().SteadyNow() < deadline) {
      holder = Holder();
      if (!holder.empty() && holder != old) {
        for (Candidate& one : candidates_) {
          if (one.identity == holder && one.process.Running()) return &one;
        }
      }
      clock().SleepFor(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no leader in " << Seconds(patience) << " s; the lease is " << holder << "'s";
    return nullptr;
  }

  std::chrono::nanoseconds Between(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
    return std::chrono::nanoseconds(
        std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(dice_));
  }

  /// Until leaders have written so much more.
  void AwaitWrites(int more) {
    const auto written = [this] {
      trail_.ReadOn();
      long sum = 0;
      for (const auto& [identity, span] : trail_.spans()) sum += static_cast<long>(span.writes);
      return sum;
    };
    const long enough = written() + more;
    const SteadyTime deadline = clock().DeadlineAfter(kPatience);
    while (written() < enough && clock().SteadyNow() < deadline) {
      clock().SleepFor(std::chrono::milliseconds(50));
    }
    EXPECT_GE(written(), enough) << "nobody writes";
  }

  void ExpectNoLateWrites() {
    trail_.ReadOn();
    EXPECT_THAT(trail_.Overlaps(), testing::IsEmpty());
  }

  const runtime::LeaseTimes times_;
  const std::string space_ = NewNamespace();
  transport::HttpTransport transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("watcher", {"system:masters"}))};
  client::RestClient rest_{{.transport = transport_, .clock = clock()}, {}};
  client::Client admin_{rest_};
  std::filesystem::path kubeconfig_;
  std::vector<Candidate> candidates_;
  int started_ = 0;
  AuditTrail trail_{real_plane().audit_log(), {.space = space_}};
  std::mt19937_64 dice_{static_cast<std::uint64_t>(FromEnvironment("FLYBALL_ELECTION_SEED", 1))};
};

}  // namespace flyball::cluster

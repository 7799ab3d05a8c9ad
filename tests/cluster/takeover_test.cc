// Managers that stand for election and run controllers, on a real API server: when a leader dies or
// is told to end, another takes up where it left off, and nothing is done twice.

#include <csignal>
#include <string>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/runtime/lease_record.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/finished_jobs.h"
#include "tests/cluster/process.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using coordination::v1::Lease;
using testing::IsEmpty;

class TakeoverTest : public ClusterTest {
 protected:
  Process StartCandidate(const std::string& identity) {
    const auto file = plane().WriteKubeconfig(
        "manager", {.token = plane().TokenOf("system:kube-controller-manager")});
    EXPECT_TRUE(file) << file.error().Describe();
    auto process =
        Process::Start(FLYBALL_MANAGER_CANDIDATE, {file->string(), identity, "3000", "2000", "500"},
                       std::filesystem::path(FLYBALL_CLUSTER_LOGS) / "candidates.log");
    EXPECT_TRUE(process) << process.error().Describe();
    return *std::move(process);
  }

  std::string Holder() const {
    const auto lease = admin_.Of<Lease>().Get({"kube-system", "kube-controller-manager"});
    return lease ? std::string(runtime::HolderOf(*lease)) : "";
  }

  int DeletesBy(const std::string& identity) {
    trail_.ReadOn();
    const auto found = trail_.spans().find(identity);
    return found == trail_.spans().end() ? 0 : found->second.writes;
  }

  /// Has jobs finish until somebody has deleted some more.
  void FinishJobsUntilDeletedBy(const std::string& identity) {
    const SteadyTime deadline = clock().DeadlineAfter(60s);
    const int enough = DeletesBy(identity) + 10;
    while (DeletesBy(identity) < enough) {
      ASSERT_LT(clock().SteadyNow(), deadline)
          << identity << " does nothing; " << Holder() << " leads";
      const auto job = jobs_.Create("job-" + std::to_string(++created_), 1);
      ASSERT_TRUE(job) << job.error().Describe();
      const auto finished = jobs_.Complete(*job, clock().WallNow());
      ASSERT_TRUE(finished) << finished.error().Describe();
      clock().SleepFor(100ms);
    }
  }

  int Unfinished() const {
    int left = 0;
    for (int i = 1; i <= created_; ++i) {
      const auto job = jobs_.Get("job-" + std::to_string(i));
      if (!job || !job->metadata.deletionTimestamp) ++left;
    }
    return left;
  }

  const std::string space_ = NewNamespace();
  transport::HttpTransport transport_{
      network(),
      plane().TransportOptions(plane().IssueClientCertificate("people", {"system:masters"}))};
  client::RestClient rest_{{.transport = transport_, .clock = clock()}, {}};
  const client::Client admin_{rest_};
  const FinishedJobs jobs_{admin_, space_};
  AuditTrail trail_{real_plane().audit_log(),
                    {.space = space_, .resource = "jobs", .verbs = {"delete"}}};
  int created_ = 0;
};

TEST_F(TakeoverTest, AnotherTakesUpWhereALeaderLeftOffAndNothingIsDoneTwice) {
  Process first = StartCandidate("first");
  ASSERT_NO_FATAL_FAILURE(FinishJobsUntilDeletedBy("first"));
  Process second = StartCandidate("second");
  ASSERT_NO_FATAL_FAILURE(FinishJobsUntilDeletedBy("first"));
  EXPECT_EQ(Holder(), "first");

  first.Kill();
  ASSERT_NO_FATAL_FAILURE(FinishJobsUntilDeletedBy("second"));
  EXPECT_EQ(Holder(), "second");

  Process third = StartCandidate("third");
  kill(second.pid(), SIGTERM);
  ASSERT_NO_FATAL_FAILURE(FinishJobsUntilDeletedBy("third"));
  EXPECT_FALSE(second.Running());
  EXPECT_EQ(second.Describe(), "ended with status 0");

  const SteadyTime deadline = clock().DeadlineAfter(30s);
  while (Unfinished() > 0 && clock().SteadyNow() < deadline) clock().SleepFor(100ms);
  EXPECT_EQ(Unfinished(), 0);
  trail_.ReadOn();
  EXPECT_THAT(trail_.Overlaps(), IsEmpty());
  int deletes = 0;
  for (const auto& [identity, span] : trail_.spans()) deletes += span.writes;
  EXPECT_EQ(trail_.spans().size(), 3U);
  EXPECT_EQ(deletes, created_);
  EXPECT_THAT(real_plane().ForbiddenRequests(), IsEmpty());
}

}  // namespace
}  // namespace flyball::cluster

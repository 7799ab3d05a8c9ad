// The program kube-controller-manager as kubeadm runs it, on a real control plane: that it is
// healthy, whom it tells what, and what it does when it is told to stop, or the API server goes.

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/base/sanitizers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/audit_trail.h"
#include "tests/cluster/binary_test.h"
#include "tests/cluster/process_usage.h"
#include "tests/cluster/written_file.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using coordination::v1::Lease;
using core::v1::ConfigMap;
using core::v1::ServiceAccount;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;

class ManagerBinaryTest : public BinaryTest {
 protected:
  static int Status(const ManagerBinary& manager, const std::string& target,
                    const Credentials& who = {}) {
    return Must(manager.Get(target, who)).status;
  }

  void AwaitFurnished(const std::string& space, const ManagerBinary& manager) const {
    ASSERT_TRUE(Eventually([&] { return IsFurnished(space); })) << manager.log();
  }
};

TEST_F(ManagerBinaryTest, IsHealthyAndAtWorkWithTheCommandLineOfKubeadm) {
  ManagerBinary manager = StartManager("kubeadm");
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  const std::string space = NewNamespace();
  ASSERT_NO_FATAL_FAILURE(AwaitFurnished(space, manager));
  EXPECT_THAT(Holder(), ContainsRegex("^[^_]+_[-0-9a-f]{36}$"));
  EXPECT_THAT(RequestsOf(real_plane().audit_log(),
                         "system:serviceaccount:kube-system:service-account-controller", space),
              Contains("create serviceaccounts default 201"));
  EXPECT_THAT(RequestsOf(real_plane().audit_log(),
                         "system:serviceaccount:kube-system:root-ca-cert-publisher", space),
              Contains("create configmaps kube-root-ca.crt 201"));
  EXPECT_EQ(Must(manager.Get("/healthz")).body, "ok");
  EXPECT_TRUE(manager.process().Running());
#ifndef FLYBALL_SANITIZED  // which takes several times as much
  if (!IsUpstream()) {
    EXPECT_LT(UsageOf({manager.process().pid()}).resident_mb, 25);
  }
#endif
}

/// The words of a file that begin with two dashes, up to what they are given.
std::vector<std::string> FlagsIn(const std::string& file) {
  std::ifstream words(SourceFolder() / "packaging" / file);
  std::vector<std::string> flags;
  for (std::string word; words >> word;) {
    if (word.starts_with("--")) flags.push_back(word.substr(0, word.find('=')));
  }
  return flags;
}

TEST_F(ManagerBinaryTest, IsPackagedWithTheFlagsOfKubeadm) {
  std::vector<std::string> flags = KubeadmFlags(real_plane(), "");
  for (std::string& flag : flags) flag.resize(flag.find('='));
  EXPECT_EQ(FlagsIn("kube-controller-manager.yaml"), flags);
  EXPECT_EQ(FlagsIn("kube-controller-manager.service.in"), flags);
}

TEST_F(ManagerBinaryTest, TellsMetricsOnlyToThoseWhoMaySeeThem) {
  const std::string space = NewNamespace();
  const std::string token = NewAccount({space, "prometheus"});
  const std::string other = NewAccount({space, "other"});
  AllowToSee({space, "prometheus"}, "/metrics");
  ManagerBinary manager = StartManager("metrics");
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  EXPECT_EQ(Status(manager, "/healthz"), 200);
  EXPECT_EQ(Status(manager, "/metrics"), 403);
  EXPECT_EQ(Status(manager, "/metrics", {.token = "nobodys"}), 401);
  EXPECT_EQ(Status(manager, "/metrics", {.token = other}), 403);
  EXPECT_EQ(Status(manager, "/configz"), 403);
  // The API server's own cache of roles takes a moment; what was refused is remembered by path.
  int tries = 0;
  EXPECT_TRUE(Eventually([&] {
    return Status(manager, "/metrics?" + std::to_string(++tries), {.token = token}) == 200;
  }));
  EXPECT_EQ(Status(manager, "/metrics", Master()), 200);
}

TEST_F(ManagerBinaryTest, StandbysServeHealthAndMetricsAndTakeOver) {
  ManagerBinary leader = StartManager("leader", Hasty());
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(leader));
  ASSERT_TRUE(Eventually([&] { return !Holder().empty(); })) << leader.log();
  const std::string first = Holder();
  ManagerBinary standby = StartManager("standby", Hasty());
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(standby));
  const std::string gauge = R"(leader_election_master_status{name="kube-controller-manager"} )";
  EXPECT_TRUE(Eventually(
      [&] { return Must(leader.Get("/metrics", Master())).body.contains(gauge + "1"); }));
  EXPECT_TRUE(Eventually(
      [&] { return Must(standby.Get("/metrics", Master())).body.contains(gauge + "0"); }));
  EXPECT_EQ(Holder(), first);

  EXPECT_TRUE(leader.process().Stop(clock(), 20s));
  ASSERT_TRUE(Eventually([&] {
    const std::string holder = Holder();
    return !holder.empty() && holder != first;
  }));
  ASSERT_NO_FATAL_FAILURE(AwaitFurnished(NewNamespace(), standby));
  if (IsUpstream()) return;  // it dies where it stands, and the next waits for the lease to run out
  EXPECT_EQ(leader.process().Describe(), "ended with status 0") << leader.log();
}

TEST_F(ManagerBinaryTest, GivesItsLeaseBackWhenItIsToldToEnd) {
  if (IsUpstream()) GTEST_SKIP() << "it dies where it stands";
  ManagerBinary manager = StartManager("gives-back");
  ASSERT_TRUE(Eventually([&] { return !Holder().empty(); })) << manager.log();
  EXPECT_TRUE(manager.process().Stop(clock(), 20s));
  EXPECT_EQ(manager.process().Describe(), "ended with status 0") << manager.log();
  ASSERT_TRUE(Exists<Lease>(kLease));
  EXPECT_EQ(Holder(), "");
}

TEST_F(ManagerBinaryTest, LosesItsLeaseWithTheApiServerAndWaitsForItToComeBack) {
  ManagerBinary manager = StartManager("outage", Hasty());
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  ASSERT_NO_FATAL_FAILURE(AwaitFurnished(NewNamespace(), manager));
  real_plane().KillApiServer();
  EXPECT_TRUE(Eventually([&] { return !manager.process().Running(); }));
  EXPECT_EQ(manager.process().Describe(), "ended with status 1") << manager.log();
  // Not at the first request that fails.
  EXPECT_THAT(manager.log(), ContainsRegex("[Rr]efused(.|\n)*lost"));

  // As who supervises it does.
  ManagerBinary next = StartManager("outage-next", Hasty());
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(next));
  const auto refused = [&next] {
    int times = 0;
    const std::string log = next.log();
    for (auto at = log.find("efused"); at != log.npos; at = log.find("efused", at + 1)) ++times;
    return times;
  };
  EXPECT_TRUE(Eventually([&] { return refused() >= 3; })) << next.log();
  EXPECT_EQ(next.process().Describe(), "runs") << next.log();
  EXPECT_LT(std::ranges::count(next.log(), '\n'), 150) << next.log();

  Must(plane().StartApiServer());
  ASSERT_NO_FATAL_FAILURE(AwaitFurnished(NewNamespace(), next));
  EXPECT_TRUE(next.Healthy());
}

TEST_F(ManagerBinaryTest, SaysThatItsCredentialsAreWrongAndGoesOnAsking) {
  const auto kubeconfig = Must(plane().WriteKubeconfig("wrong", {.token = "nobodys"}));
  const long before = Unauthorized(real_plane());
  ManagerBinary manager = StartManager("wrong-credentials", {}, kubeconfig);
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  EXPECT_TRUE(Eventually([&] { return manager.log().contains("Unauthorized"); })) << manager.log();
  EXPECT_TRUE(Eventually([&] { return Unauthorized(real_plane()) - before >= 2; }))
      << manager.log();
  EXPECT_EQ(manager.process().Describe(), "runs") << manager.log();
}

TEST_F(ManagerBinaryTest, RunsMigratedControllersOnlyUnderTheMigrationLease) {
  // That upstream's roles do not name this lease is said in the guide to migrations.
  Must(admin().Of<rbac::v1::Role>().Create([] {
    rbac::v1::Role role;
    role.metadata.namespace_ = "kube-system";
    role.metadata.name = "migrates";
    rbac::v1::PolicyRule& rule = role.rules.emplace_back();
    rule.verbs = {"get", "update"};
    rule.apiGroups = {"coordination.k8s.io"};
    rule.resources = {"leases"};
    rule.resourceNames = {"migration"};
    return role;
  }()));
  Must(admin().Of<rbac::v1::RoleBinding>().Create([] {
    rbac::v1::RoleBinding binding;
    binding.metadata.namespace_ = "kube-system";
    binding.metadata.name = "migrates";
    binding.roleRef.apiGroup = "rbac.authorization.k8s.io";
    binding.roleRef.kind = "Role";
    binding.roleRef.name = "migrates";
    rbac::v1::Subject& subject = binding.subjects.emplace_back();
    subject.kind = "User";
    subject.apiGroup = "rbac.authorization.k8s.io";
    subject.name = "system:kube-controller-manager";
    return binding;
  }()));
  const api::ObjectKey migration{"kube-system", "migration"};
  Must(All<Lease>().Create(
      runtime::NewLease(migration, "another-manager", {.duration = 1h}, clock().WallNow())));
  const auto config = plane().folder() / "migration.yaml";
  Must(WriteFile(config,
                 "apiVersion: controllermanager.config.k8s.io/v1\n"
                 "kind: LeaderMigrationConfiguration\n"
                 "leaderName: migration\n"
                 "controllerLeaders:\n"
                 "- {name: serviceaccount-controller, component: '*'}\n"));

  ManagerBinary manager = StartManager(
      "migration",
      Hasty({"--enable-leader-migration=true", "--leader-migration-config=" + config.string()}));
  ASSERT_NO_FATAL_FAILURE(AwaitHealthy(manager));
  const std::string space = NewNamespace();
  const api::ObjectKey account{space, "default"};
  ASSERT_TRUE(Eventually([&] { return Exists<ConfigMap>({space, "kube-root-ca.crt"}); }))
      << manager.log();
  const std::string later = NewNamespace();
  ASSERT_TRUE(Eventually([&] { return Exists<ConfigMap>({later, "kube-root-ca.crt"}); }))
      << manager.log();
  EXPECT_FALSE(Exists<ServiceAccount>(account)) << "another manager holds that lease";
  // v1.37.1 dies when it gets the second lease: "informer name is already registered".
  if (IsUpstream()) return;
  // Given back: one that is deleted is respected until its term is over.
  Must(
      All<Lease>().Update(runtime::Released(Must(All<Lease>().Get(migration)), clock().WallNow())));
  EXPECT_TRUE(Eventually([&] { return Exists<ServiceAccount>(account); })) << manager.log();
  const auto held = All<Lease>().Get(migration);
  EXPECT_EQ(held ? runtime::HolderOf(*held) : "", Holder());
}

}  // namespace
}  // namespace flyball::cluster

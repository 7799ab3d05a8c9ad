#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/coordination/v1.h"
#include "flyball/runtime/lease_record.h"
#include "tests/cluster/admin_test.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/manager_binary.h"

namespace flyball::cluster {

/// A test of the program kube-controller-manager on a real control plane. With
/// FLYBALL_TEST_MANAGER=upstream it is upstream's: a test that this one passes too is fair.
class BinaryTest : public AdminTest {
 protected:
  static bool IsUpstream() {
    const char* const which = std::getenv("FLYBALL_TEST_MANAGER");
    return which != nullptr && std::string_view(which) == "upstream";
  }
  static std::filesystem::path Upstream() { return Programs::Find(ProgramsFile())->manager; }
  static std::filesystem::path Program() { return IsUpstream() ? Upstream() : ManagerProgram(); }

  /// Nobody leads, whoever did in the test before.
  void SetUp() override { ForgetLeader(); }
  void TearDown() override { EXPECT_THAT(real_plane().ForbiddenRequests(), testing::IsEmpty()); }

  /// With an election that is over in seconds.
  static std::vector<std::string> Hasty(std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(),
                 {"--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s",
                  "--leader-elect-retry-period=500ms"});
    return flags;
  }
  static ManagerBinary StartManager(const std::string& name, std::vector<std::string> flags = {},
                                    const std::filesystem::path& kubeconfig = {}) {
    return StartProgram(Program(), name, std::move(flags), kubeconfig);
  }
  static ManagerBinary StartProgram(const std::filesystem::path& program, const std::string& name,
                                    std::vector<std::string> flags = {},
                                    const std::filesystem::path& kubeconfig = {}) {
    auto manager = ManagerBinary::Start(real_plane(), clock(), network(),
                                        {.program = program,
                                         .log = logs() / (name + ".log"),
                                         .flags = std::move(flags),
                                         .kubeconfig = kubeconfig});
    EXPECT_TRUE(manager) << manager.error().Describe();
    return *std::move(manager);
  }

  /// With its log, if it does not come to that.
  static void AwaitHealthy(ManagerBinary& manager) {
    const bool healthy =
        Eventually([&] { return !manager.process().Running() || manager.Healthy(); });
    ASSERT_TRUE(healthy && manager.process().Running())
        << "it " << manager.process().Describe() << ":\n"
        << manager.log();
  }

  void ForgetLeader() const {
    if (Exists<coordination::v1::Lease>(kLease)) {
      Must(All<coordination::v1::Lease>().Delete(kLease));
    }
  }
  std::string Holder() const {
    const auto lease = All<coordination::v1::Lease>().Get(kLease);
    return lease ? std::string(runtime::HolderOf(*lease)) : "";
  }

  /// Whether what every namespace gets has been given to this one.
  bool IsFurnished(const std::string& space) const {
    return Exists<core::v1::ServiceAccount>({space, "default"}) &&
           Exists<core::v1::ConfigMap>({space, "kube-root-ca.crt"});
  }

  /// A secret for a manager to put a token of the namespace's account into.
  void CreateToken(const std::string& space) const {
    core::v1::Secret secret;
    secret.metadata.namespace_ = space;
    secret.metadata.name = "token";
    secret.metadata.annotations = {{"kubernetes.io/service-account.name", "default"}};
    secret.type = "kubernetes.io/service-account-token";
    Must(All<core::v1::Secret>().Create(secret));
  }
  bool HasToken(const std::string& space) const {
    const auto secret = All<core::v1::Secret>().Get({space, "token"});
    return secret && secret->data.contains("token");
  }

  /// How many requests the API server has turned away since it does not know who asks.
  static long Unauthorized(const RealControlPlane& plane) {
    long count = 0;
    std::ifstream events(plane.audit_log());
    for (std::string event; std::getline(events, event);) {
      if (event.contains(R"("code":401)")) ++count;
    }
    return count;
  }

  Credentials Master() const {
    return {.certificate = plane().IssueClientCertificate("anna", {"system:masters"})};
  }

  inline static const api::ObjectKey kLease{"kube-system", "kube-controller-manager"};
};

}  // namespace flyball::cluster

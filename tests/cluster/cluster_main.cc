// The main() of test programs against a control plane: starts it, runs the tests, and sees to it
// that nothing stays behind. The real one, or the embedded one with FLYBALL_TEST_SERVER=embedded.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/embedded_control_plane.h"

namespace flyball::cluster {
namespace {

/// What the tests share.
struct Shared {
  RealClock clock;
  ElasticExecutor executor{clock};
  transport::Network network{executor};
  std::unique_ptr<ControlPlane> plane;
};
std::unique_ptr<Shared> shared;

bool InCi() {
  const char* const ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

bool Embedded() {
  const char* const server = std::getenv("FLYBALL_TEST_SERVER");
  return server != nullptr && std::string_view(server) == "embedded";
}

/// "x" of a program cluster_x_test.
std::string NameOfProgram() {
  std::string name = std::filesystem::read_symlink("/proc/self/exe").stem();
  if (name.starts_with("cluster_")) name.erase(0, std::string_view("cluster_").size());
  if (name.ends_with("_test")) name.resize(name.size() - std::string_view("_test").size());
  return name;
}

std::filesystem::path Logs() {
  return BuildFolder() / "tests/cluster/logs" / (NameOfProgram() + (Embedded() ? "-embedded" : ""));
}

std::vector<std::string>& ApiServerFlags() {
  static std::vector<std::string> flags;
  return flags;
}

class SharedControlPlane final : public testing::Environment {
 public:
  void SetUp() override { Embedded() ? SetUpEmbedded() : SetUpReal(); }

  void TearDown() override {
    if (!shared) return;
    if (testing::UnitTest::GetInstance()->Failed()) PrintLogs(Logs(), std::cout);
    if (shared->plane) {
      const auto* const real = dynamic_cast<RealControlPlane*>(shared->plane.get());
      const auto processes = real == nullptr ? std::vector<pid_t>() : real->processes();
      const auto folder = shared->plane->folder();
      shared->plane.reset();
      for (const pid_t pid : processes) EXPECT_EQ(kill(pid, 0), -1) << pid << " still runs";
      EXPECT_FALSE(std::filesystem::exists(folder)) << folder << " is still there";
    }
    shared.reset();
  }

 private:
  static void SetUpEmbedded() {
    shared = std::make_unique<Shared>();
    auto plane = EmbeddedControlPlane::Start(shared->executor, shared->network);
    ASSERT_TRUE(plane.has_value()) << plane.error().Describe();
    shared->plane = *std::move(plane);
  }

  static void SetUpReal() {
    const auto programs = Programs::Find(ProgramsFile());
    if (!programs) {
      ASSERT_FALSE(InCi()) << "no control plane: needs Go 1.26";
      std::cout << "skipped: needs Go 1.26\n";
      GTEST_SKIP();
    }
    shared = std::make_unique<Shared>();
    auto plane = RealControlPlane::Start(
        shared->clock, shared->network,
        {.programs = *programs, .logs = Logs(), .api_server_flags = ApiServerFlags()});
    ASSERT_TRUE(plane.has_value()) << plane.error().Describe();
    shared->plane = *std::move(plane);
  }
};

}  // namespace

ControlPlane& ClusterTest::plane() { return *shared->plane; }
RealControlPlane& ClusterTest::real_plane() {
  return dynamic_cast<RealControlPlane&>(*shared->plane);
}
bool ClusterTest::AddApiServerFlag(std::string flag) {
  ApiServerFlags().push_back(std::move(flag));
  return true;
}
bool ClusterTest::IsReal() { return !Embedded(); }
std::filesystem::path ClusterTest::logs() { return Logs(); }
Clock& ClusterTest::clock() { return shared->clock; }
Executor& ClusterTest::executor() { return shared->executor; }
transport::Network& ClusterTest::network() { return shared->network; }

std::string ClusterTest::NewNamespace() {
  auto name = plane().NewNamespace();
  if (name) return *std::move(name);
  ADD_FAILURE() << name.error().Describe();
  return "there-is-none";
}

}  // namespace flyball::cluster

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  testing::AddGlobalTestEnvironment(new flyball::cluster::SharedControlPlane());
  return RUN_ALL_TESTS();
}

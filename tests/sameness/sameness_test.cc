// The same requests to a real kube-apiserver and to the embedded one, and the same answers, field
// by field. What is asked stands in scenarios/, what may differ in excuses.yaml; each scenario is a
// test: --gtest_filter='Sameness.pods'.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "flyball/base/executor.h"
#include "gmock/gmock.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/embedded_control_plane.h"
#include "tests/cluster/real_control_plane.h"
#include "tests/sameness/player.h"
#include "tests/sameness/scenario.h"
#include "tests/scenario/differences.h"
#include "tests/scenario/excuses.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::sameness {
namespace {

namespace fs = std::filesystem;
using cluster::ControlPlane;
using cluster::EmbeddedControlPlane;
using cluster::RealControlPlane;
using scenario::Difference;
using scenario::Excuses;

const fs::path kFolder = cluster::SourceFolder() / "tests/sameness";

bool InCi() {
  const char* const ci = std::getenv("CI");
  return ci != nullptr && std::string_view(ci) == "true";
}

/// What the scenarios share. The servers start with the first and end with the program.
struct Shared {
  RealClock clock;
  ElasticExecutor executor{clock};
  transport::Network network{executor};
  std::unique_ptr<RealControlPlane> real;
  std::unique_ptr<EmbeddedControlPlane> embedded;
  std::optional<transport::HttpTransport> real_transport;
  std::optional<transport::HttpTransport> embedded_transport;
  Excuses excuses;
  bool skipped = false;

  Result<> Start() {
    FLYBALL_TRY(excuses, Excuses::Load(kFolder / "excuses.yaml"));
    const auto programs = cluster::Programs::Find(cluster::ProgramsFile());
    if (!programs) {
      skipped = true;
      if (InCi()) return Fail(ErrorCode::kUnsupported, "no control plane: needs Go 1.26");
      std::cout << "skipped: needs Go 1.26\n";
      return {};
    }
    // Who does not say who they are is nobody to the embedded server. Config maps come from etcd
    // itself, not from memory, so that their history can be forgotten.
    FLYBALL_TRY(
        real, RealControlPlane::Start(clock, network,
                                      {.programs = *programs,
                                       .logs = cluster::BuildFolder() / "tests/sameness/logs",
                                       .api_server_flags = {"--anonymous-auth=false",
                                                            "--watch-cache-sizes=configmaps#0"}}));
    FLYBALL_TRY(embedded, EmbeddedControlPlane::Start(executor, network));
    real_transport.emplace(network, real->TransportOptions());
    embedded_transport.emplace(network, embedded->TransportOptions());
    return {};
  }
};
std::unique_ptr<Shared> shared;

class SharedServers final : public testing::Environment {
 public:
  void SetUp() override {
    shared = std::make_unique<Shared>();
    const auto started = shared->Start();
    ASSERT_TRUE(started.has_value()) << started.error().Describe();
  }
  void TearDown() override { shared.reset(); }
};

class SamenessTest : public testing::Test {
 public:
  explicit SamenessTest(fs::path file) : file_(std::move(file)) {}

  void TestBody() override {
    if (shared->skipped) GTEST_SKIP();
    const auto scenario = Scenario::Load(file_);
    ASSERT_TRUE(scenario.has_value()) << scenario.error().Describe();
    Player real({*shared->real_transport, shared->real->admin_token(),
                 [] { return shared->real->ForgetHistory(); }},
                shared->clock, *scenario);
    Player embedded({*shared->embedded_transport, shared->embedded->admin_token(),
                     [] { return shared->embedded->ForgetHistory(); }},
                    shared->clock, *scenario);
    for (const Step& step : scenario->steps) {
      const auto expected = real.Play(step);
      ASSERT_TRUE(expected.has_value()) << expected.error().Describe() << "\n" << step.Describe();
      const auto actual = embedded.Play(step);
      ASSERT_TRUE(actual.has_value()) << actual.error().Describe() << "\n" << step.Describe();
      Report(*scenario, step, Compare(*expected, *actual));
    }
  }

 private:
  /// Where the status is not the same nothing else is, so that it is one difference.
  static std::vector<Difference> Compare(const api::Json& real, const api::Json& embedded) {
    const api::Json* const one = real.Find("status");
    const api::Json* const other = embedded.Find("status");
    if (one != nullptr && other != nullptr && *one != *other) {
      return {{"status", real.ToString(), embedded.ToString()}};
    }
    return scenario::FindDifferences(real, embedded);
  }

  static void Report(const Scenario& scenario, const Step& step,
                     const std::vector<Difference>& differences) {
    std::string text;
    const std::string request = step.method + " " + step.target;
    for (const Difference& each : differences) {
      if (shared->excuses.Excused(scenario.name, request, each)) continue;
      text +=
          each.path + "\n    real:     " + each.expected + "\n    embedded: " + each.actual + "\n";
    }
    if (!text.empty()) ADD_FAILURE() << step.Describe() << "\n" << text;
  }

  const fs::path file_;
};

/// Runs last, when all excuses had their chance.
class ExcusesTest : public testing::Test {
 public:
  void TestBody() override {
    if (shared->skipped) GTEST_SKIP();
    const auto docs = scenario::LoadText(cluster::SourceFolder() / "docs/sandbox.md");
    ASSERT_TRUE(docs.has_value()) << docs.error().Describe();
    EXPECT_THAT(shared->excuses.Undocumented(*docs), testing::IsEmpty());
    // Only if all scenarios were played.
    const auto* const test = testing::UnitTest::GetInstance();
    if (test->test_to_run_count() < test->total_test_count()) return;
    EXPECT_THAT(shared->excuses.Unused(), testing::IsEmpty());
  }
};

void RegisterScenarios() {
  for (const fs::path& file : scenario::ScenariosIn(kFolder / "scenarios")) {
    testing::RegisterTest("Sameness", file.stem().c_str(), nullptr, nullptr, file.c_str(), 1,
                          [file]() -> testing::Test* { return new SamenessTest(file); });
  }
  testing::RegisterTest("SamenessExcuses", "EachIsNeededAndDocumented", nullptr, nullptr, __FILE__,
                        __LINE__, []() -> testing::Test* { return new ExcusesTest(); });
}

}  // namespace
}  // namespace flyball::sameness

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  testing::AddGlobalTestEnvironment(new flyball::sameness::SharedServers());
  flyball::sameness::RegisterScenarios();
  return RUN_ALL_TESTS();
}

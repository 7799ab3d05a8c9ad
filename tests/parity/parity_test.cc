// Plays scenarios under upstream's kube-controller-manager and under ours, and compares what comes
// of them. Environment:
//   FLYBALL_PARITY_SELF=1    upstream's against itself: whether a scenario always ends the same
//   FLYBALL_PARITY_SAVE=DIR  what both had at each checkpoint, as files to compare by eye
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "flyball/base/executor.h"
#include "gmock/gmock.h"
#include "tests/cluster/our_controllers.h"
#include "tests/cluster/written_file.h"
#include "tests/parity/stage.h"
#include "tests/scenario/differences.h"

namespace flyball::parity {
namespace {

namespace fs = std::filesystem;
using Records = Stage::Records;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// A dash in a name would be a minus to --gtest_filter.
std::string TestNameOf(std::string scenario) {
  std::ranges::replace(scenario, '-', '_');
  return scenario;
}

/// The scenarios of this run, and what came of them.
class Yardstick final : public testing::Environment {
 public:
  /// Plays those that are to run; the tests then look at what came of it.
  void SetUp() override {
    const auto programs = cluster::Programs::Find(FLYBALL_CLUSTER_PROGRAMS);
    if (!programs) {
      skipped_ = true;
      ASSERT_NE(Variable("CI"), "true") << "no control plane: needs Go 1.26";
      std::cout << "skipped: needs Go 1.26\n";
      return;
    }
    LoadScenarios();
    PlayExpected(*programs);
    const fs::path ours = self_ ? programs->manager : fs::path(FLYBALL_MANAGER);
    actual_ = Play(*programs, ours, "ours", scenarios_);
  }

  bool skipped() const { return skipped_; }
  const Result<Record>& Expected(const std::string& name) const { return expected_.at(name); }
  const Result<Record>& Actual(const std::string& name) const { return actual_.at(name); }
  const std::vector<std::string>& forbidden() const { return forbidden_; }

 private:
  void LoadScenarios() {
    std::set<std::string> wanted;
    const auto& tests = *testing::UnitTest::GetInstance();
    for (int s = 0; s < tests.total_test_suite_count(); ++s) {
      const auto& suite = *tests.GetTestSuite(s);
      for (int i = 0; i < suite.total_test_count(); ++i) {
        if (suite.GetTestInfo(i)->should_run()) wanted.insert(suite.GetTestInfo(i)->name());
      }
    }
    for (const fs::path& file : scenario::ScenariosIn(FLYBALL_PARITY_SCENARIOS)) {
      if (!wanted.contains(TestNameOf(file.stem()))) continue;
      auto scenario = Scenario::Load(file);
      if (scenario) {
        scenarios_.push_back(*std::move(scenario));
      } else {
        const std::unexpected<Error> error(scenario.error());
        expected_.emplace(file.stem(), error);
        actual_.emplace(file.stem(), error);
      }
    }
  }

  /// Upstream's manager has to show what it does only once.
  void PlayExpected(const cluster::Programs& programs) {
    const RecordArchive archive(programs.manager.parent_path() / "parity");
    const auto depends_on = [](const Scenario& scenario) {
      return FLYBALL_PARITY_TELLERS "\n" + cluster::ControllersFlag() + "\n" + scenario.text;
    };
    std::vector<Scenario> unknown;
    for (const Scenario& each : scenarios_) {
      auto record = self_ ? std::nullopt : archive.Find(each.name, depends_on(each));
      if (record) {
        expected_.emplace(each.name, *std::move(record));
      } else {
        unknown.push_back(each);
      }
    }
    if (unknown.empty()) return;
    Records played = Play(programs, programs.manager, "upstream", unknown);
    for (const Scenario& each : unknown) {
      const Result<Record>& record = played.at(each.name);
      if (!record || self_) continue;
      const auto kept = archive.Keep(each.name, depends_on(each), *record);
      EXPECT_TRUE(kept) << kept.error().Describe();
    }
    expected_.merge(played);
  }

  Records Play(const cluster::Programs& programs, const fs::path& manager, const char* side,
               const std::vector<Scenario>& scenarios) {
    RealClock clock;
    ElasticExecutor executor(clock);
    transport::Network network(executor);
    const fs::path logs = fs::path(FLYBALL_CLUSTER_LOGS) / side;
    const auto stage =
        Stage::Open({executor, network}, {.programs = programs, .manager = manager, .logs = logs});
    if (!stage) {
      Records failed;
      for (const Scenario& each : scenarios) {
        failed.emplace(each.name, std::unexpected(stage.error()));
      }
      return failed;
    }
    Records records = (*stage)->Play(scenarios);
    if (side == std::string_view("ours")) forbidden_ = (*stage)->ForbiddenRequests();
    return records;
  }

  const bool self_ = !Variable("FLYBALL_PARITY_SELF").empty();
  bool skipped_ = false;
  std::vector<Scenario> scenarios_;
  Records expected_, actual_;
  std::vector<std::string> forbidden_;
};
Yardstick* yardstick = nullptr;

class ParityTest : public testing::Test {
 public:
  explicit ParityTest(std::string name) : name_(std::move(name)) {}

  void TestBody() override {
    if (yardstick->skipped()) GTEST_SKIP();
    const auto& expected = yardstick->Expected(name_);
    const auto& actual = yardstick->Actual(name_);
    Save(expected, "upstream");
    Save(actual, "ours");
    ASSERT_TRUE(expected) << "under upstream's manager: " << expected.error().Describe();
    ASSERT_TRUE(actual) << "under ours: " << actual.error().Describe();
    ASSERT_EQ(expected->checkpoints.size(), actual->checkpoints.size());
    for (std::size_t i = 0; i < expected->checkpoints.size(); ++i) {
      Compare(expected->checkpoints[i], actual->checkpoints[i]);
    }
  }

 private:
  static void Compare(const Record::Checkpoint& expected, const Record::Checkpoint& actual) {
    std::string text;
    for (const auto& each : scenario::FindDifferences(expected.portrait, actual.portrait)) {
      text +=
          each.path + "\n    upstream: " + each.expected + "\n    ours:     " + each.actual + "\n";
    }
    if (!text.empty()) ADD_FAILURE() << "at the checkpoint \"" << expected.name << "\"\n" << text;
  }

  void Save(const Result<Record>& record, const std::string& side) const {
    const fs::path folder = Variable("FLYBALL_PARITY_SAVE");
    if (folder.empty() || !record) return;
    fs::create_directories(folder / side);
    const auto saved =
        cluster::WriteFile(folder / side / (name_ + ".json"), Pretty(record->ToJson()));
    EXPECT_TRUE(saved) << saved.error().Describe();
  }

  const std::string name_;
};

class AccessTest : public testing::Test {
 public:
  void TestBody() override {
    if (yardstick->skipped()) GTEST_SKIP();
    EXPECT_THAT(yardstick->forbidden(), testing::IsEmpty());
  }
};

void RegisterTests() {
  for (const fs::path& file : scenario::ScenariosIn(FLYBALL_PARITY_SCENARIOS)) {
    const std::string name = file.stem();
    testing::RegisterTest("Parity", TestNameOf(name).c_str(), nullptr, nullptr, file.c_str(), 1,
                          [name]() -> testing::Test* { return new ParityTest(name); });
  }
  testing::RegisterTest("ParityAccess", "NothingWasForbidden", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> testing::Test* { return new AccessTest(); });
}

}  // namespace
}  // namespace flyball::parity

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  flyball::parity::RegisterTests();
  flyball::parity::yardstick = new flyball::parity::Yardstick();
  testing::AddGlobalTestEnvironment(flyball::parity::yardstick);
  return RUN_ALL_TESTS();
}

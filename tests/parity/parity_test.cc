// Plays scenarios under upstream's kube-controller-manager and under ours, and compares what comes
// of them. Environment:
//   FLYBALL_PARITY_SELF=1    upstream's against itself: whether a scenario always ends the same
//   FLYBALL_PARITY_SAVE=DIR  what both had at each checkpoint, as files to compare by eye
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
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

/// So many scenarios may differ at first and be played again.
constexpr std::size_t kMostAgain = 12;
/// And so often.
constexpr int kMostRounds = 3;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// A dash in a name would be a minus to --gtest_filter.
std::string TestNameOf(std::string scenario) {
  std::ranges::replace(scenario, '-', '_');
  return scenario;
}

/// What distinguishes what came of a scenario under ours from what did under upstream's, as text;
/// empty if nothing does.
std::string DifferencesOf(const Result<Record>& expected, const Result<Record>& actual) {
  if (!expected) return "under upstream's manager: " + expected.error().Describe() + "\n";
  if (!actual) return "under ours: " + actual.error().Describe() + "\n";
  if (expected->checkpoints.size() != actual->checkpoints.size()) {
    return "upstream's comes to " + std::to_string(expected->checkpoints.size()) +
           " checkpoints, ours to " + std::to_string(actual->checkpoints.size()) + "\n";
  }
  std::string text;
  for (std::size_t i = 0; i < expected->checkpoints.size(); ++i) {
    const Record::Checkpoint& checkpoint = expected->checkpoints[i];
    for (const auto& each :
         scenario::FindDifferences(checkpoint.portrait, actual->checkpoints[i].portrait)) {
      text += "at the checkpoint \"" + checkpoint.name + "\": " + each.path +
              "\n    upstream: " + each.expected + "\n    ours:     " + each.actual + "\n";
    }
  }
  return text;
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
    if (!self_) PlayAgainWhatDiffers(*programs, ours);
  }

  /// Of what was played here, whichever part of all that is.
  void TearDown() override {
    EXPECT_THAT(forbidden_, testing::IsEmpty()) << "our manager asked for what it may not";
  }

  bool skipped() const { return skipped_; }
  const Result<Record>& Expected(const std::string& name) const { return expected_.at(name); }
  const Result<Record>& Actual(const std::string& name) const { return actual_.at(name); }

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

  /// What upstream's record of a scenario holds for.
  static std::string DependsOn(const Scenario& scenario) {
    return FLYBALL_PARITY_TELLERS "\n" + cluster::ControllersFlag() + "\n" + scenario.text;
  }

  /// Upstream's manager has to show what it does only once.
  void PlayExpected(const cluster::Programs& programs) {
    const RecordArchive archive(ArchiveOf(programs));
    std::vector<Scenario> unknown;
    for (const Scenario& each : scenarios_) {
      auto record = self_ ? std::nullopt : archive.Find(each.name, DependsOn(each));
      if (record) {
        expected_.emplace(each.name, *std::move(record));
      } else {
        unknown.push_back(each);
      }
    }
    if (unknown.empty()) return;
    Records played = Play(programs, programs.manager, "upstream", unknown);
    Keep(archive, unknown, played);
    expected_.merge(played);
  }

  /// Among many, on a busy machine, an event may come after the checkpoint that it belongs to,
  /// under either manager; and what was then kept of upstream's would be wrong for good. Where two
  /// of upstream's own workers race, it is chance who is first. So what differs is played again
  /// under both, one scenario after the other, and counts as it is then. That a play differed is
  /// told, and a difference of behaviour is there every time.
  void PlayAgainWhatDiffers(const cluster::Programs& programs, const fs::path& ours) {
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<Scenario> differing = Differing();
      // So many are not chance, and would take the time of all.
      if (differing.empty() || differing.size() > kMostAgain) return;
      for (Scenario& each : differing) each.alone = true;
      Records expected = Play(programs, programs.manager, "upstream-again", differing);
      Keep(RecordArchive(ArchiveOf(programs)), differing, expected);
      Records actual = Play(programs, ours, "ours-again", differing);
      for (const Scenario& each : differing) {
        expected_.insert_or_assign(each.name, expected.at(each.name));
        actual_.insert_or_assign(each.name, actual.at(each.name));
      }
    }
  }

  /// The scenarios that came out differently, each told of.
  std::vector<Scenario> Differing() const {
    std::vector<Scenario> differing;
    for (const Scenario& each : scenarios_) {
      const std::string differences = DifferencesOf(expected_.at(each.name), actual_.at(each.name));
      if (differences.empty()) continue;
      std::cout << "differs at first: " << each.name << "\n" << differences << std::flush;
      differing.push_back(each);
    }
    return differing;
  }

  static fs::path ArchiveOf(const cluster::Programs& programs) {
    return programs.manager.parent_path() / "parity";
  }

  static void Keep(const RecordArchive& archive, const std::vector<Scenario>& scenarios,
                   const Records& played) {
    for (const Scenario& each : scenarios) {
      const Result<Record>& record = played.at(each.name);
      if (!record) continue;
      const auto kept = archive.Keep(each.name, DependsOn(each), *record);
      EXPECT_TRUE(kept) << kept.error().Describe();
    }
  }

  Records Play(const cluster::Programs& programs, const fs::path& manager, const std::string& side,
               const std::vector<Scenario>& scenarios) {
    RealClock clock;
    ElasticExecutor executor(clock);
    transport::Network network(executor);
    const fs::path logs = fs::path(FLYBALL_CLUSTER_LOGS) / (side + Variable("GTEST_SHARD_INDEX"));
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
    if (side.starts_with("ours")) {
      std::ranges::move((*stage)->ForbiddenRequests(), std::back_inserter(forbidden_));
    }
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
    const std::string differences = DifferencesOf(expected, actual);
    EXPECT_TRUE(differences.empty()) << differences;
  }

 private:
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

void RegisterTests() {
  for (const fs::path& file : scenario::ScenariosIn(FLYBALL_PARITY_SCENARIOS)) {
    const std::string name = file.stem();
    testing::RegisterTest("Parity", TestNameOf(name).c_str(), nullptr, nullptr, file.c_str(), 1,
                          [name]() -> testing::Test* { return new ParityTest(name); });
  }
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

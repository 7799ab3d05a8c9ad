// Plays scenarios on the real API server under our manager, and compares what comes of them with
// what upstream's made of them there (tests/parity/records). Environment:
//   FLYBALL_PARITY_RECORD=stale  plays them under upstream's instead, and writes what has no record
//                                or one of another time; =all writes every one
//   FLYBALL_PARITY_SAVE=DIR      what both had at each checkpoint, as files to compare by eye
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
#include "tests/cluster/build_paths.h"
#include "tests/cluster/written_file.h"
#include "tests/parity/stage.h"
#include "tests/parity/upstream_record.h"

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

/// The scenarios of this run, and what came of them.
class Yardstick final : public testing::Environment {
 public:
  /// Plays those that are to run; the tests then look at what came of it.
  void SetUp() override {
    const auto programs = cluster::Programs::Find(cluster::ProgramsFile());
    if (!programs) {
      skipped_ = true;
      ASSERT_NE(Variable("CI"), "true") << "no control plane: needs Go 1.26";
      std::cout << "skipped: needs Go 1.26\n";
      return;
    }
    LoadScenarios();
    if (scenarios_.empty()) return;
    if (Variable("FLYBALL_PARITY_RECORD").empty()) {
      Compare(*programs);
    } else {
      RecordAll(*programs);
    }
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
    for (const fs::path& file : scenario::ScenariosIn(ScenarioFolder())) {
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

  /// Among many, on a busy machine, an event may come after the checkpoint that it belongs to. So
  /// what differs is played again, one scenario after the other, and counts as it is then. That a
  /// play differed is told, and a difference of behaviour is there every time.
  void Compare(const cluster::Programs& programs) {
    for (const Scenario& each : scenarios_) expected_.emplace(each.name, LoadUpstreamRecord(each));
    actual_ = Play(programs, cluster::ManagerProgram(), "ours", scenarios_);
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<Scenario> differing = Differing();
      // So many are not chance, and would take the time of all.
      if (differing.empty() || differing.size() > kMostAgain) return;
      for (Scenario& each : differing) each.alone = true;
      Records again = Play(programs, cluster::ManagerProgram(), "ours-again", differing);
      for (auto& [name, record] : again) actual_.insert_or_assign(name, std::move(record));
    }
  }

  /// The scenarios that came out differently, each told of.
  std::vector<Scenario> Differing() const {
    std::vector<Scenario> differing;
    for (const Scenario& each : scenarios_) {
      const auto& expected = expected_.at(each.name);
      const std::string differences = DifferencesOf(expected, actual_.at(each.name));
      if (differences.empty() || !expected) continue;
      std::cout << "differs at first: " << each.name << "\n" << differences << std::flush;
      differing.push_back(each);
    }
    return differing;
  }

  /// A record counts when two plays agreed: these, or one of these and the record that is there.
  void RecordAll(const cluster::Programs& programs) {
    std::vector<Scenario> left;
    for (const Scenario& each : scenarios_) {
      auto there = LoadUpstreamRecord(each);
      if (there && Variable("FLYBALL_PARITY_RECORD") != "all") {
        expected_.emplace(each.name, there);
        actual_.emplace(each.name, std::move(there));
        continue;
      }
      left.push_back(each);
      auto last = LastUpstreamRecord(each);
      expected_.emplace(each.name, last ? Result<Record>(*std::move(last))
                                        : Fail(ErrorCode::kNotFound, "there is no record yet"));
    }
    for (int round = 0; round <= kMostRounds && !left.empty(); ++round) {
      Records played = Play(programs, programs.manager, "upstream", left);
      std::vector<Scenario> disagreeing;
      for (Scenario& each : left) {
        Result<Record> now = std::move(played.at(each.name));
        const bool agreed = now && expected_.at(each.name) && *now == *expected_.at(each.name);
        if (agreed) {
          const auto saved = SaveUpstreamRecord(each, *now);
          EXPECT_TRUE(saved) << saved.error().Describe();
          actual_.insert_or_assign(each.name, std::move(now));
          continue;
        }
        if (round > 0) {
          std::cout << "not as before: " << each.name << "\n"
                    << DifferencesOf(expected_.at(each.name), now) << std::flush;
          each.alone = true;
        }
        actual_.insert_or_assign(each.name, Fail(ErrorCode::kConflict, "no two plays agreed"));
        expected_.insert_or_assign(each.name, std::move(now));
        disagreeing.push_back(std::move(each));
      }
      left = std::move(disagreeing);
    }
  }

  Records Play(const cluster::Programs& programs, const fs::path& manager, const std::string& side,
               const std::vector<Scenario>& scenarios) {
    RealClock clock;
    ElasticExecutor executor(clock);
    transport::Network network(executor);
    const fs::path logs =
        cluster::BuildFolder() / "tests/parity/logs" / (side + Variable("GTEST_SHARD_INDEX"));
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
  for (const fs::path& file : scenario::ScenariosIn(ScenarioFolder())) {
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

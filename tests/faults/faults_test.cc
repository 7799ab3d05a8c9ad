// Plays each scenario again for every write and every event of it, with something going wrong
// there. Environment:
//   FLYBALL_FAULTS_STRIDE=20  one point in so many, for those who have no time
//   FLYBALL_FAULTS_OFFSET=3   which of them
//   FLYBALL_FAULTS_SCHEDULES=200  so many that dice make, of each small scenario: 150, with a
//   stride 1 FLYBALL_FAULTS_SEED=7     another order of things, and other dice
//   FLYBALL_FAULTS_ONLY=scenario:point    this run alone, with the managers' logs; or point+point
//   FLYBALL_FAULTS_SCENARIOS=DIR          of others
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include "flyball/base/log_sink.h"
#include "flyball/controllers/registry.h"
#include "gmock/gmock.h"
#include "tests/faults/sweep.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::faults {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}
int Number(const char* name, int otherwise) {
  const std::string text = Variable(name);
  return text.empty() ? otherwise : std::stoi(text);
}
fs::path Scenarios() {
  const std::string given = Variable("FLYBALL_FAULTS_SCENARIOS");
  return given.empty() ? fs::path(FLYBALL_FAULTS_FOLDER) / "scenarios" : fs::path(given);
}

/// A dash in a name would be a minus to --gtest_filter.
std::string TestNameOf(std::string scenario) {
  std::ranges::replace(scenario, '-', '_');
  return scenario;
}

/// Those of the controllers that a scenario needs which there are not, if any.
std::string MissingFor(const fs::path& file) {
  const auto written = scenario::ScenarioFile::Load(file);
  const api::Json* const needs = written ? written->settings.find("needs") : nullptr;
  std::string missing;
  if (needs == nullptr) return missing;
  for (const api::Json& each : *needs->If<api::Json::Array>()) {
    const std::string& name = *each.If<std::string>();
    const bool there = std::ranges::any_of(
        controllers::All(), [&](const controllers::Entry& entry) { return entry.name == name; });
    if (!there) missing += " " + name;
  }
  return missing;
}

bool IsBrief(const fs::path& file) {
  const auto written = scenario::ScenarioFile::Load(file);
  const api::Json* const brief = written ? written->settings.find("brief") : nullptr;
  return brief != nullptr && *brief == api::Json(true);
}

/// What all scenarios of this run have in common.
struct Common {
  RealClock clock;
  ElasticExecutor executor{clock};
  Result<scenario::Excuses> excuses =
      scenario::Excuses::Load(fs::path(FLYBALL_FAULTS_FOLDER) / "excuses.yaml");
  const std::string only = Variable("FLYBALL_FAULTS_ONLY");
  bool everything = Variable("FLYBALL_FAULTS_STRIDE").empty() && only.empty() &&
                    Variable("FLYBALL_FAULTS_SCENARIOS").empty();
  std::size_t runs = 0;
};
Common* common = nullptr;

Sweep::Options OptionsFor(const std::string& scenario) {
  const int stride = Number("FLYBALL_FAULTS_STRIDE", 1);
  Sweep::Options options{.seed = static_cast<std::uint64_t>(Number("FLYBALL_FAULTS_SEED", 1)),
                         .stride = stride,
                         .offset = Number("FLYBALL_FAULTS_OFFSET", 0),
                         .schedules = Number("FLYBALL_FAULTS_SCHEDULES", stride == 1 ? 150 : 1),
                         .side_by_side = std::max(1U, std::thread::hardware_concurrency())};
  if (common->only.starts_with(scenario + ":")) {
    options.only =
        ParsePoints(std::string_view(common->only).substr(scenario.size() + 1)).value_or(Points());
    EXPECT_FALSE(options.only.empty()) << common->only << ": not like web:kill-before-7";
    options.log = std::make_shared<FdLogSink>(2);
  }
  return options;
}

std::string Told(const Finding& finding, const std::string& scenario) {
  const std::string points = ToString(finding.points);
  return points + " (" + finding.at + "), FLYBALL_FAULTS_SEED=" + std::to_string(finding.seed) +
         " FLYBALL_FAULTS_ONLY=" + scenario + ":" + points + "\n" + finding.text;
}

class FaultsTest : public testing::Test {
 public:
  explicit FaultsTest(fs::path file) : file_(std::move(file)) {}

  void TestBody() override {
    constexpr std::size_t kMostTold = 20;
    const std::string name = file_.stem();
    if (!common->only.empty() && !common->only.starts_with(name + ":")) GTEST_SKIP();
    if (const auto missing = MissingFor(file_); !missing.empty()) GTEST_SKIP() << "no" << missing;
    ASSERT_TRUE(common->excuses) << common->excuses.error().Describe();
    const auto scenario = parity::Scenario::Load(file_);
    ASSERT_TRUE(scenario) << scenario.error().Describe();
    Sweep::Options options = OptionsFor(name);
    options.brief = IsBrief(file_);
    Sweep sweep(common->executor, *common->excuses, options);
    const auto report = sweep.Play(*scenario);
    ASSERT_TRUE(report) << report.error().Describe();
    common->runs += report->runs;
    std::cout << name << ": " << report->runs - report->schedules << " runs of " << report->points
              << " and " << report->schedules << " diced, " << report->findings.size()
              << " not as they should be\n";
    for (std::size_t i = 0; i < std::min(kMostTold, report->findings.size()); ++i) {
      ADD_FAILURE() << Told(report->findings[i], name);
    }
    EXPECT_LE(report->findings.size(), kMostTold) << "and others";
  }

 private:
  const fs::path file_;
};

class ExcusesTest : public testing::Test {
 public:
  void TestBody() override {
    ASSERT_TRUE(common->excuses) << common->excuses.error().Describe();
    const auto readme = scenario::LoadText(fs::path(FLYBALL_FAULTS_FOLDER) / "README.md");
    ASSERT_TRUE(readme) << readme.error().Describe();
    EXPECT_THAT(common->excuses->Undocumented(*readme), testing::IsEmpty());
    if (common->everything && testing::GTEST_FLAG(filter) == "*") {
      EXPECT_THAT(common->excuses->Unused(), testing::IsEmpty());
    }
    std::cout << common->runs << " runs in all\n";
  }
};

void RegisterTests() {
  for (const fs::path& file : scenario::ScenariosIn(Scenarios())) {
    testing::RegisterTest("Faults", TestNameOf(file.stem()).c_str(), nullptr, nullptr, file.c_str(),
                          1, [file]() -> testing::Test* { return new FaultsTest(file); });
  }
  testing::RegisterTest("FaultsExcuses", "EachIsDocumentedAndNeeded", nullptr, nullptr, __FILE__,
                        __LINE__, []() -> testing::Test* { return new ExcusesTest(); });
}

}  // namespace
}  // namespace flyball::faults

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  flyball::faults::common = new flyball::faults::Common();
  flyball::faults::RegisterTests();
  return RUN_ALL_TESTS();
}

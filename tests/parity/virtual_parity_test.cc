// Plays every scenario under our controllers on the embedded server, in virtual time, and compares
// what comes of it with what upstream's manager made of it on a real one (tests/parity/records).
#include <filesystem>
#include <iostream>

#include "flyball/api/base64.h"
#include "gmock/gmock.h"
#include "tests/faults/run.h"
#include "tests/parity/manager_flags.h"
#include "tests/parity/upstream_record.h"

namespace flyball::parity {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using faults::ManagerSetup;
using faults::Run;

/// In the middle of a day, since scenarios look back and ahead by hours.
constexpr WallTime kStart =
    WallTime(std::chrono::sys_days{std::chrono::year(2026) / std::chrono::January / 1}) + 12h;

/// Who comes first, where no time passes between two, is another matter in each order of tasks, and
/// with upstream's manager of chance. What differs in one order only is no difference.
constexpr std::uint64_t kOrders = 3;

Result<Record> Play(const Scenario& scenario, std::uint64_t order) {
  static const auto served = Run::Served();
  const auto setup = [&](const std::vector<std::string>& more) {
    return ManagerSetup::FromFlags(
        WithFlags({"--cluster-cidr=10.244.0.0/16", "--service-cluster-ip-range=10.0.0.0/16"},
                  ManagerFlags(scenario.without, more)));
  };
  return Run::Play({.scenario = scenario,
                    .served = served,
                    .seed = order,
                    .setup = setup,
                    .texts = {{faults::kRootCa, "<authority>"},
                              {api::EncodeBase64(faults::kRootCa), "<authority in base64>"}},
                    .heartbeats = {.lease = kLeaseRenewal},
                    .least_settle = kLeastSettle,
                    .invariants = false,
                    .start = kStart})
      .record;
}

class VirtualParityTest : public testing::Test {
 public:
  explicit VirtualParityTest(fs::path file) : file_(std::move(file)) {}

  void TestBody() override {
    const auto scenario = Scenario::Load(file_);
    ASSERT_TRUE(scenario) << scenario.error().Describe();
    const auto expected = LoadUpstreamRecord(*scenario);
    ASSERT_TRUE(expected) << expected.error().Describe();
    std::string differences = DifferencesOf(expected, Play(*scenario, 1));
    for (std::uint64_t order = 2; order <= kOrders && !differences.empty(); ++order) {
      if (scenario->on_real_server) break;
      std::cout << "once more, in another order: " << scenario->name << "\n";
      if (DifferencesOf(expected, Play(*scenario, order)).empty()) differences.clear();
    }
    if (!scenario->on_real_server) {
      EXPECT_TRUE(differences.empty()) << differences;
      return;
    }
    std::cout << "needs the real server: " << scenario->name << "\n";
    EXPECT_FALSE(differences.empty()) << "the embedded server can play it as well as the real one: "
                                         "take \"server: real\" out of "
                                      << file_;
  }

 private:
  const fs::path file_;
};

void RegisterTests() {
  for (const fs::path& file : scenario::ScenariosIn(ScenarioFolder())) {
    testing::RegisterTest("VirtualParity", TestNameOf(file.stem()).c_str(), nullptr, nullptr,
                          file.c_str(), 1,
                          [file]() -> testing::Test* { return new VirtualParityTest(file); });
  }
}

}  // namespace
}  // namespace flyball::parity

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  flyball::parity::RegisterTests();
  return RUN_ALL_TESTS();
}

#include "flyball/base/heap_trim.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <tuple>
#include <vector>

#include "flyball/base/deterministic_executor.h"
#include "flyball/base/sanitizers.h"

namespace flyball {
namespace {

std::size_t FreeInTheHeap() { return mallinfo2().fordblks; }
/// Of everything, and of files.
struct Residence {
  std::size_t all = 0;
  std::size_t files = 0;
};
Residence Resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  Residence resident;
  file >> pages >> resident.all >> resident.files;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {.all = resident.all * page, .files = resident.files * page};
}

TEST(ForgetUnusedCode, LeavesWhatIsUsed) {
  const std::size_t before = Resident().files;
  ForgetUnusedCode();
  EXPECT_LT(Resident().files, before * 3 / 4);
}

TEST(HeapTrimmerTest, GivesBackWhatIsFreeBetweenWhatIsUsed) {
#ifdef FLYBALL_SANITIZED
  GTEST_SKIP() << "the sanitizer has a heap of its own";
#endif
  DeterministicExecutor executor{1};
  Timers timers{executor};
  const HeapTrimmer trimmer(timers);
  constexpr std::size_t kBlock = 16 << 10;
  constexpr std::size_t kBlocks = 2'000;
  std::vector<std::unique_ptr<std::vector<char>>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique<std::vector<char>>(kBlock, 'x'));
  }
  for (std::size_t i = 0; i + 1 < kBlocks; ++i) blocks[i].reset();
  ASSERT_GE(FreeInTheHeap(), kBlock * (kBlocks - 1));
  const std::size_t before = Resident().all;
  std::ignore = executor.RunFor(HeapTrimmer::kInterval + std::chrono::seconds(1));
  EXPECT_LT(Resident().all, before - kBlock * kBlocks / 2);
}

}  // namespace
}  // namespace flyball

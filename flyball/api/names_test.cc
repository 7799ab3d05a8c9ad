#include "flyball/api/names.h"

#include "flyball/api/fnv.h"
#include "gtest/gtest.h"

namespace flyball::api {
namespace {

static_assert([] {
  Fnv32 sum;
  sum.Add("foobar");
  return sum.sum();
}() == 0x31f0b262);
static_assert([] {
  Fnv32a sum;
  sum.Add("foobar");
  return sum.sum();
}() == 0xbf9cf968);
static_assert(Fnv128a("foobar") == Fnv128Sum(0x343e1662793c64bf, 0x6f0d3597ba446f18));

TEST(SafeEncode, MapsDigitsToLettersThatSpellNothing) {
  EXPECT_EQ(SafeEncode("0123456789"), "456789bcdf");
}

TEST(GenerateName, CutsTheBaseSoThatTheRandomPartFits) {
  const auto zeros = [] { return std::uint64_t{0}; };
  EXPECT_EQ(GenerateName("web-", zeros), "web-bbbbb");
  const std::string name = GenerateName(std::string(100, 'a'), zeros);
  EXPECT_EQ(name, std::string(58, 'a') + "bbbbb");
}

TEST(GenerateName, ThrowsAwayBitsBeyondTheAlphabetAndAsksForMore) {
  int asked = 0;
  const auto random = [&]() -> std::uint64_t { return asked++ == 0 ? ~std::uint64_t{0} : 1; };
  EXPECT_EQ(GenerateName("", random), "cbbbb");
  EXPECT_EQ(asked, 2);
}

TEST(NameWithHash, CutsThePrefixAndNeverTheHash) {
  EXPECT_EQ(NameWithHash("web", "54f4c57dcb"), "web-54f4c57dcb");
  const std::string name = NameWithHash(std::string(253, 'a'), "54f4c57dcb");
  EXPECT_EQ(name, std::string(242, 'a') + "-54f4c57dcb");
}

TEST(CronJobJobName, IsTheSameThroughoutTheMinute) {
  EXPECT_EQ(CronJobJobName("backup", Time::FromUnix(1'700'000'040)), "backup-28333334");
  EXPECT_EQ(CronJobJobName("backup", Time::FromUnix(1'700'000'099)), "backup-28333334");
}

TEST(IndexedPodGenerateName, KeepsTheIndexOfAJobWithALongName) {
  EXPECT_EQ(IndexedPodGenerateName("job", 12), "job-12-");
  EXPECT_EQ(IndexedPodGenerateName(std::string(63, 'j'), 12), std::string(54, 'j') + "-12-");
}

TEST(ResourceClaimGenerateName, CutsBothNamesInProportion) {
  EXPECT_EQ(ResourceClaimGenerateName("pod", "gpu"), "pod-gpu-");
  EXPECT_EQ(ResourceClaimGenerateName(std::string(60, 'p'), std::string(20, 'c')),
            std::string(41, 'p') + "-" + std::string(13, 'c'));
}

}  // namespace
}  // namespace flyball::api

#include "flyball/runtime/generated_name.h"

#include <chrono>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::runtime {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SteadyTime kStart{seconds(1000)};

MadeName NameUntil(SteadyTime until) {
  return {.resource = {.group = "", .version = "v1", .plural = "pods", .kind = "Pod"},
          .object = {"default", "web-abcde"},
          .generate_name = "web-",
          .until = until};
}

TEST(NamesInDoubt, NamesOfAKeyAreTakenOnce) {
  NamesInDoubt names;
  names.Keep("a", {NameUntil(kStart + seconds(1)), NameUntil(kStart)}, kStart);
  EXPECT_THAT(names.Take("a"), SizeIs(1));
  EXPECT_THAT(names.Take("a"), IsEmpty());
  EXPECT_EQ(names.keys(), 0U);
}

TEST(NamesInDoubt, SettledNamesOfKeysThatAreNeverReconciledAgainAreDropped) {
  NamesInDoubt names;
  for (int key = 0; key < 100'000; ++key) {
    const SteadyTime now = kStart + seconds(key);
    names.Keep(std::to_string(key), {NameUntil(now + seconds(30))}, now);
    ASSERT_LE(names.keys(), NamesInDoubt::kFirstPrune);
  }
  EXPECT_THAT(names.Take("99999"), SizeIs(1));
}

TEST(NamesInDoubt, ManyKeysInDoubtAtOnceAreAllKept) {
  NamesInDoubt names;
  for (int key = 0; key < 1'000; ++key) {
    names.Keep(std::to_string(key), {NameUntil(kStart + seconds(30))}, kStart);
  }
  EXPECT_EQ(names.keys(), 1'000U);
}

TEST(GeneratedName, RefusalShowsTheGenerateNameInPlaceOfAMadeName) {
  const Error refused(ErrorCode::kForbidden, "pods \"web-abcde\" is forbidden: web-abcde");
  EXPECT_EQ(WithGenerateName(refused, "web-abcde", "web-").message(),
            "pods \"web-\" is forbidden: web-");
}

}  // namespace
}  // namespace flyball::runtime

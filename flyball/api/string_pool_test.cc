#include "flyball/api/string_pool.h"

#include <string>

#include "gtest/gtest.h"

namespace flyball::api {
namespace {

TEST(StringPool, KeepsATextOnce) {
  StringPool pool;
  const ViewString first = pool.FindText("Ready");
  EXPECT_EQ(first, "Ready");
  EXPECT_EQ(pool.FindText(std::string("Ready")).encoded(), first.encoded());
  EXPECT_NE(pool.FindText("NotReady").encoded(), first.encoded());
}

TEST(StringPool, DeclinesWhatIsTooLongToBeCommon) {
  StringPool pool;
  EXPECT_FALSE(pool.FindText(std::string(StringPool::kMaxTextSize, 'x')).empty());
  EXPECT_TRUE(pool.FindText(std::string(StringPool::kMaxTextSize + 1, 'x')).empty());
  EXPECT_EQ(pool.FindBlock(std::string(StringPool::kMaxBlockSize + 1, 'x')), nullptr);
}

TEST(StringPool, KeepsEverythingThroughGrowthAndIsFullInTheEnd) {
  StringPool pool;
  const char* const first = pool.FindText("text-0").encoded();
  int added = 0;
  while (!pool.full()) pool.FindText("text-" + std::to_string(added++));
  EXPECT_GT(added, 100'000);
  EXPECT_EQ(pool.FindText("text-0").encoded(), first);
  EXPECT_EQ(pool.FindText("text-99999"), "text-99999");
}

TEST(StringPool, AlignsBlocks) {
  StringPool pool;
  pool.FindText("odd");
  const void* const block = pool.FindBlock("12345678");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 8, 0u);
  EXPECT_EQ(pool.FindBlock("12345678"), block);
}

}  // namespace
}  // namespace flyball::api

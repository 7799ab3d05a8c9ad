#include "flyball/sandbox/printing/cell_text.h"

#include "gtest/gtest.h"

namespace flyball::sandbox::printing {
namespace {

TEST(CellText, OfManyOnlyAFewAreShown) {
  EXPECT_EQ(FirstFew({}, 3), "");
  EXPECT_EQ(FirstFew({"a", "b", "c"}, 3), "a,b,c");
  EXPECT_EQ(FirstFew({"a", "b", "c", "d", "e"}, 3), "a,b,c + 2 more...");
}

}  // namespace
}  // namespace flyball::sandbox::printing

#include "flyball/ctl/tab_writer.h"

#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

TEST(TabWriter, ColumnsAreAsWideAsTheirWidestCell) {
  EXPECT_EQ(TabWriter::ForTables().Align("NAME\tREADY\tAGE\nweb-7d9c5\t1/1\t3s\n"),
            "NAME        READY   AGE\n"
            "web-7d9c5   1/1     3s\n");
}

TEST(TabWriter, ALineWithoutACellEndsTheColumn) {
  EXPECT_EQ(TabWriter::ForDescriptions().Align("Name:\tweb\n"
                                               "Labels:\tapp=web\n"
                                               "Containers:\n"
                                               "  a:\n"
                                               "    Image:\tnginx\n"),
            "Name:    web\n"
            "Labels:  app=web\n"
            "Containers:\n"
            "  a:\n"
            "    Image:  nginx\n");
}

TEST(TabWriter, AColumnInsideAnotherHasItsOwnWidthInEachBlock) {
  EXPECT_EQ(TabWriter::ForDescriptions().Align("a\tb\tc\n"
                                               "aa\tbbbb\tcc\n"
                                               "aaa\tb\n"
                                               "a\tbb\tc\n"),
            "a    b     c\n"
            "aa   bbbb  cc\n"
            "aaa  b\n"
            "a    bb  c\n");
}

TEST(TabWriter, CountsCharactersAndNotBytes) {
  EXPECT_EQ(TabWriter::ForDescriptions().Align("ä\tx\nab\ty\n"), "ä   x\nab  y\n");
}

TEST(TabWriter, EmptyCellsAreSpace) {
  EXPECT_EQ(TabWriter::ForDescriptions().Align("Labels:\ta=b\n\tc=d\n"),
            "Labels:  a=b\n"
            "         c=d\n");
}

TEST(TabWriter, ATableThatGoesOnKeepsItsWidths) {
  TabWriter writer = TabWriter::ForTables();
  EXPECT_EQ(writer.Align("NAME\tAGE\na-long-name\t1s\n"),
            "NAME          AGE\n"
            "a-long-name   1s\n");
  EXPECT_EQ(writer.Align("b\t2s\n"), "b             2s\n");
}

}  // namespace
}  // namespace flyball::ctl

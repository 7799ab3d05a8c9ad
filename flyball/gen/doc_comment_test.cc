#include "flyball/gen/doc_comment.h"

#include "gtest/gtest.h"

namespace flyball::gen {
namespace {

TEST(DocComment, IsNothingForNothing) {
  EXPECT_EQ(DocComment("", "  "), "");
  EXPECT_EQ(DocComment(" \n\n\t", "  "), "");
}

TEST(DocComment, WrapsAtAHundredColumns) {
  const std::string word(40, 'x');
  EXPECT_EQ(DocComment(word + " " + word + " " + word, "  "),
            "  /// " + word + " " + word + "\n  /// " + word + "\n");
  const std::string long_word(120, 'y');
  EXPECT_EQ(DocComment("a " + long_word + " b", ""), "/// a\n/// " + long_word + "\n/// b\n");
}

TEST(DocComment, KeepsParagraphs) {
  EXPECT_EQ(DocComment("One\ntwo.\n\n\n  Three.\n", ""), "/// One two.\n///\n/// Three.\n");
}

TEST(DocComment, CannotBeLeft) {
  EXPECT_EQ(DocComment("a\r\nint x;\v\f#include", ""), "/// a int x; #include\n");
  EXPECT_EQ(DocComment("ends in \\", ""), "/// ends in \\.\n");
  EXPECT_EQ(DocComment("ends in ?\?/", ""), "/// ends in ?\?/.\n");
  EXPECT_EQ(DocComment("*/ // /*", ""), "/// */ // /*\n");
  EXPECT_EQ(DocComment("\u202eevil\u2066 text\u200f", ""), "/// evil text\n");
}

}  // namespace
}  // namespace flyball::gen

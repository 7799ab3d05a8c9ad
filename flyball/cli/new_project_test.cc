#include "flyball/cli/new_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

TEST(NewProject, HasNamesThatKubernetesAndTheLanguageTake) {
  const auto names = NamesFor("web-shop2");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->kind, "WebShop2");
  EXPECT_EQ(names->singular, "webshop2");
  EXPECT_EQ(names->plural, "webshop2s");
  EXPECT_EQ(names->group, "webshop2.example.com");
  EXPECT_EQ(names->namespace_, "web_shop2_operator");
  EXPECT_EQ(NamesFor("bus")->plural, "buses");
}

TEST(NewProject, SaysWhatIsWrongWithAName) {
  const auto why = [](std::string_view name) { return NamesFor(name).error().message(); };
  EXPECT_EQ(why(""), "\"\" is not a valid project name: it is empty");
  EXPECT_THAT(why("Shop"), HasSubstr("does not begin with a letter from a to z"));
  EXPECT_THAT(why("2shops"), HasSubstr("does not begin with a letter from a to z"));
  EXPECT_THAT(why("my_shop"), HasSubstr("and not '_'"));
  EXPECT_THAT(why("../shop"), HasSubstr("does not begin with a letter"));
  EXPECT_THAT(why("a/b"), HasSubstr("and not '/'"));
  EXPECT_THAT(why("shop-"), HasSubstr("ends in a dash"));
  EXPECT_THAT(why("my--shop"), HasSubstr("two dashes"));
  EXPECT_THAT(why(std::string(41, 'a')), HasSubstr("more than 40"));
}

TEST(NewProject, LeavesNoPlaceholder) {
  for (const ProjectFile& file : ProjectFiles(*NamesFor("hello"))) {
    EXPECT_THAT(file.path + file.text, Not(HasSubstr("@"))) << file.path;
  }
}

TEST(NewProject, OverwritesNothing) {
  const fs::path parent = fs::path(testing::TempDir()) / "flyball_new_project";
  fs::remove_all(parent);
  ASSERT_TRUE(NewProject("hello", parent));
  EXPECT_TRUE(fs::exists(parent / "hello" / "controller.cc"));
  std::ofstream(parent / "hello" / "controller.cc") << "mine";
  const auto again = NewProject("hello", parent);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), ErrorCode::kAlreadyExists);
  EXPECT_EQ(fs::file_size(parent / "hello" / "controller.cc"), 4U);
  fs::remove_all(parent);
}

}  // namespace
}  // namespace flyball::cli

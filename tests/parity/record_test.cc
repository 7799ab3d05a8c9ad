#include "tests/parity/record.h"

#include "gmock/gmock.h"
#include "tests/scripted/test_folder.h"

namespace flyball::parity {
namespace {

TEST(RecordArchive, FindsWhatDependsOnTheSame) {
  const scripted::TestFolder folder;
  const RecordArchive archive(folder.path() + "/made/when/needed");
  const Record record{{{"made", *api::Json::Parse(R"({"pods/a":{"list":[1,{}],"text":"<"}})")},
                       {"gone", *api::Json::Parse("{}")}}};
  EXPECT_EQ(archive.Find("web", "text"), std::nullopt);
  const auto kept = archive.Keep("web", "text", record);
  ASSERT_TRUE(kept) << kept.error().Describe();
  EXPECT_EQ(archive.Find("web", "text"), record);
  EXPECT_EQ(archive.Find("web", "other text"), std::nullopt);
  EXPECT_EQ(archive.Find("other", "text"), std::nullopt);
}

TEST(Pretty, HasALineForEachMember) {
  EXPECT_EQ(Pretty(*api::Json::Parse(R"({"a":[1,[]],"b":{"c":null}})")),
            "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {\n    \"c\": null\n  }\n}\n");
}

}  // namespace
}  // namespace flyball::parity

#include "flyball/ctl/manifest.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "flyball/ctl/json_field.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::ctl {
namespace {

using testing::ElementsAre;

/// "source: name" of each, or what is wrong.
std::vector<std::string> Told(const Result<std::vector<Manifest>>& manifests) {
  if (!manifests) return {manifests.error().message()};
  std::vector<std::string> told;
  for (const Manifest& each : *manifests) told.push_back(each.source + ": " + NameOf(each.object));
  return told;
}

TEST(Manifest, YamlAndJsonAndListsOfEither) {
  EXPECT_THAT(Told(ParseManifests("kind: A\nmetadata: {name: x}\n---\n# nothing\n", "f")),
              ElementsAre("f: x"));
  EXPECT_THAT(Told(ParseManifests("{kind: A, metadata: {name: x}}", "f")), ElementsAre("f: x"));
  EXPECT_THAT(Told(ParseManifests("{\t\"kind\":\"A\"}", "f")), ElementsAre("f: "));
  EXPECT_THAT(Told(ParseManifests(R"( {"kind":"List","items":[{"metadata":{"name":"x"}},
                                      {"metadata":{"name":"y"}}]})",
                                  "f")),
              ElementsAre("f: x", "f: y"));
}

TEST(Manifest, WhatIsNoObjectIsNamed) {
  EXPECT_THAT(Told(ParseManifests("a: 1\n", "f")),
              ElementsAre("unable to decode \"f\": Object 'Kind' is missing in '{\"a\":1}'"));
  EXPECT_THAT(Told(ParseManifests("{", "f")),
              ElementsAre(testing::StartsWith("error parsing f: ")));
}

class ManifestFiles : public testing::Test {
 protected:
  ManifestFiles() {
    std::filesystem::create_directories(folder_ / "more");
    Write("b.yaml", "b");
    Write("a.json", "a");
    Write("c.txt", "c");
    Write("more/d.yml", "d");
  }
  ~ManifestFiles() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& file, const std::string& name) const {
    std::ofstream(folder_ / file) << R"({"kind":"A","metadata":{"name":")" << name << R"("}})";
  }
  std::vector<std::string> Read(Files files) {
    auto told = Told(ReadManifests(files, in_));
    for (std::string& each : told) {
      const auto at = each.find(folder_.string());
      if (at != std::string::npos) each.erase(at, folder_.string().size());
    }
    return told;
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::istringstream in_{R"({"kind":"A","metadata":{"name":"in"}})"};
};

TEST_F(ManifestFiles, AFolderIsItsManifestsInTheOrderOfTheirNames) {
  EXPECT_THAT(Read({{folder_.string()}}), ElementsAre("/a.json: a", "/b.yaml: b"));
  EXPECT_THAT(Read({{folder_.string()}, true}),
              ElementsAre("/a.json: a", "/b.yaml: b", "/more/d.yml: d"));
}

TEST_F(ManifestFiles, AFileThatIsNamedCountsWhateverItIsCalled) {
  EXPECT_THAT(Read({{(folder_ / "c.txt").string(), "-"}}), ElementsAre("/c.txt: c", "STDIN: in"));
}

TEST_F(ManifestFiles, WhatIsNotThereIsAnError) {
  EXPECT_THAT(Read({{(folder_ / "x").string()}}), ElementsAre("the path \"/x\" does not exist"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(
      Read({{(folder_ / "empty").string()}}),
      ElementsAre("error reading [/empty]: recognized file extensions are [.json .yaml .yml]"));
}

}  // namespace
}  // namespace flyball::ctl

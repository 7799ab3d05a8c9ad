#include "tests/parity/scenario.h"

#include "gmock/gmock.h"
#include "tests/cluster/written_file.h"
#include "tests/scripted/test_folder.h"

namespace flyball::parity {
namespace {

using namespace std::chrono_literals;

Result<Step> Parsed(std::string_view json) { return Step::Parse(*api::Json::Parse(json)); }

TEST(Step, PatchesByOtherNamesArePatches) {
  const auto step = Parsed(R"({"cordon":"nodes/n"})");
  ASSERT_TRUE(step) << step.error().Describe();
  EXPECT_EQ(step->kind, Step::Kind::kPatch);
  EXPECT_EQ(step->target.reference.ToString(), "nodes/n");
  EXPECT_EQ(step->patch.text, R"({"spec":{"unschedulable":true}})");
}

TEST(Step, ACheckpointSettlesForASecondUnlessItSaysOtherwise) {
  EXPECT_EQ(Parsed(R"({"checkpoint":"made"})")->time, 1s);
  EXPECT_EQ(Parsed(R"({"checkpoint":"made","settle":"3s"})")->time, 3s);
}

TEST(Step, AManagerCanBeStartedAgainWithMoreFlags) {
  const auto step = Parsed(R"({"restart":"manager","flags":["--a=1","--b"]})");
  ASSERT_TRUE(step) << step.error().Describe();
  EXPECT_EQ(step->flags, (std::vector<std::string>{"--a=1", "--b"}));
  EXPECT_EQ(Parsed(R"({"restart":"manager","flags":"--a"})").error().Describe(),
            "malformed: flags: a list of which?");
}

TEST(Step, PodsAreEvicted) {
  const auto step = Parsed(R"({"evict":"pods","like":{},"count":1})");
  ASSERT_TRUE(step) << step.error().Describe();
  EXPECT_EQ(step->kind, Step::Kind::kEvict);
  EXPECT_EQ(step->target.count, 1);
  EXPECT_EQ(Parsed(R"({"evict":"nodes/n"})").error().Describe(),
            "malformed: evict: only pods can be");
  EXPECT_EQ(Parsed(R"({"evict":"pods"})").error().Describe(),
            "malformed: all of them? then say like: {}");
}

TEST(Step, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(Parsed(R"({"cordon":"pods/a"})").error().Describe(),
            "malformed: cordon: only nodes can do that");
  EXPECT_EQ(Parsed(R"({"explode":"pods/a"})").error().Describe(),
            "malformed: explode: what is that?");
  EXPECT_EQ(Parsed(R"({"patch":"pods/a"})").error().Describe(), "malformed: there is no patch");
  EXPECT_EQ(Parsed(R"({"fail":"pods"})").error().Describe(),
            "malformed: all of them? then say like: {}");
}

Result<Scenario> Loaded(const std::string& text) {
  const scripted::TestFolder folder;
  const std::filesystem::path file = std::filesystem::path(folder.path()) / "web.yaml";
  if (auto written = cluster::WriteFile(file, text); !written)
    return std::unexpected(written.error());
  return Scenario::Load(file);
}

TEST(Scenario, SaysWhereAndWithWhomItIsPlayed) {
  const auto plain = Loaded("steps: []\n");
  ASSERT_TRUE(plain) << plain.error().Describe();
  EXPECT_FALSE(plain->on_real_server || plain->alone);
  const auto other = Loaded("server: real\nwithout: [job-controller]\nsteps: []\n");
  ASSERT_TRUE(other) << other.error().Describe();
  EXPECT_TRUE(other->on_real_server && other->alone);
  EXPECT_EQ(other->without, std::vector<std::string>{"job-controller"});
  EXPECT_FALSE(Loaded("server: ours\nsteps: []\n"));
  EXPECT_FALSE(Loaded("without: job-controller\nsteps: []\n"));
}

TEST(Scenario, HasADigestOfWhatItsRecordDependsOn) {
  const std::string digest = Loaded("steps: []\n")->digest;
  EXPECT_EQ(Loaded("# Why.\nserver: real\nsteps: []\n")->digest, digest);
  EXPECT_NE(Loaded("alone: true\nsteps: []\n")->digest, digest);
  EXPECT_NE(Loaded("steps:\n- wait: 1s\n")->digest, digest);
}

}  // namespace
}  // namespace flyball::parity

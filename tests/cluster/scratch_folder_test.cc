#include "tests/cluster/scratch_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "gtest/gtest.h"

namespace flyball::cluster {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, IsGoneWithAllThatIsInItWhenItsOwnerIs) {
  fs::path path;
  {
    const auto folder = ScratchFolder::Make();
    ASSERT_TRUE(folder.has_value()) << folder.error().Describe();
    path = folder->path();
    std::ofstream(path / "file") << "text";
    fs::create_directories(path / "a" / "b");
    EXPECT_TRUE(fs::exists(path / "file"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, OfATestThatWasKilledIsRemovedByTheNextAndOneInUseIsNot) {
  const auto mine = ScratchFolder::Make();
  ASSERT_TRUE(mine.has_value()) << mine.error().Describe();
  const pid_t killed = fork();
  if (killed == 0) {
    const auto folder = ScratchFolder::Make();
    std::ofstream(mine->path() / "name") << (folder ? folder->path().string() : "") << std::flush;
    _exit(0);  // as if killed: no destructor runs
  }
  waitpid(killed, nullptr, 0);
  std::string abandoned;
  std::getline(std::ifstream(mine->path() / "name"), abandoned);
  ASSERT_TRUE(fs::exists(abandoned)) << abandoned;

  const auto next = ScratchFolder::Make();
  ASSERT_TRUE(next.has_value()) << next.error().Describe();
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(mine->path()));
}

}  // namespace
}  // namespace flyball::cluster

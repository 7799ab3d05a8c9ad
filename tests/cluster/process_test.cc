#include "tests/cluster/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "gtest/gtest.h"
#include "tests/cluster/scratch_folder.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;

class ProcessTest : public testing::Test {
 protected:
  std::string Log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  template <typename Condition>
  bool Eventually(Condition condition) {
    for (int i = 0; i < 1000; ++i) {
      if (condition()) return true;
      clock_.SleepFor(10ms);
    }
    return false;
  }

  RealClock clock_;
  const ScratchFolder folder_ = *ScratchFolder::Make();
  const std::filesystem::path log_ = folder_.path() / "log";
};

/// Whether there is such a process, and not only what is left until its parent has looked.
bool IsAlive(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const char state = line[line.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

TEST_F(ProcessTest, AddsWhatTheProgramPrintsToTheLog) {
  for (const char* const text : {"echo one", "echo two >&2"}) {
    auto process = Process::Start("/bin/sh", {"-c", text}, log_);
    ASSERT_TRUE(process.has_value()) << process.error().Describe();
    ASSERT_TRUE(Eventually([&] { return !process->Running(); }));
    EXPECT_EQ(process->Describe(), "ended with status 0");
  }
  EXPECT_EQ(Log(), "one\ntwo\n");
}

TEST_F(ProcessTest, SaysWhyAProgramCannotBeStarted) {
  const auto process = Process::Start("/there/is/no/such/program", {}, log_);
  ASSERT_FALSE(process.has_value());
  EXPECT_EQ(process.error().Describe(),
            "i/o: /there/is/no/such/program: No such file or directory");
}

TEST_F(ProcessTest, StopsAProgramThatListensAndKillsOneThatDoesNot) {
  auto polite =
      Process::Start("/bin/sh", {"-c", "trap 'exit 7' TERM; echo up; while :; do :; done"}, log_);
  ASSERT_TRUE(polite.has_value());
  ASSERT_TRUE(Eventually([&] { return Log() == "up\n"; }));
  EXPECT_TRUE(polite->Stop(clock_, 10s));
  EXPECT_EQ(polite->Describe(), "ended with status 7");

  auto deaf = Process::Start("/bin/sh", {"-c", "trap '' TERM; echo up; while :; do :; done"}, log_);
  ASSERT_TRUE(deaf.has_value());
  ASSERT_TRUE(Eventually([&] { return Log() == "up\nup\n"; }));
  EXPECT_FALSE(deaf->Stop(clock_, 50ms));
  EXPECT_EQ(deaf->Describe(), "was ended by signal 9");
}

TEST_F(ProcessTest, TakesWhatTheProgramStartedWithIt) {
  pid_t grandchild = 0;
  {
    const auto process = Process::Start("/bin/sh", {"-c", "sleep 1000 & echo $!; wait"}, log_);
    ASSERT_TRUE(process.has_value());
    ASSERT_TRUE(Eventually([&] { return Log().ends_with("\n"); }));
    grandchild = std::stoi(Log());
    ASSERT_TRUE(IsAlive(grandchild));
  }
  EXPECT_TRUE(Eventually([&] { return !IsAlive(grandchild); }));
}

TEST_F(ProcessTest, EndsWhatTheProgramStartedAlsoWhenThatEndedByItself) {
  auto process = Process::Start("/bin/sh", {"-c", "sleep 1000 & echo $!"}, log_);
  ASSERT_TRUE(process.has_value());
  ASSERT_TRUE(Eventually([&] { return !process->Running(); }));
  EXPECT_EQ(process->Describe(), "ended with status 0");
  const pid_t grandchild = std::stoi(Log());
  EXPECT_TRUE(Eventually([&] { return !IsAlive(grandchild); }));
}

TEST_F(ProcessTest, HasNoFileOfOursOpen) {
  const int ours = open("/dev/null", O_RDONLY);  // NOLINT: without O_CLOEXEC, as libraries do it
  auto process = Process::Start("/bin/sh", {"-c", "ls /proc/self/fd | wc -l"}, log_);
  ASSERT_TRUE(process.has_value());
  ASSERT_TRUE(Eventually([&] { return !process->Running(); }));
  close(ours);
  EXPECT_EQ(Log(), "4\n");  // the three, and the folder that ls reads
}

TEST_F(ProcessTest, DiesWithATestThatIsKilled) {
  const pid_t test = fork();
  if (test == 0) {
    const auto process = Process::Start("/bin/sleep", {"1000"}, log_);
    std::ofstream(folder_.path() / "pid") << (process ? process->pid() : 0) << std::flush;
    pause();
    _exit(0);
  }
  pid_t pid = 0;
  ASSERT_TRUE(Eventually([&] { return std::ifstream(folder_.path() / "pid") >> pid && pid != 0; }));
  EXPECT_TRUE(IsAlive(pid));
  kill(test, SIGKILL);
  waitpid(test, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return !IsAlive(pid); }));
}

}  // namespace
}  // namespace flyball::cluster

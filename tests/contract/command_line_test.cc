// The same command lines to upstream's kube-controller-manager and to ours: both must take or
// refuse them, and say the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/contract/invocation.h"

namespace flyball::contract {
namespace {

/// A word for a shell.
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted.append(c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

/// Upstream's program, or nothing where there is no Go to build it.
std::string Program() {
  std::ifstream programs(FLYBALL_PEER_PROGRAMS);
  std::string name;
  std::string file;
  while (programs >> name >> file) {
    if (name == "kube-controller-manager") return file;
  }
  return {};
}

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    if (program_.empty()) GTEST_SKIP() << "skipped: needs Go 1.26";
  }

  /// What upstream prints, on both streams.
  std::string AskUpstream(const std::vector<std::string>& arguments) const {
    // With no cluster to be found there is nothing that it could run on.
    std::string command = "env -i timeout 60 " + Quoted(program_);
    for (const std::string& argument : arguments) command += " " + Quoted(argument);
    FILE* const pipe = popen((command + " 2>&1 </dev/null").c_str(), "r");
    std::string text;
    std::array<char, 4096> bytes{};
    for (std::size_t size = 0; (size = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
      text.append(bytes.data(), size);
    }
    pclose(pipe);
    return text;
  }

  const std::string program_ = Program();
};

/// What an invocation came to: the error as it is printed or logged, or that there was none. That
/// there is no cluster is none.
std::string Verdict(const std::string& text) {
  constexpr std::string_view kFailed = "] \"command failed\" err=";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Error: ")) return line;
    const std::size_t at = line.find(kFailed);
    if (at == std::string::npos) continue;
    const std::string why = line.substr(at + kFailed.size());
    if (why.find("no configuration has been provided") != std::string::npos) break;
    return why;
  }
  return "accepted";
}

TEST_F(CommandLine, HasUpstreamsFlagsWithTheirSectionsTypesAndDefaults) {
  const auto theirs = ParseHelp(AskUpstream({"--help"}));
  const auto ours = ParseHelp(Invoke({"--help"}).out);
  EXPECT_GT(theirs.size(), 140U);
  for (const auto& [name, flag] : theirs) {
    const auto found = ours.find(name);
    ASSERT_NE(found, ours.end()) << name;
    EXPECT_EQ(found->second.section, flag.section) << name;
    EXPECT_EQ(found->second.type, flag.type) << name;
    EXPECT_EQ(found->second.default_value, flag.default_value) << name;
  }
  EXPECT_EQ(ours.size(), theirs.size());
}

TEST_F(CommandLine, ListsUpstreamsGates) {
  const auto gates = [](const std::string& help) {
    std::vector<std::string> lines;
    std::istringstream all(help);
    for (std::string line; std::getline(all, line);) {
      if (const std::size_t at = line.find(" kube:"); at != std::string::npos) {
        if (line.find("=true|false") != std::string::npos) lines.push_back(line.substr(at));
      }
    }
    return lines;
  };
  EXPECT_EQ(gates(Invoke({"--help"}).out), gates(AskUpstream({"--help"})));
}

TEST_F(CommandLine, IsTakenOrRefusedWithUpstreamsWords) {
  std::ifstream file(FLYBALL_CONTRACT "/command_lines.txt");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> arguments;
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, '\t');) arguments.push_back(word);
    const Outcome ours = Invoke(arguments);
    EXPECT_EQ(Verdict(ours.err + ours.log), Verdict(AskUpstream(arguments))) << line;
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST_F(CommandLine, PrintsUpstreamsVersion) {
  EXPECT_EQ(Invoke({"--version"}).out, AskUpstream({"--version"}));
}

TEST_F(CommandLine, SaysWhatUpstreamSaysOfADeprecatedFlag) {
  const std::string theirs = AskUpstream({"--node-sync-period=1s", "--allow-untagged-cloud"});
  const std::string ours = Invoke({"--node-sync-period=1s", "--allow-untagged-cloud"}).err;
  std::istringstream lines(ours);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(theirs, testing::HasSubstr(line));
  EXPECT_EQ(std::ranges::count(ours, '\n'), 2);
}

}  // namespace
}  // namespace flyball::contract

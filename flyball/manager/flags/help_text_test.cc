#include "flyball/manager/flags/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::manager::flags {
namespace {

struct HelpCommand {
  bool on = true;
  bool off = false;
  std::string name = "x";
  std::string nothing;
  std::vector<std::int32_t> numbers;
  std::vector<std::string> words;
  Verbosity verbosity;
  VersionRequest version;
  FlagSet flags;

  HelpCommand() {
    FlagSection& first = flags.Section("first things");
    first.Add("on", on, "Whether it is on.");
    first.Add("name", name, "What it is called.\nIn one word.");
    first.Add("nothing", nothing, "Nothing.");
    first.Add("gone", off, "Gone.").Deprecate("it is gone.");
    flags.Section("empty");
    FlagSection& second = flags.Section("second");
    second.Add("off", off, "Whether it is off.");
    second.Add("numbers", numbers, "Numbers.");
    second.Add("words", words, "Words.");
    second.Add("v", verbosity, "Level.").Short('v');
    second.Add("version", version, "Version.");
  }
};

TEST(HelpText, HasALineAFlagWhereThereIsNoTerminal) {
  EXPECT_EQ(HelpText(HelpCommand().flags, 0),
            "\nFirst things flags:\n\n"
            "      --name string      What it is called.\n"
            "                         In one word. (default \"x\")\n"
            "      --nothing string   Nothing.\n"
            "      --on               Whether it is on. (default true)\n"
            "\nSecond flags:\n\n"
            "      --numbers int32Slice       Numbers. (default [])\n"
            "      --off                      Whether it is off.\n"
            "  -v, --v Level                  Level.\n"
            "      --version version[=true]   Version.\n"
            "      --words strings            Words.\n");
}

TEST(HelpText, BreaksLinesForATerminal) {
  EXPECT_THAT(HelpText(HelpCommand().flags, 40),
              testing::StartsWith("\nFirst things flags:\n\n"
                                  "      --name string\n"
                                  "                What it is called.\n"
                                  "                In one word. (default\n"
                                  "                \"x\")\n"
                                  "      --nothing string\n"
                                  "                Nothing.\n"
                                  "      --on\n"
                                  "                Whether it is on.\n"
                                  "                (default true)\n"));
}

}  // namespace
}  // namespace flyball::manager::flags

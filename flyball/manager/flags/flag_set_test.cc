#include "flyball/manager/flags/flag_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball::manager::flags {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A command with a flag of every kind.
struct Command {
  bool on = true;
  bool off = false;
  std::string name = "x";
  std::int32_t count = 5;
  std::vector<std::string> words = {"default"};
  std::vector<std::int32_t> numbers;
  std::map<std::string, std::string> pairs;
  Multimap gates;
  IpAddress address = {"0.0.0.0"};
  std::vector<NamedCertificate> certificates;
  api::Quantity size;
  Verbosity verbosity;
  std::vector<LogModule> modules;
  VersionRequest version;
  FlagSet flags;

  Command() {
    FlagSection& section = flags.Section("all");
    section.Add("on", on, "");
    section.Add("off", off, "").Short('o');
    section.Add("name", name, "");
    section.Add("count-it", count, "");
    section.Add("words", words, "");
    section.Add("numbers", numbers, "");
    section.Add("pairs", pairs, "");
    section.Add("gates", gates, "");
    section.Add("address", address, "");
    section.Add("certificates", certificates, "");
    section.Add("size", size, "");
    section.Add("v", verbosity, "").Short('v');
    section.Add("vmodule", modules, "");
    section.Add("version", version, "");
  }

  std::string Parse(const std::vector<std::string>& arguments) {
    const auto others = flags.Parse(arguments);
    return others ? "parsed" : others.error().message();
  }
};

TEST(FlagSet, TakesAValueBehindAnEqualsSignOrAsTheNextArgument) {
  Command command;
  ASSERT_EQ(command.Parse({"--name=a=b", "--count-it", "7"}), "parsed");
  EXPECT_EQ(command.name, "a=b");
  EXPECT_EQ(command.count, 7);
}

TEST(FlagSet, TakesABoolWithoutAValueForTrue) {
  Command command;
  EXPECT_THAT(command.flags.Parse(std::vector<std::string>{"--off", "false", "--on=f"}).value(),
              ElementsAre("false"));
  EXPECT_TRUE(command.off);
  EXPECT_FALSE(command.on);
}

TEST(FlagSet, TakesAnUnderscoreForAHyphen) {
  Command command;
  ASSERT_EQ(command.Parse({"--count_it=9"}), "parsed");
  EXPECT_EQ(command.count, 9);
}

TEST(FlagSet, TakesLettersTogetherAndWithTheirValues) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"-ov4"}, {"-o", "-v", "4"}, {"-o=true", "-v=4"}, {"-ov", "4"}}) {
    Command command;
    ASSERT_EQ(command.Parse(arguments), "parsed");
    EXPECT_TRUE(command.off);
    EXPECT_EQ(command.verbosity.level, 4);
  }
}

TEST(FlagSet, LeavesWhatIsNoFlag) {
  Command command;
  EXPECT_THAT(
      command.flags.Parse(std::vector<std::string>{"a", "--off", "-", "", "--", "--on", "b"})
          .value(),
      ElementsAre("a", "-", "", "--on", "b"));
}

TEST(FlagSet, PutsTheFirstListInThePlaceOfTheDefaultAndTheNextBehindIt) {
  Command command;
  ASSERT_EQ(command.Parse({"--words=a,b", "--words", "\"c,d\"", "--numbers=1,0x2", "--numbers=3"}),
            "parsed");
  EXPECT_THAT(command.words, ElementsAre("a", "b", "c,d"));
  EXPECT_THAT(command.numbers, ElementsAre(1, 2, 3));
  EXPECT_EQ(command.flags.Find("words")->Text(), "[a,b,\"c,d\"]");
  EXPECT_EQ(command.flags.Find("numbers")->Text(), "[1,2,3]");
}

TEST(FlagSet, TakesNothingForAnEmptyList) {
  Command command;
  ASSERT_EQ(command.Parse({"--words="}), "parsed");
  EXPECT_THAT(command.words, IsEmpty());
}

TEST(FlagSet, ReadsPairs) {
  Command command;
  ASSERT_EQ(command.Parse({"--pairs=a,b=c,d"}), "parsed");
  EXPECT_THAT(command.pairs, ElementsAre(Pair("a,b", "c,d")));
  ASSERT_EQ(command.Parse({"--pairs=\"m,l=1,2\",n=3"}), "parsed");
  EXPECT_THAT(command.pairs, ElementsAre(Pair("a,b", "c,d"), Pair("m,l", "1,2"), Pair("n", "3")));
  EXPECT_EQ(command.flags.Find("pairs")->Text(), R"(["a,b=c,d","m,l=1,2",n=3])");
}

TEST(FlagSet, ReadsGatesOfSeveralComponents) {
  Command command;
  ASSERT_EQ(command.Parse({"--gates=A=true, kube:B=false,,kube:C=true", "--gates=D=true"}),
            "parsed");
  EXPECT_THAT(command.gates, ElementsAre(Pair("", ElementsAre("A=true", "D=true")),
                                         Pair("kube", ElementsAre("B=false", "C=true"))));
  EXPECT_EQ(command.flags.Find("gates")->Text(), ":A=true,:D=true,kube:B=false,kube:C=true");
}

TEST(FlagSet, ReadsAddressesAndKeepsWhatItHadForNone) {
  Command command;
  ASSERT_EQ(command.Parse({"--address= ::FFFF:10.0.0.1 "}), "parsed");
  EXPECT_EQ(command.address.text, "10.0.0.1");
  ASSERT_EQ(command.Parse({"--address=2001:DB8:0::1"}), "parsed");
  EXPECT_EQ(command.address.text, "2001:db8::1");
  ASSERT_EQ(command.Parse({"--address="}), "parsed");
  EXPECT_EQ(command.address.text, "2001:db8::1");
}

TEST(FlagSet, ReadsCertificatesWithTheirNames) {
  Command command;
  ASSERT_EQ(command.Parse({"--certificates=a.crt, a.key", "--certificates=b.crt,b.key:*.b, b"}),
            "parsed");
  EXPECT_THAT(command.certificates, ElementsAre(NamedCertificate{"a.crt", "a.key", {}},
                                                NamedCertificate{"b.crt", "b.key", {"*.b", "b"}}));
  EXPECT_EQ(command.flags.Find("certificates")->Text(), "[a.crt,a.key;b.crt,b.key:*.b,b]");
}

TEST(FlagSet, ReadsWhatTheLogHas) {
  Command command;
  ASSERT_EQ(command.Parse({"--vmodule=a*=4,,b=0", "--size=2Ki"}), "parsed");
  EXPECT_THAT(command.modules, ElementsAre(LogModule{"a*", 4}, LogModule{"b", 0}));
  EXPECT_EQ(command.flags.Find("vmodule")->Text(), "a*=4,b=0");
  EXPECT_EQ(command.size.ToString(), "2Ki");
}

TEST(FlagSet, ReadsTheVersionThatIsAskedFor) {
  for (const auto& [argument, text] : std::map<std::string, std::string>{
           {"--version", "true"},
           {"--version=0", "false"},
           {"--version=raw", "raw"},
           {"--version=v1.37.1", "v1.37.1"},
           {"--version=v1.37.1-flyball.1+abc", "v1.37.1-flyball.1+abc"}}) {
    Command command;
    ASSERT_EQ(command.Parse({argument}), "parsed");
    EXPECT_EQ(command.version.text, text);
  }
}

TEST(FlagSet, KnowsWhatWasGiven) {
  Command command;
  ASSERT_EQ(command.Parse({"--count-it=5"}), "parsed");
  EXPECT_TRUE(command.flags.Find("count-it")->given());
  EXPECT_FALSE(command.flags.Find("name")->given());
}

TEST(FlagSet, SaysWhatItDoesNotUnderstandAsUpstreamDoes) {
  const std::map<std::vector<std::string>, std::string> kComplaints = {
      {{"--nope"}, "unknown flag: --nope"},
      {{"--no_pe=1"}, "unknown flag: --no_pe"},
      {{"--=a"}, "bad flag syntax: --=a"},
      {{"---a"}, "bad flag syntax: ---a"},
      {{"-x"}, "unknown shorthand flag: 'x' in -x"},
      {{"-ox"}, "unknown shorthand flag: 'x' in -x"},
      {{"--name"}, "flag needs an argument: --name"},
      {{"--count_it"}, "flag needs an argument: --count_it"},
      {{"-v"}, "flag needs an argument: 'v' in -v"},
      {{"--count_it=x"},
       R"(invalid argument "x" for "--count-it" flag: strconv.ParseInt: parsing "x": invalid syntax)"},
      {{"--v=-1"},
       R"(invalid argument "-1" for "-v, --v" flag: strconv.ParseUint: parsing "-1": invalid syntax)"},
      {{"--numbers="},
       R"(invalid argument "" for "--numbers" flag: strconv.ParseInt: parsing "": invalid syntax)"},
      {{"--pairs=a"},
       R"(invalid argument "a" for "--pairs" flag: a must be formatted as key=value)"},
      {{"--address=1.2.3"},
       R"(invalid argument "1.2.3" for "--address" flag: failed to parse IP: "1.2.3")"},
      {{"--certificates=a"},
       R"(invalid argument "a" for "--certificates" flag: expected comma separated certificate and key file paths)"},
      {{"--certificates=a,b:"},
       R"(invalid argument "a,b:" for "--certificates" flag: empty names list is not allowed)"},
      {{"--vmodule=a"},
       R"(invalid argument "a" for "--vmodule" flag: "a" does not have the pattern=N format)"},
      {{"--vmodule=a=x"},
       R"(invalid argument "a=x" for "--vmodule" flag: parsing verbosity in "a=x": strconv.ParseUint: parsing "x": invalid syntax)"},
      {{"--version=v1.36.0"},
       R"(invalid argument "v1.36.0" for "--version" flag: version "v1.36.0" must match major/minor/patch of default version "v1.37.1")"},
      {{"--version=v9"},
       R"(invalid argument "v9" for "--version" flag: illegal version string "v9")"},
  };
  for (const auto& [arguments, complaint] : kComplaints) {
    Command command;
    EXPECT_EQ(command.Parse(arguments), complaint);
  }
}

}  // namespace
}  // namespace flyball::manager::flags

#include "flyball/base/logging.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "flyball/base/fake_clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Key {
  std::string namespace_;
  std::string name;
};
LogObject ToLogValue(const Key& key) { return {key.namespace_, key.name}; }

class LoggerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  Logger MakeLogger(LogConfig config = {}) { return Logger(std::move(config), clock_, sink_); }

  /// All lines so far, with our line numbers, which change with the file, as "LINE".
  std::string Lines() {
    std::string text = sink_->text();
    const std::string file = "logging_test.cc:";
    for (std::size_t at = 0; (at = text.find(file, at)) != std::string::npos;) {
      at += file.size();
      text.replace(at, text.find_first_not_of("0123456789", at) - at, "LINE");
    }
    return text;
  }

  /// klog's header for the fake clock's time.
  static std::string Header(char severity) {
    std::string pid = std::to_string(getpid());
    pid.insert(0, pid.size() < 7 ? 7 - pid.size() : 0, ' ');
    return severity + std::string("1115 08:10:59.123456 ") + pid + " logging_test.cc:LINE] ";
  }

  FakeClock clock_{WallTime(std::chrono::sys_days{std::chrono::year(2026) / 11 / 15} + hours(8) +
                            minutes(10) + seconds(59) + microseconds(123456))};
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
};

TEST_F(LoggerTest, WritesKlogText) {
  const Logger log = MakeLogger();
  log.Info("Scaled replica set",
           {{"replicaset", Key{"default", "web-6d4c"}}, {"from", 3}, {"to", 5}});
  log.Info("Started");
  EXPECT_EQ(Lines(), Header('I') +
                         "\"Scaled replica set\" replicaset=\"default/web-6d4c\" from=3 to=5\n" +
                         Header('I') + "\"Started\"\n");
}

TEST_F(LoggerTest, WritesErrorsInKlogText) {
  const Logger log = MakeLogger().With({{"logger", "job-controller"}});
  log.Error(Error(ErrorCode::kConflict, "the object has \"changed\""), "Could not update",
            {{"job", Key{"default", "nightly"}}});
  log.Error("Gave up", {{"attempts", 15}});
  EXPECT_EQ(Lines(), Header('E') +
                         R"("Could not update" err="conflict: the object has \"changed\"" )"
                         "logger=\"job-controller\" job=\"default/nightly\"\n" +
                         Header('E') + "\"Gave up\" logger=\"job-controller\" attempts=15\n");
}

TEST_F(LoggerTest, WritesJsonAsKubernetesComponentsDo) {
  const Logger log =
      MakeLogger({.format = LogFormat::kJson, .verbosity = 2}).With({{"logger", "job"}});
  log.Info("Scaled \"it\"", {{"replicaset", Key{"default", "web"}}, {"from", 3}});
  log.V(2).Info("Detail");
  log.Error(Error(ErrorCode::kGone, "too old"), "Relisting", {{"after", seconds(5)}});
  log.Error("Gave up");
  const std::string start =
      R"({"ts":1794730259123.456,"caller":"base/logging_test.cc:LINE","msg":)";
  EXPECT_EQ(Lines(), start + R"("Scaled \"it\"","logger":"job","v":0,)" +
                         R"("replicaset":{"name":"web","namespace":"default"},"from":3})" + "\n" +
                         start + R"("Detail","logger":"job","v":2})" + "\n" + start +
                         R"("Relisting","logger":"job","after":"5s","err":"gone: too old"})" +
                         "\n" + start + R"("Gave up","logger":"job"})" + "\n");
}

TEST_F(LoggerTest, NamesTheFileAndLineOfTheCall) {
  MakeLogger().Info("here");
  const auto line = std::source_location::current().line() - 1;
  EXPECT_THAT(sink_->text(), testing::HasSubstr("logging_test.cc:" + std::to_string(line) + "]"));
}

TEST_F(LoggerTest, AMessageCannotForgeALine) {
  MakeLogger().Info("one\nI1115 two", {{"k", "x\" y=\"z"}});
  EXPECT_EQ(Lines(), Header('I') + R"("one\nI1115 two" k="x\" y=\"z")" + "\n");
}

TEST_F(LoggerTest, WritesDetailUpToItsVerbosity) {
  const Logger log = MakeLogger({.verbosity = 2});
  EXPECT_TRUE(log.V(2));
  EXPECT_FALSE(log.V(3));
  log.V(3).Info("too much");
  log.V(2).Info("enough");
  EXPECT_EQ(Lines(), Header('I') + "\"enough\"\n");
}

TEST_F(LoggerTest, ItsVerbosityCanBeChangedForAllCopies) {
  const Logger log = MakeLogger();
  const Logger copy = log.With({{"k", 1}});
  EXPECT_FALSE(copy.V(4));
  log.SetVerbosity(4);
  EXPECT_TRUE(copy.V(4));
}

TEST_F(LoggerTest, AModulesLevelCountsForItsFilesOnly) {
  EXPECT_TRUE(MakeLogger({.modules = {{"logging_test", 4}}}).V(4));
  EXPECT_TRUE(MakeLogger({.modules = {{"other", 9}, {"logging_*", 4}}}).V(4));
  EXPECT_FALSE(MakeLogger({.modules = {{"logging_t?st", 4}}}).V(5));
  EXPECT_FALSE(MakeLogger({.modules = {{"logging", 4}}}).V(1));
  EXPECT_FALSE(MakeLogger({.modules = {{"log*", 1}, {"logging_test", 4}}}).V(4))
      << "the first that matches counts";
}

TEST_F(LoggerTest, AFieldOfTheLineReplacesOneThatWasBound) {
  const Logger log = MakeLogger().With({{"a", 1}, {"b", 2}}).With({{"b", 3}, {"c", 4}});
  log.Info("m", {{"a", 5}});
  EXPECT_EQ(Lines(), Header('I') + "\"m\" b=3 c=4 a=5\n");
}

TEST_F(LoggerTest, OneWithoutASinkDiscardsEverything) {
  const Logger log;
  log.Info("into the void");
  log.Error(Error(ErrorCode::kIo, "x"), "likewise");
  log.SetVerbosity(9);
  log.With({{"k", 1}}).V(1).Info("also");
  EXPECT_FALSE(log.V(0));
}

TEST_F(LoggerTest, LinesOfManyThreadsComeOutWhole) {
  const Logger log = MakeLogger();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const Logger mine = log.With({{"thread", t}});
        for (int i = 0; i < 200; ++i) mine.Info("count", {{"i", i}});
      });
    }
  }
  std::string text = Lines();
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_EQ(text.compare(at, Header('I').size(), Header('I')), 0) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_EQ(lines, 800U);
}

TEST(LogModules, AreParsedAsKlogParsesThem) {
  using Modules = std::vector<LogModule>;
  EXPECT_EQ(ParseLogModules(""), Modules{});
  EXPECT_EQ(ParseLogModules("replicaset_*=4,informer=5"),
            (Modules{{"replicaset_*", 4}, {"informer", 5}}));
  EXPECT_EQ(ParseLogModules("a=1,,b=0,"), (Modules{{"a", 1}})) << "0 is as if it were not there";
  for (const char* bad : {"a", "a=", "=3", "a=x", "a=1x", "a=1=2", "a=-1", "a=99999999999"}) {
    EXPECT_EQ(ParseLogModules(bad).error().code(), ErrorCode::kInvalid) << bad;
  }
}

}  // namespace
}  // namespace flyball

// What operators search logs for: upstream's messages, their keys and levels (logs.tsv), each made
// to come out of our log, in text and in JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/contract/log_line.h"
#include "tests/contract/log_sources.h"
#include "tests/contract/table.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::contract {
namespace {

using Keys = std::set<std::string>;

/// Rows that need a process of their own are driven by this test (flyball/manager/run_test.cc).
constexpr const char* kOfTheProcess = "ManagerRunTest.LogsItsStart";

/// A row of logs.tsv.
struct Promise {
  std::string component;  ///< what "logger" says; empty: anything
  bool is_error = false;
  int v = 0;
  std::string message;
  Keys keys;
  std::string source;
};

Keys KeysOf(const std::string& cell) {
  Keys keys;
  std::istringstream names(cell);
  // Those that upstream does not have are marked.
  for (std::string name; std::getline(names, name, ',');) {
    keys.insert(name.starts_with('+') ? name.substr(1) : name);
  }
  return keys;
}

std::vector<Promise> Promises() {
  std::vector<Promise> promises;
  for (const Row& row : ReadTable("logs.tsv")) {
    const std::string& level = row[1];
    promises.push_back({.component = row[0] == "-" ? "" : row[0],
                        .is_error = level == "Error",
                        .v = level.starts_with('V') ? std::stoi(level.substr(1)) : 0,
                        .message = row[2],
                        .keys = KeysOf(row[3]),
                        .source = row[4]});
  }
  return promises;
}

/// What a line says of its own, without what all lines of a manager and of a controller have.
Keys OwnKeysOf(const LogLine& line) {
  Keys keys;
  for (const auto& [key, value] : line.fields) {
    if (key != "manager" && key != "logger") keys.insert(key);
  }
  return keys;
}

bool SameMessage(const Promise& promise, const LogLine& line) {
  // In text the level does not show.
  return line.message == promise.message && line.is_error == promise.is_error &&
         (!line.v || *line.v == promise.v);
}

bool SameComponent(const Promise& promise, const LogLine& line) {
  if (promise.component.empty()) return true;
  const auto logger = line.fields.find("logger");
  return logger != line.fields.end() && logger->second == api::Json(promise.component);
}

/// Where upstream has objects.
bool IsObjectKey(const std::string& key) {
  static const Keys kKeys = {"PVC",        "VAC",        "PV",          "cronjob",
                             "daemonset",  "deployment", "item",        "job",
                             "node",       "object",     "pod",         "podDisruptionBudget",
                             "replicaSet", "secret",     "statefulSet", "serviceAccount"};
  return kKeys.contains(key);
}

/// {"name":..,"namespace":..} in JSON, "namespace/name" in text.
std::string TroubleWithObjects(const LogLine& line, LogFormat format) {
  for (const auto& [key, value] : line.fields) {
    if (!IsObjectKey(key)) continue;
    const std::string problem = key + " is " + value.ToString();
    if (format == LogFormat::kJson) {
      const api::Json* const name = value.Find("name");
      if (name == nullptr || name->If<std::string>() == nullptr) return problem;
    } else {
      const auto* const text = value.If<std::string>();
      if (text == nullptr || text->empty() || text->starts_with('{')) return problem;
    }
  }
  return "";
}

std::string Joined(const Keys& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ",") + key;
  return text;
}

/// What is in the log under a message, for people.
std::string Seen(const std::vector<LogLine>& lines, const std::string& message) {
  std::set<std::string> seen;
  for (const LogLine& line : lines) {
    if (line.message != message) continue;
    const auto logger = line.fields.find("logger");
    seen.insert((logger == line.fields.end() ? "-" : logger->second.ToString()) + " " +
                (line.is_error ? "Error"
                 : line.v      ? "V" + std::to_string(*line.v)
                               : "Info or V") +
                " " + Joined(OwnKeysOf(line)));
  }
  std::string text;
  for (const std::string& each : seen) text += "\n  " + each;
  return text.empty() ? " nothing" : text;
}

class LogContractTest : public testing::Test {
 public:
  LogContractTest(std::string source, LogFormat format)
      : source_(std::move(source)), format_(format) {}

  void TestBody() override {
    const auto log = LogOf(source_, format_);
    ASSERT_TRUE(log) << log.error().Describe();
    std::vector<LogLine> lines;
    for (const std::string& line : *log) {
      auto parsed = LogLine::Parse(format_, line);
      ASSERT_TRUE(parsed) << parsed.error().Describe() << " in " << line;
      lines.push_back(*std::move(parsed));
    }
    const std::vector<Promise> promises = Promises();
    for (const Promise& promise : promises) {
      if (promise.source == source_) Expect(promise, lines);
    }
    for (const LogLine& line : lines) ExpectKnownKeys(promises, line);
  }

 private:
  static void Expect(const Promise& promise, const std::vector<LogLine>& lines) {
    const bool came = std::ranges::any_of(lines, [&](const LogLine& line) {
      return SameMessage(promise, line) && SameComponent(promise, line) &&
             OwnKeysOf(line) == promise.keys;
    });
    EXPECT_TRUE(came) << "\"" << promise.message << "\" of " << promise.component << " with "
                      << Joined(promise.keys) << "; what came:" << Seen(lines, promise.message);
  }

  /// Whoever logs a message that is in the table does it with the table's keys.
  void ExpectKnownKeys(const std::vector<Promise>& promises, const LogLine& line) const {
    bool promised = false;
    for (const Promise& promise : promises) {
      if (!SameMessage(promise, line)) continue;
      promised = true;
      if (OwnKeysOf(line) == promise.keys) {
        EXPECT_EQ(TroubleWithObjects(line, format_), "") << line.message;
        return;
      }
    }
    EXPECT_FALSE(promised) << "\"" << line.message << "\" with " << Joined(OwnKeysOf(line));
  }

  const std::string source_;
  const LogFormat format_;
};

/// What needs a real process: that its test is there, and looks for the message.
class ElsewhereTest : public testing::Test {
 public:
  void TestBody() override {
    const auto code = scenario::LoadText(FLYBALL_RUN_TEST);
    ASSERT_TRUE(code) << code.error().Describe();
    EXPECT_THAT(*code, testing::HasSubstr("TEST_F(ManagerRunTest, LogsItsStart)"));
    for (const Promise& promise : Promises()) {
      if (promise.source != kOfTheProcess) continue;
      EXPECT_THAT(*code, testing::HasSubstr(promise.message));
    }
  }
};

/// A dash in a name would be a minus to --gtest_filter.
std::string TestName(std::string source, const char* format) {
  std::ranges::replace(source, '-', '_');
  return source + "_" + format;
}

void RegisterTests() {
  std::set<std::string> sources;
  for (const Promise& promise : Promises()) sources.insert(promise.source);
  sources.erase(kOfTheProcess);
  for (const std::string& source : sources) {
    const auto add = [&](const char* name, LogFormat format) {
      testing::RegisterTest(
          "LogContract", TestName(source, name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [source, format]() -> testing::Test* { return new LogContractTest(source, format); });
    };
    add("text", LogFormat::kText);
    add("json", LogFormat::kJson);
  }
  testing::RegisterTest("LogContract", "process_text", nullptr, nullptr, __FILE__, __LINE__,
                        []() -> testing::Test* { return new ElsewhereTest(); });
}

}  // namespace
}  // namespace flyball::contract

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  flyball::contract::RegisterTests();
  return RUN_ALL_TESTS();
}

// Walks upstream's flags and feature gates, which this folder has as tables, one by one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/gates/feature_gates.h"
#include "tests/contract/invocation.h"
#include "tests/contract/table.h"

namespace flyball::contract {
namespace {

using manager::FeatureGates;
using manager::flags::Quote;
using testing::AnyOf;
using testing::HasSubstr;

bool IsNothing(const std::string& type, const std::string& value) {
  if (type == "strings") return value == "[]";
  return value.empty() || value == "false" || value == "0" || value == "0s";
}

TEST(Contract, HelpHasEveryFlagWithItsTypeAndDefault) {
  std::map<std::string, ShownFlag> shown = ParseHelp(Invoke({"--help"}).out);
  for (const Row& row : ReadTable("flags.tsv")) {
    const auto& [section, name, type, value, note] =
        std::tie(row[0], row[1], row[2], row[3], row[4]);
    if (note == "deprecated") {
      EXPECT_FALSE(shown.contains(name)) << name;
      continue;
    }
    ASSERT_TRUE(shown.contains(name)) << name;
    const ShownFlag flag = shown.extract(name).mapped();
    std::string heading = section;
    heading.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(heading.front())));
    EXPECT_EQ(flag.section, heading) << name;
    EXPECT_EQ(flag.type, type == "version" ? "version[=true]" : type) << name;
    const std::string quoted = type == "string" ? Quote(value) : value;
    EXPECT_EQ(flag.default_value, IsNothing(type, value) ? "" : quoted) << name;
  }
  EXPECT_TRUE(shown.empty()) << "upstream has no --" << shown.begin()->first;
}

TEST(Contract, EveryFlagTakesItsDefault) {
  for (const Row& row : ReadTable("flags.tsv")) {
    std::string value = row[3];
    if (value.starts_with('[')) value = value.substr(1, value.size() - 2);
    // What pflag cannot read back either.
    if (row[2] == "int32Slice" || row[2] == "namedCertKey" || row[2] == "stringToString") continue;
    const Outcome outcome = Invoke({"--" + row[1] + "=" + value});
    EXPECT_EQ(outcome.status, 0) << row[1] << outcome.log;
  }
}

TEST(Contract, EveryFlagRefusesABadValueAndNamesItself) {
  const std::map<std::string, std::string> kBad = {
      {"bool", "maybe"},       {"int32", "x"},        {"int", "1.5"},      {"float32", "x"},
      {"float", "x"},          {"duration", "5"},     {"strings", "a\"b"}, {"int32Slice", "a"},
      {"stringToString", "a"}, {"ip", "1.2.3"},       {"quantity", "x"},   {"Level", "-1"},
      {"pattern=N,...", "a"},  {"namedCertKey", "a"}, {"version", "x"},
  };
  std::size_t refused = 0;
  for (const Row& row : ReadTable("flags.tsv")) {
    const auto bad = kBad.find(row[2]);
    if (bad == kBad.end()) {
      EXPECT_THAT(row[2], AnyOf("string", "colonSeparatedMultimapStringString"));
      continue;
    }
    const Outcome outcome = Invoke({"--" + row[1] + "=" + bad->second});
    EXPECT_EQ(outcome.status, 1) << row[1];
    EXPECT_THAT(outcome.err, HasSubstr("\nError: invalid argument " + Quote(bad->second)));
    EXPECT_THAT(outcome.err, HasSubstr("--" + row[1] + "\" flag: "));
    ++refused;
  }
  EXPECT_EQ(refused, 109U);
}

TEST(Contract, EveryGateHasItsStageDefaultAndLock) {
  const std::vector<Row> rows = ReadTable("feature_gates.tsv");
  EXPECT_EQ(rows.size(), 254U);
  const FeatureGates usual;
  const std::string help = Invoke({"--help"}).out;
  for (const Row& row : rows) {
    const auto& [name, stage, value, note] = std::tie(row[0], row[1], row[2], row[3]);
    const bool on = value == "on";
    EXPECT_EQ(usual.Enabled(name), on) << name;
    const std::string line =
        "kube:" + name + "=true|false (" + stage + " - default=" + (on ? "true" : "false") + ")";
    const bool listed = stage == "ALPHA" || stage == "BETA";
    EXPECT_EQ(help.find(line) != std::string::npos, listed) << line;

    EXPECT_TRUE(FeatureGates::Make({}, {{"", {name + (on ? "=true" : "=false")}}})) << name;
    const auto other = FeatureGates::Make({}, {{"kube", {name + (on ? "=false" : "=true")}}});
    if (note == "locked") {
      ASSERT_FALSE(other) << name;
      EXPECT_THAT(other.error().message(), HasSubstr("cannot set feature gate " + name));
    } else if (!other) {
      EXPECT_THAT(other.error().message(), HasSubstr("depends on features that are disabled"));
    } else {
      EXPECT_EQ(other->Enabled(name), !on) << name;
    }
  }
}

TEST(Contract, NoGateIsKnownThatUpstreamDoesNotHave) {
  std::map<std::string, int> names;
  for (const Row& row : ReadTable("feature_gates.tsv")) names[row[0]] = 0;
  for (const manager::GateSpec& spec : manager::KnownGateSpecs()) {
    EXPECT_TRUE(names.contains(std::string(spec.name))) << spec.name;
  }
}

}  // namespace
}  // namespace flyball::contract

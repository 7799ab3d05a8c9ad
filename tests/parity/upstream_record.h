#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "flyball/base/result.h"
#include "tests/parity/record.h"
#include "tests/parity/scenario.h"

namespace flyball::parity {

/// The scenarios' files.
std::filesystem::path ScenarioFolder();
/// A dash in a name would be a minus to --gtest_filter.
std::string TestNameOf(std::string scenario);

// What upstream's manager made of scenarios on the real server, as it stands in the tree.

/// Fails where there is none, or one of another time; the error says how to record it.
Result<Record> LoadUpstreamRecord(const Scenario& scenario);
/// Whatever it was made from; nothing if there is none that can be read.
std::optional<Record> LastUpstreamRecord(const Scenario& scenario);
Result<> SaveUpstreamRecord(const Scenario& scenario, const Record& record);

/// What distinguishes what came of a scenario under ours from what did under upstream's, as text;
/// empty if nothing does.
std::string DifferencesOf(const Result<Record>& expected, const Result<Record>& actual);

}  // namespace flyball::parity

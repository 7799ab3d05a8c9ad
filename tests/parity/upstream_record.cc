#include "tests/parity/upstream_record.h"

#include <algorithm>
#include <system_error>

#include "flyball/manager/gates/kube_version.h"
#include "tests/cluster/build_paths.h"
#include "tests/cluster/written_file.h"
#include "tests/scenario/differences.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::parity {
namespace {

namespace fs = std::filesystem;

RecordSource SourceOf(const Scenario& scenario) {
  return {.kubernetes = std::string(manager::kGitVersion), .scenario = scenario.digest};
}

fs::path FileOf(const Scenario& scenario) {
  return cluster::SourceFolder() / "tests/parity/records" / (scenario.name + ".txt");
}

/// Where a pod is refused, ours names its generateName, and upstream's the name that each try made
/// up anew (`<refused>` in a portrait): so upstream's events differ, and of many it combines the
/// rest.
// DIVERGES: see "Differences" in docs/manager.md.
constexpr std::string_view kCombined = "(combined from similar events): ";

std::string WithGenerateName(std::string text) {
  for (const std::string_view dropped : {std::string_view("<refused>"), kCombined}) {
    for (auto at = text.find(dropped); at != std::string::npos; at = text.find(dropped, at)) {
      text.erase(at, dropped.size());
    }
  }
  return text;
}

api::Json WithGenerateNames(const api::Json& tree) {
  using api::Json;
  if (const auto* const text = tree.If<std::string>()) return WithGenerateName(*text);
  if (const auto* const list = tree.If<Json::Array>()) {
    Json::Array same;
    for (const Json& each : *list) same.push_back(WithGenerateNames(each));
    return same;
  }
  if (const auto* const members = tree.If<Json::Object>()) {
    Json::Object same;
    for (const auto& [name, value] : *members) {
      Json& its = same[WithGenerateName(name)] = WithGenerateNames(value);
      // An event that combines others does not say who reports it but as its source.
      const Json* const component = scenario::FindPath(its, "source.component");
      if (name.contains(kCombined) && component != nullptr) {
        const Json reporter = *component;
        (*its.If<Json::Object>())["reportingComponent"] = reporter;
      }
    }
    return same;
  }
  return tree;
}

Result<RecordFile> LoadFile(const Scenario& scenario) {
  FLYBALL_TRY(const std::string text, scenario::LoadText(FileOf(scenario)));
  return RecordFile::Parse(text, scenario.name, scenario.space);
}

}  // namespace

fs::path ScenarioFolder() { return cluster::SourceFolder() / "tests/parity/scenarios"; }

std::string TestNameOf(std::string scenario) {
  std::ranges::replace(scenario, '-', '_');
  return scenario;
}

Result<Record> LoadUpstreamRecord(const Scenario& scenario) {
  if (!fs::exists(FileOf(scenario))) {
    return Fail(ErrorCode::kNotFound,
                "there is no record of what upstream's manager makes of it. To record it: "
                "make parity-records SCENARIO=" +
                    scenario.name);
  }
  FLYBALL_TRY(RecordFile file, LoadFile(scenario));
  const std::string stale = file.source.StaleFor(SourceOf(scenario), scenario.name);
  if (!stale.empty()) return Fail(ErrorCode::kConflict, stale);
  return std::move(file.record);
}

std::optional<Record> LastUpstreamRecord(const Scenario& scenario) {
  auto file = LoadFile(scenario);
  if (!file || file->source.dialect != kDialect) return std::nullopt;
  return std::move(file->record);
}

Result<> SaveUpstreamRecord(const Scenario& scenario, const Record& record) {
  const fs::path path = FileOf(scenario);
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const RecordFile file{.source = SourceOf(scenario), .record = record};
  return cluster::WriteFile(path, file.ToText(scenario.name, scenario.space));
}

std::string DifferencesOf(const Result<Record>& expected, const Result<Record>& actual) {
  if (!expected) return "upstream's manager: " + expected.error().Describe() + "\n";
  if (!actual) return "ours: " + actual.error().Describe() + "\n";
  if (expected->checkpoints.size() != actual->checkpoints.size()) {
    return "upstream's comes to " + std::to_string(expected->checkpoints.size()) +
           " checkpoints, ours to " + std::to_string(actual->checkpoints.size()) + "\n";
  }
  std::string text;
  for (std::size_t i = 0; i < expected->checkpoints.size(); ++i) {
    const Record::Checkpoint& checkpoint = expected->checkpoints[i];
    for (const auto& each :
         scenario::FindDifferences(WithGenerateNames(checkpoint.portrait),
                                   WithGenerateNames(actual->checkpoints[i].portrait))) {
      text += "at the checkpoint \"" + checkpoint.name + "\": " + each.path +
              "\n    upstream: " + each.expected + "\n    ours:     " + each.actual + "\n";
    }
  }
  return text;
}

}  // namespace flyball::parity

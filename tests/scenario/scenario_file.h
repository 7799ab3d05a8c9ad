#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::scenario {

/// A scenario as it stands in files: steps, which others give their meaning to. A file is a map
/// with `steps` and whatever settings go with them. Three kinds of steps are resolved here:
///
///   - play: start            # the steps of parts/start.yaml, beside the file
///     with: {name: web}      # values for the names that it leaves open
///   - repeat: 3              # three times, with 0, 1 and 2 for $(i)
///     as: i                  # which is what it is called unless this says otherwise
///     steps: [...]
struct ScenarioFile {
  struct Step {
    api::Json tree;
    api::Json::Object settings;  ///< of the file that it is in, and of those that play that
    std::string where;           ///< for people: the file, and the step as it is written there
  };

  std::string name;  ///< of the file
  std::string text;  ///< of the file and its parts
  api::Json::Object settings;
  std::vector<Step> steps;

  static Result<ScenarioFile> Load(const std::filesystem::path& file);
};

/// Reads a YAML file as a tree.
Result<api::Json> LoadYaml(const std::filesystem::path& file);
Result<std::string> LoadText(const std::filesystem::path& file);

/// The text at a member, or what is there as text; empty if there is nothing.
std::string TextAt(const api::Json& tree, std::string_view name);
/// What is at "metadata.uid" or "items[0].metadata.name"; null if there is nothing.
const api::Json* FindPath(const api::Json& tree, std::string_view path);

/// The scenarios of a folder, in order.
std::vector<std::filesystem::path> ScenariosIn(const std::filesystem::path& folder);

}  // namespace flyball::scenario

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flyball/client/resource_client.h"
#include "tests/parity/expectations.h"
#include "tests/parity/world.h"
#include "tests/scenario/placeholders.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::parity {

/// One step, its placeholders filled in.
struct Step {
  enum class Kind : std::uint8_t {
    kCreate,
    kApply,
    kPatch,
    kDelete,
    kEvict,
    kWait,
    kCheckpoint,
    kRestart
  };

  /// Which objects a step is about: one, or those of a kind that are like something.
  struct Target {
    Reference reference = {};
    std::optional<api::Json> like = std::nullopt;
    std::optional<std::int64_t> count = std::nullopt;  ///< no more than so many
  };

  Kind kind = Kind::kWait;
  api::Json object = {};                                       ///< to create or apply
  std::vector<std::pair<std::string, std::string>> keep = {};  ///< of the answer: name and path
  Target target = {};
  client::Patch patch = {};
  std::string subresource = {};
  meta::v1::DeleteOptions deletion = {};
  std::vector<std::string> flags = {};  ///< that the manager gets besides, when started again
  std::string checkpoint = {};          ///< its name
  Expectations until = {};
  std::chrono::nanoseconds time = {};  ///< to wait for, or that all must be quiet for

  static Result<Step> Parse(const api::Json& tree);
};

/// What is played under both managers. How to write one stands in scenarios/README.md.
struct Scenario {
  std::string name;   ///< of the file
  std::string text;   ///< of the file and its parts
  std::string space;  ///< its namespace; it may make more
  bool alone = false;
  bool on_real_server = false;       ///< the embedded one cannot play it
  std::vector<std::string> without;  ///< controllers that are not to run
  std::string digest;                ///< of all that its record depends on
  std::vector<scenario::ScenarioFile::Step> steps;

  static Result<Scenario> Load(const std::filesystem::path& file);
};

}  // namespace flyball::parity

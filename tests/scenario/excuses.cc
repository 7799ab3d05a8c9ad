#include "tests/scenario/excuses.h"

#include <algorithm>

#include "tests/scenario/pattern.h"
#include "tests/scenario/scenario_file.h"

namespace flyball::scenario {
namespace {

using api::Json;

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns,
                             [&](const auto& each) { return MatchesPattern(each, text); });
}

/// A list of texts, or one.
std::vector<std::string> Texts(const Json* value) {
  if (value == nullptr) return {};
  if (const auto* const text = value->If<std::string>()) return {*text};
  std::vector<std::string> texts;
  for (const Json& each : *value->If<Json::Array>()) texts.push_back(*each.If<std::string>());
  return texts;
}

/// With one blank wherever lines are broken or indented.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (blank && line.ends_with(' ')) continue;
    line += blank ? ' ' : c;
  }
  return line;
}

}  // namespace

Result<Excuses> Excuses::Load(const std::filesystem::path& file) {
  FLYBALL_TRY(const Json tree, LoadYaml(file));
  const auto* const list = tree.If<Json::Array>();
  if (list == nullptr) return Fail(ErrorCode::kMalformed, file.string() + ": it is no list");
  Excuses excuses;
  for (const Json& each : *list) {
    const auto documented = Texts(each.Find("documented"));
    Excuse excuse{documented.empty() ? "" : documented.front(), Texts(each.Find("scenarios")),
                  Texts(each.Find("places")), Texts(each.Find("paths")),
                  Texts(each.Find("expected"))};
    if (excuse.documented.empty() || excuse.scenarios.empty() || excuse.paths.empty()) {
      return Fail(ErrorCode::kMalformed, file.string() + ": not whole: " + each.ToString());
    }
    excuses.excuses_.push_back(std::move(excuse));
  }
  return excuses;
}

bool Excuses::Excused(std::string_view scenario, std::string_view place,
                      const Difference& difference) {
  bool excused = false;
  for (Excuse& each : excuses_) {
    if (!MatchesAny(each.scenarios, scenario) || !MatchesAny(each.paths, difference.path)) {
      continue;
    }
    if (!each.places.empty() && !MatchesAny(each.places, place)) continue;
    if (!each.expected.empty() && !MatchesAny(each.expected, difference.expected)) continue;
    each.used = true;
    excused = true;
  }
  return excused;
}

std::vector<std::string> Excuses::Unused() const {
  std::vector<std::string> unused;
  for (const Excuse& each : excuses_) {
    if (!each.used) unused.push_back(each.documented + " (" + each.paths.front() + ")");
  }
  return unused;
}

std::vector<std::string> Excuses::Undocumented(std::string_view docs) const {
  const std::string text = OneLine(docs);
  std::vector<std::string> undocumented;
  for (const Excuse& each : excuses_) {
    if (!text.contains(OneLine(each.documented))) undocumented.push_back(each.documented);
  }
  return undocumented;
}

}  // namespace flyball::scenario

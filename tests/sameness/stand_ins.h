#pragma once

#include <map>
#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/base/clock.h"

namespace flyball::sameness {

/// Puts stand-ins for what a server makes up: uids, resourceVersions, moments, generated names,
/// addresses and ports of services, tokens. The same thing gets the same stand-in throughout a
/// scenario, named after the answer that it first came up in, so that two servers that act alike
/// show the same. What the scenario itself names is left as it is.
class StandIns {
 public:
  /// `scenario` is its text.
  StandIns(std::string scenario, Clock& clock) : scenario_(std::move(scenario)), clock_(clock) {}

  api::Json Replace(const api::Json& answer);

 private:
  void LearnNames(const api::Json& tree);
  api::Json Walk(std::string_view member, const api::Json& tree, bool of_list);
  api::Json ReplaceText(std::string_view member, const std::string& text, bool of_list);
  std::string ReplaceUids(std::string_view text);
  std::string ReplaceVersions(std::string text) const;
  std::string ReplaceNames(std::string text) const;
  bool IsRecent(const std::string& text) const;
  std::string NumberOf(std::string_view what, const std::string& value);

  const std::string scenario_;
  Clock& clock_;
  int answers_ = 0;
  int fresh_ = 0;  ///< stand-ins that are new in this answer
  std::map<std::string, std::map<std::string, std::string>> known_;  ///< by what it is, and value
  std::map<std::string, std::string> names_;                         ///< generated ones
};

}  // namespace flyball::sameness

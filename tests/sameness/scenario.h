#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::sameness {

/// One request, as a scenario has it: its placeholders are not filled in yet.
struct Step {
  enum class Form : std::uint8_t { kNone, kJson, kText, kProtobuf, kBase64 };

  std::string method;
  std::string target;
  Form form = Form::kNone;  ///< what the body is made of
  api::Json body = {};
  std::string content_type = {};
  std::string accept = {};
  std::string token = {};  ///< in place of the administrator's, where `has_token`
  bool has_token = false;
  /// What later steps need of the answer: a name, and the path of a member in the body.
  std::vector<std::pair<std::string, std::string>> keep = {};
  int until = 0;  ///< it is sent again until this is the answer's code; 0: it is sent once

  std::string Describe() const;
};

/// What is played on both servers. How to write one stands in scenarios/README.md.
struct Scenario {
  std::string name;  ///< of the file
  std::string text;  ///< of the file and its parts
  std::vector<Step> steps;

  static Result<Scenario> Load(const std::filesystem::path& file);
};

}  // namespace flyball::sameness

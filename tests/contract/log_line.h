#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/base/log_format.h"
#include "flyball/base/result.h"

namespace flyball::contract {

/// A line of a log, taken apart by what the format promises, not by how ours writes it.
struct LogLine {
  bool is_error = false;
  std::optional<int> v = {};  ///< the level: of errors and of text there is none
  std::string message = {};
  /// What stands under each key. Of text a string, without its quotation marks.
  std::map<std::string, api::Json> fields = {};

  static Result<LogLine> Parse(LogFormat format, std::string_view line);
};

}  // namespace flyball::contract

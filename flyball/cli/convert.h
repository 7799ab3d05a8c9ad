#pragma once

#include <string>

#include "flyball/base/result.h"

namespace flyball::cli {

struct ConvertOptions {
  std::string file = "-";  ///< "-" is standard input
  std::string output = "yaml";
};

/// `flyball convert`: reads one object or list in JSON, YAML or Kubernetes protobuf, told apart by
/// content, and prints it in the format asked for. What that format cannot carry is named on
/// standard error.
Result<> Convert(const ConvertOptions& options);

}  // namespace flyball::cli

#pragma once

#include <string>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/base/check.h"

namespace flyball::cluster {

/// What a test has written down; it does not run with what makes no sense.
inline api::Json FromYaml(std::string_view text) {
  api::JsonTreeSink tree;
  const auto read = api::ReadYaml(text, tree);
  FLYBALL_CHECK(read, read.error().Describe() + ": " + std::string(text));
  return tree.Take();
}

template <typename T>
T FromYaml(std::string_view text) {
  auto read = api::DecodeJson<T>(FromYaml(text).ToString());
  FLYBALL_CHECK(read, read.error().Describe() + ": " + std::string(text));
  return *std::move(read);
}

}  // namespace flyball::cluster

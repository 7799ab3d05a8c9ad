#pragma once

#include <string_view>
#include <vector>

namespace flyball::api {

/// One of the documents of a YAML stream.
struct YamlDocument {
  int number = 0;  ///< among all of the stream, the first is 1
  std::string_view text;

  friend bool operator==(const YamlDocument&, const YamlDocument&) = default;
};

/// The documents of a text that say anything: more than space and comments. JSON is one document.
std::vector<YamlDocument> YamlDocumentsIn(std::string_view text);

}  // namespace flyball::api

#pragma once

#include <string>

#include "flyball/api/json_sink.h"

namespace flyball::api {

/// Writes JSON text as Go's encoding/json does: nothing between tokens, and in strings the escapes
/// of control characters, of <, > and & and of U+2028 and U+2029, and U+FFFD, escaped, for each
/// byte that is not part of a character. Byte for byte, because upstream's controllers hash and
/// compare such text. With an indent it writes as json.MarshalIndent.
class JsonWriter final : public JsonSink {
 public:
  explicit JsonWriter(std::string& out, int indent = 0) : out_(out), indent_(indent) {}

  void BeginObject() override;
  void Key(std::string_view name) override;
  void EndObject() override;
  void BeginArray() override;
  void EndArray() override;
  void String(std::string_view text) override;
  void Number(std::string_view text) override;
  void Bool(bool value) override;
  void Null() override;

 private:
  void BeforeValue();
  void Open(char bracket);
  void Close(char bracket);
  void NewLine();
  void Quote(std::string_view text);

  std::string& out_;
  const int indent_;
  int depth_ = 0;
  bool first_ = true;       ///< nothing written yet in the innermost object or array
  bool after_key_ = false;  ///< the next value belongs to a key and takes no comma
};

}  // namespace flyball::api

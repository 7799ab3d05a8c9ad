#pragma once

#include <cstdint>
#include <string_view>

namespace flyball::api {

/// Receives a JSON document as a sequence of events. Readers (JSON text, YAML text, a typed object)
/// send them; writers (JSON text, YAML text, a typed object, a tree) are sinks. Any reader works
/// with any sink, which is how one format becomes another.
///
/// Events form one well-formed document: values inside an object are each preceded by Key().
/// Strings are valid for the length of the call. A sink that cannot go on throws DecodeFailure,
/// which the reader's entry point turns into an Error; nothing throws past that.
class JsonSink {
 public:
  virtual ~JsonSink() = default;

  virtual void BeginObject() = 0;
  virtual void Key(std::string_view name) = 0;
  virtual void EndObject() = 0;
  virtual void BeginArray() = 0;
  virtual void EndArray() = 0;
  virtual void String(std::string_view text) = 0;
  /// A number as JSON spells it: keeping the text keeps every digit.
  virtual void Number(std::string_view text) = 0;
  virtual void Bool(bool value) = 0;
  virtual void Null() = 0;

  void Int(std::int64_t value);
  /// As Go's encoding/json writes a float64: the shortest digits that give the same value.
  /// Not for infinities and NaN, which JSON does not have.
  void Double(double value);
};

}  // namespace flyball::api

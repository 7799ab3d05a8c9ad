#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flyball::sandbox {

/// Cuts the body of a watch into its events, as bytes: lines of JSON, or the frames that protobuf
/// comes in. Nothing of them is decoded.
class EventFrames {
 public:
  explicit EventFrames(bool protobuf) : protobuf_(protobuf) {}

  void Feed(std::string_view bytes) { bytes_ += bytes; }
  /// The next whole event, ends of lines and lengths included.
  std::optional<std::string> Next();
  /// What is there of an event that is not whole yet.
  std::string_view rest() const { return bytes_; }

 private:
  const bool protobuf_;
  std::string bytes_;
};

}  // namespace flyball::sandbox

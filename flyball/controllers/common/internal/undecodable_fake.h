#pragma once

#include <string>
#include <string_view>

/// Objects that cannot be decoded, for tests: those with this text in a field with number 2 (a
/// container's image, a taint's value, a rule's API group, a label of a template) after their bytes
/// went through Garble().
namespace flyball::controllers {

inline constexpr std::string_view kUndecodable = "undecodable";

/// Makes a number of the text, behind which no field begins. For sandbox::Faults.
inline void Garble(std::string& protobuf) {
  static constexpr std::string_view kField = "\x12\x0bundecodable";
  for (auto at = protobuf.find(kField); at != std::string::npos; at = protobuf.find(kField, at)) {
    protobuf[at] = 0x10;
  }
}

}  // namespace flyball::controllers

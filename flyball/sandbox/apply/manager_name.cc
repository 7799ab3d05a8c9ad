#include "flyball/sandbox/apply/manager_name.h"

#include "flyball/api/utf8.h"
#include "flyball/base/log_format.h"

namespace flyball::sandbox::apply {
namespace {

constexpr std::size_t kMostBytes = 128;
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// The bytes of the character that a text starts with: 1 where they are not UTF-8.
std::size_t CharacterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (lead >= 0xf0) {
    length = 4;
  } else if (lead >= 0xe0) {
    length = 3;
  } else if (lead >= 0xc0) {
    length = 2;
  }
  return api::IsValidUtf8(text.substr(0, length)) ? length : 1;
}

/// Whatever Go would not escape in quotes, and the two characters that it does escape there.
bool IsPrintable(std::string_view character) {
  if (character == "\"" || character == "\\") return true;
  std::string quoted;
  AppendGoQuoted(quoted, character);
  return quoted.size() == character.size() + 2;
}

}  // namespace

std::string ManagerFromUserAgent(std::string_view user_agent) {
  std::string_view rest = user_agent.substr(0, user_agent.find('/'));
  std::string name;
  while (!rest.empty()) {
    const std::size_t length = CharacterLength(rest);
    std::string_view character = rest.substr(0, length);
    rest.remove_prefix(length);
    if (!api::IsValidUtf8(character)) character = kReplacement;
    if (!IsPrintable(character)) continue;
    if (name.size() + character.size() > kMostBytes) break;
    name += character;
  }
  return name;
}

}  // namespace flyball::sandbox::apply

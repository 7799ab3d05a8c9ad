#include "flyball/endpoints/request_target.h"

#include <algorithm>
#include <ranges>

namespace flyball::endpoints {
namespace {

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

Result<std::string> Unescape(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const bool enough = i + 2 < text.size();
      const int high = enough ? HexValue(text[i + 1]) : -1;
      const int low = enough ? HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Fail(ErrorCode::kMalformed,
                    "invalid URL escape \"" + std::string(text.substr(i, 3)) + "\"");
      }
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace

Result<std::string> UnescapePath(std::string_view text) { return Unescape(text, false); }

Result<RequestTarget> RequestTarget::Parse(std::string_view text) {
  const std::size_t question = text.find('?');
  RequestTarget target;
  FLYBALL_TRY(target.path, UnescapePath(text.substr(0, question)));
  if (question == std::string_view::npos) return target;
  for (const auto part : std::views::split(text.substr(question + 1), '&')) {
    const std::string_view parameter(part.begin(), part.end());
    if (parameter.empty() || parameter.contains(';')) continue;
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    auto name = Unescape(parameter.substr(0, equals), true);
    auto value = Unescape(parameter.substr(std::min(equals + 1, parameter.size())), true);
    if (name && value) target.query.emplace_back(*std::move(name), *std::move(value));
  }
  return target;
}

bool RequestTarget::Has(std::string_view name) const {
  return std::ranges::any_of(query, [&](const auto& each) { return each.first == name; });
}

std::string_view RequestTarget::Get(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string> RequestTarget::All(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

}  // namespace flyball::endpoints

#include "flyball/api/json_member.h"

#include <algorithm>
#include <cstddef>

namespace flyball::api {
namespace {

/// Steps over the tokens of a document; counts brackets and looks at nothing else.
class TokenScanner {
 public:
  explicit TokenScanner(std::string_view text) : rest_(text) {}

  bool Take(char c) {
    SkipSpace();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// What stands between the quotes, as it is written.
  std::optional<std::string_view> TakeString() {
    if (!Take('"')) return std::nullopt;
    const std::string_view text = rest_;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        rest_.remove_prefix(i + 1);
        return text.substr(0, i);
      }
    }
    return std::nullopt;
  }

  /// A value of any kind.
  std::optional<std::string_view> TakeValue() {
    SkipSpace();
    const std::string_view text = rest_;
    std::size_t depth = 0;
    do {
      if (Take('{') || Take('[')) {
        ++depth;
      } else if (Take('}') || Take(']')) {
        if (depth == 0) return std::nullopt;
        --depth;
      } else if (rest_.starts_with('"')) {
        if (!TakeString()) return std::nullopt;
      } else if (!TakeOther(depth > 0)) {
        return std::nullopt;
      }
    } while (depth > 0);
    return text.substr(0, text.size() - rest_.size());
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";

  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size())); }

  /// A number or a word; between brackets commas and colons too.
  bool TakeOther(bool inside) {
    const std::size_t end =
        inside ? rest_.find_first_of("\"{}[]") : rest_.find_first_of(",}] \t\r\n");
    const std::size_t size = std::min(end, rest_.size());
    rest_.remove_prefix(size);
    return size > 0;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::string_view> FindJsonMember(std::string_view object, std::string_view name) {
  TokenScanner scanner(object);
  std::optional<std::string_view> found;
  if (!scanner.Take('{')) return std::nullopt;
  while (!scanner.Take('}')) {
    const auto key = scanner.TakeString();
    if (!key || !scanner.Take(':')) return found;
    const auto value = scanner.TakeValue();
    if (!value) return found;
    if (*key == name) found = value;
    scanner.Take(',');
  }
  return found;
}

}  // namespace flyball::api

#include "tests/contract/log_line.h"

#include <cstdint>
#include <utility>

namespace flyball::contract {
namespace {

using api::Json;

/// Reads klog's text: a header, a message in quotation marks, and key=value.
class TextParser {
 public:
  explicit TextParser(std::string_view line) : rest_(line) {}

  Result<LogLine> Parse() && {
    LogLine parsed;
    if (rest_.empty() || (rest_[0] != 'I' && rest_[0] != 'E')) return Malformed("the severity");
    parsed.is_error = rest_[0] == 'E';
    const std::size_t header = rest_.find("] \"");
    if (header == std::string_view::npos) return Malformed("the header");
    rest_.remove_prefix(header + 2);
    FLYBALL_TRY(parsed.message, Quoted());
    while (Skip(" ")) {
      const std::size_t equals = rest_.find('=');
      if (equals == std::string_view::npos) return Malformed("a key");
      std::string key(rest_.substr(0, equals));
      rest_.remove_prefix(equals + 1);
      FLYBALL_TRY(parsed.fields[std::move(key)], Value());
    }
    if (rest_ != "\n") return Malformed("the end");
    return parsed;
  }

 private:
  std::unexpected<Error> Malformed(std::string_view what) const {
    return Fail(ErrorCode::kMalformed, std::string(what) + " at: " + std::string(rest_));
  }

  bool Skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// Escapes but those of quotation marks and backslashes are left as they are.
  Result<std::string> Quoted() {
    if (!Skip("\"")) return Malformed("a quotation mark");
    std::string text;
    while (!rest_.empty() && rest_[0] != '"') {
      const bool escaped = rest_.starts_with("\\\"") || rest_.starts_with("\\\\");
      if (escaped) rest_.remove_prefix(1);
      text.push_back(rest_[0]);
      rest_.remove_prefix(1);
    }
    if (!Skip("\"")) return Malformed("the end of a quotation");
    return text;
  }

  Result<Json> Value() {
    if (rest_.starts_with('"')) {
      FLYBALL_TRY(std::string text, Quoted());
      return Json(std::move(text));
    }
    // Several lines between "=<" and ">".
    if (rest_.starts_with("<\n")) return Until("\n >", 3);
    if (rest_.starts_with('[')) return List();
    return Bare();
  }

  Result<Json> Until(std::string_view mark, std::size_t size) {
    const std::size_t end = rest_.find(mark);
    if (end == std::string_view::npos) return Malformed("the end of a text");
    std::string text(rest_.substr(0, end + size));
    rest_.remove_prefix(end + size);
    return Json(std::move(text));
  }

  Result<Json> List() {
    const std::string_view all = rest_;
    rest_.remove_prefix(1);
    while (!Skip("]")) {
      if (rest_.starts_with('"')) {
        FLYBALL_TRY(Quoted());
      } else if (rest_.empty()) {
        return Malformed("the end of a list");
      } else {
        rest_.remove_prefix(1);
      }
    }
    return Json(std::string(all.substr(0, all.size() - rest_.size())));
  }

  Result<Json> Bare() {
    const std::size_t end = rest_.find_first_of(" \n");
    if (end == std::string_view::npos) return Malformed("the end of a value");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return Json(std::move(text));
  }

  std::string_view rest_;
};

Result<LogLine> ParseJson(std::string_view line) {
  FLYBALL_TRY(const Json tree, Json::Parse(line));
  const auto* const members = tree.If<Json::Object>();
  if (members == nullptr) return Fail(ErrorCode::kMalformed, "no object: " + std::string(line));
  LogLine parsed{.is_error = true};
  for (const auto& [key, value] : *members) {
    if (key == "ts" || key == "caller") continue;
    if (key == "msg") {
      const auto* const message = value.If<std::string>();
      if (message == nullptr) return Fail(ErrorCode::kMalformed, "msg is no text");
      parsed.message = *message;
    } else if (key == "v") {
      const auto* const level = value.If<std::int64_t>();
      if (level == nullptr) return Fail(ErrorCode::kMalformed, "v is no number");
      parsed.v = static_cast<int>(*level);
      parsed.is_error = false;
    } else {
      parsed.fields[key] = value;
    }
  }
  return parsed;
}

}  // namespace

Result<LogLine> LogLine::Parse(LogFormat format, std::string_view line) {
  return format == LogFormat::kJson ? ParseJson(line) : TextParser(line).Parse();
}

}  // namespace flyball::contract

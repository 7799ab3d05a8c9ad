#include "flyball/api/field_selector.h"

#include <algorithm>
#include <utility>

#include "flyball/api/label_validation.h"

namespace flyball::api {
namespace {

constexpr std::string_view kSpecial = "\\,=";
constexpr std::string_view kReplacementCharacter = "\xef\xbf\xbd";

/// How many bytes the UTF-8 character at the front of `text` has; 0 if there is none.
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  // The second byte excludes overlong forms, surrogates, and what is beyond U+10FFFF.
  const unsigned char lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// The terms between commas that have no backslash before them.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

/// A field's name cannot be escaped: the first operator in the term is the operator.
Result<FieldRequirement> ParseTerm(std::string_view term) {
  const auto malformed = [&](std::string_view reason) {
    return Fail(ErrorCode::kMalformed,
                "field selector term " + QuoteForMessage(term) + ": " + std::string(reason));
  };
  std::size_t place = term.find('=');
  if (place == std::string_view::npos) return malformed("no '=', '==' or '!='");
  std::size_t end = place + 1;
  FieldOperator op = FieldOperator::kEquals;
  if (place > 0 && term[place - 1] == '!') {
    --place;
    op = FieldOperator::kNotEquals;
  } else if (end < term.size() && term[end] == '=') {
    ++end;
  }
  auto value = UnescapeFieldValue(term.substr(end));
  if (!value) return malformed(value.error().message());
  return FieldRequirement{std::string(term.substr(0, place)), op, *std::move(value)};
}

}  // namespace

FieldSelector FieldSelector::Nothing() {
  FieldSelector selector;
  selector.nothing_ = true;
  return selector;
}

FieldSelector FieldSelector::Equals(std::string field, std::string value) {
  FieldSelector selector;
  selector.Add({std::move(field), FieldOperator::kEquals, std::move(value)});
  return selector;
}

FieldSelector FieldSelector::NotEquals(std::string field, std::string value) {
  FieldSelector selector;
  selector.Add({std::move(field), FieldOperator::kNotEquals, std::move(value)});
  return selector;
}

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  std::vector<std::string_view> terms = SplitTerms(text);
  // PARITY: by the text of the term, so that `a==2` stands behind `a=3`.
  std::ranges::sort(terms);
  FieldSelector selector;
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    FLYBALL_TRY(FieldRequirement requirement, ParseTerm(term));
    if (requirement.field.empty() && requirement.value.empty()) continue;
    selector.Add(std::move(requirement));
  }
  return selector;
}

void FieldSelector::Add(FieldRequirement requirement) {
  if (!nothing_) requirements_.push_back(std::move(requirement));
}

std::optional<std::string_view> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const FieldRequirement& requirement : requirements_) {
    if (requirement.op == FieldOperator::kEquals && requirement.field == field) {
      return requirement.value;
    }
  }
  return std::nullopt;
}

std::string FieldSelector::ToString() const {
  std::string text;
  for (const FieldRequirement& requirement : requirements_) {
    if (&requirement != &requirements_.front()) text.push_back(',');
    text.append(requirement.field)
        .append(requirement.op == FieldOperator::kEquals ? "=" : "!=")
        .append(EscapeFieldValue(requirement.value));
  }
  return text;
}

std::string EscapeFieldValue(std::string_view value) {
  std::string escaped;
  escaped.reserve(value.size());
  for (const char c : value) {
    if (kSpecial.find(c) != std::string_view::npos) escaped.push_back('\\');
    escaped.push_back(c);
  }
  return escaped;
}

Result<std::string> UnescapeFieldValue(std::string_view text) {
  if (text.find_first_of(kSpecial) == std::string_view::npos) return std::string(text);
  std::string value;
  value.reserve(text.size());
  while (!text.empty()) {
    const char c = text.front();
    if (c == ',' || c == '=') {
      return Fail(ErrorCode::kMalformed,
                  std::string("'") + c + "' in a value needs a backslash before it");
    }
    if (c == '\\') {
      if (text.size() == 1) return Fail(ErrorCode::kMalformed, "a backslash at the end");
      if (kSpecial.find(text[1]) == std::string_view::npos) {
        return Fail(ErrorCode::kMalformed,
                    "a backslash may stand before ',', '=' and '\\' only, not before " +
                        QuoteForMessage(text.substr(1, 1)));
      }
      value.push_back(text[1]);
      text.remove_prefix(2);
      continue;
    }
    // PARITY: bytes that are not UTF-8 become U+FFFD, each of them, but only in a value that had
    // something to unescape; any other goes through untouched above.
    const std::size_t length = CharacterLength(text);
    value.append(length > 0 ? text.substr(0, length) : kReplacementCharacter);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return value;
}

}  // namespace flyball::api

#include "flyball/sandbox/json_path.h"

#include <algorithm>
#include <charconv>

#include "flyball/sandbox/storable.h"

namespace flyball::sandbox {
namespace {

using api::Json;

std::unexpected<Error> NotAPath(std::string_view text) {
  return Fail(ErrorCode::kMalformed, "unrecognized JSON path \"" + std::string(text) + "\"");
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
         text.back() == text.front();
}

/// Where the bracket at the start is closed, quotes considered; npos if it is not.
std::size_t ClosingBracket(std::string_view text) {
  char quote = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Takes a member's name from the front; a backslash lets it have a dot.
std::string TakeName(std::string_view& text) {
  std::string name;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != '.' && text[i] != '['; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  text.remove_prefix(i);
  return name;
}

}  // namespace

Result<JsonPath::Step> JsonPath::ParseFilter(std::string_view inside) {
  // ?(@.type=="Ready")
  if (!inside.starts_with("?(") || !inside.ends_with(')')) return NotAPath(inside);
  const std::string_view condition = Trim(inside.substr(2, inside.size() - 3));
  const auto equals = condition.find("==");
  if (!condition.starts_with('@') || equals == std::string_view::npos) return NotAPath(inside);
  std::string_view left = Trim(condition.substr(1, equals - 1));
  const std::string_view right = Trim(condition.substr(equals + 2));
  Filter filter;
  while (!left.empty()) {
    if (!left.starts_with('.')) return NotAPath(inside);
    left.remove_prefix(1);
    filter.members.push_back(TakeName(left));
  }
  if (IsQuoted(right)) {
    filter.value = right.substr(1, right.size() - 2);
  } else {
    FLYBALL_TRY(filter.value, Json::Parse(right));
  }
  return Step(std::move(filter));
}

Result<JsonPath::Step> JsonPath::ParseBrackets(std::string_view inside) {
  inside = Trim(inside);
  if (inside == "*") return Step(Everything{});
  if (IsQuoted(inside)) return Step(Member{std::string(inside.substr(1, inside.size() - 2))});
  if (inside.starts_with('?')) return ParseFilter(inside);
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (error != std::errc() || end != inside.data() + inside.size()) return NotAPath(inside);
  return Step(Element{index});
}

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  std::string_view rest = text;
  if (rest.starts_with('$')) rest.remove_prefix(1);
  while (!rest.empty()) {
    if (rest.starts_with('[')) {
      const auto close = ClosingBracket(rest);
      if (close == std::string_view::npos) return NotAPath(text);
      FLYBALL_TRY(Step step, ParseBrackets(rest.substr(1, close - 1)));
      path.steps_.push_back(std::move(step));
      rest.remove_prefix(close + 1);
      continue;
    }
    if (!rest.starts_with('.')) return NotAPath(text);
    rest.remove_prefix(1);
    if (rest.starts_with('[')) continue;  // ".[0]" is "[0]"
    std::string name = TakeName(rest);
    if (name.empty()) return NotAPath(text);
    path.steps_.push_back(name == "*" ? Step(Everything{}) : Step(Member{std::move(name)}));
  }
  return path;
}

void JsonPath::Take(const Step& step, const Json& from, std::vector<const Json*>& to) {
  if (const auto* const member = std::get_if<Member>(&step)) {
    if (const Json* const found = from.Find(member->name)) to.push_back(found);
    return;
  }
  const auto* const object = from.If<Json::Object>();
  if (object != nullptr && std::holds_alternative<Everything>(step)) {
    for (const auto& [name, value] : *object) to.push_back(&value);
  }
  const auto* const array = from.If<Json::Array>();
  if (array == nullptr) return;
  if (const auto* const element = std::get_if<Element>(&step)) {
    const auto size = static_cast<std::int64_t>(array->size());
    const std::int64_t index = element->index < 0 ? element->index + size : element->index;
    if (index >= 0 && index < size) to.push_back(&(*array)[static_cast<std::size_t>(index)]);
    return;
  }
  const auto* const filter = std::get_if<Filter>(&step);
  for (const Json& each : *array) {
    const Json* place = &each;
    if (filter != nullptr) {
      for (const std::string& name : filter->members) {
        place = place == nullptr ? nullptr : place->Find(name);
      }
    }
    if (filter == nullptr || (place != nullptr && *place == filter->value)) to.push_back(&each);
  }
}

std::vector<const Json*> JsonPath::Find(const Json& document) const {
  std::vector<const Json*> places = {&document};
  for (const Step& step : steps_) {
    std::vector<const Json*> next;
    for (const Json* const place : places) Take(step, *place, next);
    places = std::move(next);
  }
  return places;
}

const Json* JsonPath::FindFirst(const Json& document) const {
  const auto places = Find(document);
  return places.empty() ? nullptr : places.front();
}

bool JsonPath::IsPlain() const {
  return !steps_.empty() && std::ranges::all_of(steps_, [](const Step& step) {
    return std::holds_alternative<Member>(step);
  });
}

bool JsonPath::Put(Json& document, Json value) const {
  // Freeing a tree takes stack for each of its levels, and nobody could read such an object.
  if (!IsPlain() || std::ssize(steps_) > kMaxObjectLevels) return false;
  Json* place = &document;
  for (const Step& step : steps_) {
    if (place->IsNull()) *place = Json::Object();
    auto* const object = place->If<Json::Object>();
    if (object == nullptr) return false;
    place = &(*object)[std::get<Member>(step).name];
  }
  *place = std::move(value);
  return true;
}

}  // namespace flyball::sandbox

#include "flyball/ctl/json_template.h"

#include <functional>
#include <utility>

#include "flyball/ctl/error_text.h"
#include "flyball/ctl/json_template_parser.h"

namespace flyball::ctl {

using api::Json;
using json_template::Comparison;
using json_template::Part;
using json_template::Steps;

struct JsonTemplate::Program {
  std::vector<Part> parts;
};

namespace {

/// Values in the document or in the program, both of which outlive a run.
using Values = std::vector<const Json*>;

Result<Values> Follow(const Steps& steps, Values values);

void AddChildren(const Json& value, Values& to) {
  if (const auto* list = value.If<Json::Array>()) {
    for (const Json& each : *list) to.push_back(&each);
  } else if (const auto* members = value.If<Json::Object>()) {
    for (const auto& [name, each] : *members) to.push_back(&each);
  }
}

/// A value that has something in it, and all such below.
void AddDescendants(const Json& value, Values& to) {
  Values children;
  AddChildren(value, children);
  if (children.empty()) return;
  to.push_back(&value);
  for (const Json* child : children) AddDescendants(*child, to);
}

Result<> AddSlice(const json_template::Slice& slice, const Json& value, Values& to) {
  if (value.IsNull()) return {};
  const auto* const list = value.If<Json::Array>();
  if (list == nullptr) return std::unexpected(UsageError("not an array or slice"));
  const auto length = static_cast<std::int64_t>(list->size());
  const auto from_start = [&](std::int64_t index) { return index < 0 ? index + length : index; };
  const std::int64_t start = from_start(slice.start.value_or(0));
  const std::int64_t end = slice.single ? start + 1 : from_start(slice.end.value_or(length));
  if (start == end) return {};
  const auto out_of_bounds = [&](std::int64_t index) {
    return std::unexpected(UsageError("array index out of bounds: index " + std::to_string(index) +
                                      ", length " + std::to_string(length)));
  };
  if (start < 0 || start >= length) return out_of_bounds(start);
  if (end < 0 || end > length) return out_of_bounds(end - 1);
  if (start > end) {
    return std::unexpected(UsageError("starting index " + std::to_string(start) +
                                      " is greater than ending index " + std::to_string(end)));
  }
  for (std::int64_t i = start; i < end; i += slice.step) {
    to.push_back(&(*list)[static_cast<std::size_t>(i)]);
  }
  return {};
}

/// Less than zero, zero or more, as the first value is; nothing where the two do not compare.
std::optional<int> Compare(const Json& a, const Json& b) {
  const auto number = [](const Json& value) -> std::optional<double> {
    if (const auto* whole = value.If<std::int64_t>()) return static_cast<double>(*whole);
    if (const auto* real = value.If<double>()) return *real;
    return std::nullopt;
  };
  const auto order = [](const auto& x, const auto& y) { return x < y ? -1 : (y < x ? 1 : 0); };
  if (const auto x = number(a), y = number(b); x && y) return order(*x, *y);
  const auto* const s = a.If<std::string>();
  const auto* const t = b.If<std::string>();
  if (s != nullptr && t != nullptr) return order(*s, *t);
  if (a.If<bool>() != nullptr && b.If<bool>() != nullptr) return a == b ? 0 : 1;
  return std::nullopt;
}

bool Holds(Comparison comparison, const Json& left, const Json& right) {
  const auto order = Compare(left, right);
  if (!order) return comparison == Comparison::kNotEqual;
  switch (comparison) {
    case Comparison::kEqual:
      return *order == 0;
    case Comparison::kNotEqual:
      return *order != 0;
    case Comparison::kLess:
      return *order < 0;
    case Comparison::kMore:
      return *order > 0;
    case Comparison::kAtMost:
      return *order <= 0;
    case Comparison::kAtLeast:
      return *order >= 0;
    case Comparison::kExists:
      break;
  }
  return true;
}

Result<bool> Passes(const json_template::Filter& filter, const Json& value) {
  FLYBALL_TRY(const Values left, Follow(filter.left, {&value}));
  if (filter.comparison == Comparison::kExists) return !left.empty();
  FLYBALL_TRY(const Values right, Follow(filter.right, {&value}));
  if (left.empty() || right.empty()) return false;
  if (left.size() > 1 || right.size() > 1) {
    return std::unexpected(UsageError("can only compare one element at a time"));
  }
  return Holds(filter.comparison, *left.front(), *right.front());
}

/// One step from one value.
struct Taker {
  const Json& from;
  Values& to;

  Result<> operator()(const json_template::Member& member) const {
    const Json* const found = member.name.empty() ? &from : from.Find(member.name);
    if (found != nullptr) to.push_back(found);
    return {};
  }
  Result<> operator()(const json_template::Everything&) const {
    AddChildren(from, to);
    return {};
  }
  Result<> operator()(const json_template::Descend&) const {
    AddDescendants(from, to);
    return {};
  }
  Result<> operator()(const json_template::Slice& slice) const { return AddSlice(slice, from, to); }
  Result<> operator()(const json_template::Filter& filter) const {
    if (from.IsNull()) return {};
    Values candidates;
    AddChildren(from, candidates);
    for (const Json* candidate : candidates) {
      FLYBALL_TRY(const bool passes, Passes(filter, *candidate));
      if (passes) to.push_back(candidate);
    }
    return {};
  }
  Result<> operator()(const json_template::Union& all) const {
    for (const Steps& branch : all.branches) {
      FLYBALL_TRY(const Values found, Follow(branch, {&from}));
      to.insert(to.end(), found.begin(), found.end());
    }
    return {};
  }
  Result<> operator()(const json_template::Literal& literal) const {
    to.push_back(&literal.value);
    return {};
  }
};

Result<Values> Follow(const Steps& steps, Values values) {
  for (const json_template::Step& step : steps) {
    Values next;
    for (const Json* value : values) FLYBALL_TRY(std::visit(Taker{*value, next}, step.what));
    values = std::move(next);
  }
  return values;
}

/// Which part closes the range that begins before `first`, or the end.
std::size_t EndOfRange(const std::vector<Part>& parts, std::size_t first) {
  int depth = 1;
  for (; first < parts.size(); ++first) {
    if (parts[first].kind == Part::Kind::kRange) ++depth;
    if (parts[first].kind == Part::Kind::kEnd && --depth == 0) break;
  }
  return first;
}

/// Calls `each` with the values of every part from `first` to `end`.
Result<> Run(const std::vector<Part>& parts, std::size_t first, std::size_t end, const Json& root,
             const std::function<void(const Values&)>& each) {
  for (; first < end; ++first) {
    FLYBALL_TRY(const Values values, Follow(parts[first].steps, {&root}));
    if (parts[first].kind == Part::Kind::kEnd) continue;
    if (parts[first].kind == Part::Kind::kValues) {
      each(values);
      continue;
    }
    const std::size_t close = EndOfRange(parts, first + 1);
    for (const Json* value : values) FLYBALL_TRY(Run(parts, first + 1, close, *value, each));
    first = close;
  }
  return {};
}

std::string TextOf(const Json& value) {
  const auto* const text = value.If<std::string>();
  return text == nullptr ? value.ToString() : *text;
}

}  // namespace

Result<JsonTemplate> JsonTemplate::Parse(std::string_view text) {
  auto parts = json_template::ParseParts(text);
  if (!parts) {
    return std::unexpected(
        UsageError("error parsing jsonpath " + std::string(text) + ", " + parts.error().message()));
  }
  return JsonTemplate(std::make_shared<const Program>(*std::move(parts)));
}

Result<JsonTemplate> JsonTemplate::ParseRelaxed(std::string_view path) {
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty() || path.find_first_of("{}") != std::string_view::npos) {
    return std::unexpected(
        UsageError("unexpected path string, expected a 'name1.name2' or '.name1.name2' or "
                   "'{name1.name2}' or '{.name1.name2}'"));
  }
  return Parse("{." + std::string(path) + "}");
}

Result<std::string> JsonTemplate::Fill(const Json& document) const {
  std::string filled;
  FLYBALL_TRY(Run(program_->parts, 0, program_->parts.size(), document, [&](const Values& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) filled += ' ';
      filled += TextOf(*values[i]);
    }
  }));
  return filled;
}

Result<std::vector<Json>> JsonTemplate::Find(const Json& document) const {
  std::vector<Json> found;
  FLYBALL_TRY(Run(program_->parts, 0, program_->parts.size(), document, [&](const Values& values) {
    for (const Json* value : values) found.push_back(*value);
  }));
  return found;
}

}  // namespace flyball::ctl

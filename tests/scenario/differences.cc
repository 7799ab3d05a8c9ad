#include "tests/scenario/differences.h"

#include <algorithm>

namespace flyball::scenario {
namespace {

using api::Json;

std::string Shown(const Json* value) {
  constexpr std::size_t kShown = 1500;
  if (value == nullptr) return "(absent)";
  std::string text = Readable(*value);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

std::string Under(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

void Compare(const std::string& path, const Json* expected, const Json* actual,
             std::vector<Difference>& found) {
  if (expected != nullptr && actual != nullptr) {
    if (*expected == *actual) return;
    const auto* const objects = expected->If<Json::Object>();
    if (objects != nullptr && actual->If<Json::Object>() != nullptr) {
      for (const auto& [name, value] : *objects) {
        Compare(Under(path, name), &value, actual->Find(name), found);
      }
      for (const auto& [name, value] : *actual->If<Json::Object>()) {
        if (objects->find(name) == nullptr) Compare(Under(path, name), nullptr, &value, found);
      }
      return;
    }
    const auto* const a = expected->If<Json::Array>();
    const auto* const b = actual->If<Json::Array>();
    if (a != nullptr && b != nullptr) {
      for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
        Compare(path + "[" + std::to_string(i) + "]", i < a->size() ? &(*a)[i] : nullptr,
                i < b->size() ? &(*b)[i] : nullptr, found);
      }
      return;
    }
  }
  found.push_back({path, Shown(expected), Shown(actual)});
}

}  // namespace

std::string Readable(const Json& tree) {
  const std::string text = tree.ToString();
  std::string readable;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.front() != '\\') {
      readable += rest.front();
      continue;
    }
    // What follows a backslash belongs to it, another backslash too.
    constexpr std::size_t kEscape = std::string_view(R"(\u003c)").size();
    const std::string_view escape = rest.substr(0, kEscape);
    if (escape == R"(\u003c)" || escape == R"(\u003e)" || escape == R"(\u0026)") {
      readable += escape.ends_with("3c") ? '<' : escape.ends_with("3e") ? '>' : '&';
      at += kEscape - 1;
    } else {
      readable += rest.substr(0, 2);
      ++at;
    }
  }
  return readable;
}

std::vector<Difference> FindDifferences(const Json& expected, const Json& actual) {
  std::vector<Difference> found;
  Compare("", &expected, &actual, found);
  return found;
}

}  // namespace flyball::scenario

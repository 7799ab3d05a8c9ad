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
  std::string text = tree.ToString();
  for (const auto& [escaped, plain] :
       {std::pair(R"(\u003c)", "<"), std::pair(R"(\u003e)", ">"), std::pair(R"(\u0026)", "&")}) {
    for (auto at = text.find(escaped); at != std::string::npos; at = text.find(escaped, at)) {
      text.replace(at, 6, plain);
    }
  }
  return text;
}

std::vector<Difference> FindDifferences(const Json& expected, const Json& actual) {
  std::vector<Difference> found;
  Compare("", &expected, &actual, found);
  return found;
}

}  // namespace flyball::scenario

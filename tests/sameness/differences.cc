#include "tests/sameness/differences.h"

#include <algorithm>

namespace flyball::sameness {
namespace {

using api::Json;

std::string Shown(const Json* value) {
  constexpr std::size_t kShown = 1500;
  if (value == nullptr) return "(absent)";
  std::string text = value->ToString();
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

std::string Under(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

void Compare(const std::string& path, const Json* real, const Json* embedded,
             std::vector<Difference>& found) {
  if (real != nullptr && embedded != nullptr) {
    if (*real == *embedded) return;
    const auto* const objects = real->If<Json::Object>();
    if (objects != nullptr && embedded->If<Json::Object>() != nullptr) {
      for (const auto& [name, value] : *objects) {
        Compare(Under(path, name), &value, embedded->Find(name), found);
      }
      for (const auto& [name, value] : *embedded->If<Json::Object>()) {
        if (objects->find(name) == nullptr) Compare(Under(path, name), nullptr, &value, found);
      }
      return;
    }
    const auto* const a = real->If<Json::Array>();
    const auto* const b = embedded->If<Json::Array>();
    if (a != nullptr && b != nullptr) {
      for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
        Compare(path + "[" + std::to_string(i) + "]", i < a->size() ? &(*a)[i] : nullptr,
                i < b->size() ? &(*b)[i] : nullptr, found);
      }
      return;
    }
  }
  found.push_back({path, Shown(real), Shown(embedded)});
}

}  // namespace

std::vector<Difference> FindDifferences(const Json& real, const Json& embedded) {
  const Json* const one = real.Find("status");
  const Json* const other = embedded.Find("status");
  if (one != nullptr && other != nullptr && *one != *other) {
    return {{"status", Shown(&real), Shown(&embedded)}};
  }
  std::vector<Difference> found;
  Compare("", &real, &embedded, found);
  return found;
}

}  // namespace flyball::sameness

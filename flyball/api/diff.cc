#include "flyball/api/diff.h"

#include <algorithm>

namespace flyball::api {
namespace {

class Differ {
 public:
  void Values(const std::string& path, const Json* before, const Json* after) {
    if (!before || !after) {
      lines_ += (before ? "- " : "+ ") + path + ": " + (before ? before : after)->ToString() + "\n";
      return;
    }
    if (*before == *after) return;
    const auto* object_before = before->If<Json::Object>();
    const auto* object_after = after->If<Json::Object>();
    if (object_before && object_after) return Objects(path, *object_before, *object_after);
    const auto* array_before = before->If<Json::Array>();
    const auto* array_after = after->If<Json::Array>();
    if (array_before && array_after) return Arrays(path, *array_before, *array_after);
    lines_ += path + ": " + before->ToString() + " -> " + after->ToString() + "\n";
  }

  std::string Take() { return std::move(lines_); }

 private:
  /// Names that could be mistaken for a path stand in brackets.
  static std::string Member(const std::string& path, const std::string& name) {
    const bool plain = name.find_first_of("./[] ") == std::string::npos;
    if (!plain) return path + "[" + name + "]";
    return path.empty() ? name : path + "." + name;
  }

  void Objects(const std::string& path, const Json::Object& before, const Json::Object& after) {
    auto a = before.begin();
    auto b = after.begin();
    while (a != before.end() || b != after.end()) {
      const bool take_a = b == after.end() || (a != before.end() && a->first <= b->first);
      const bool take_b = a == before.end() || (b != after.end() && b->first <= a->first);
      const std::string& name = take_a ? a->first : b->first;
      Values(Member(path, name), take_a ? &a->second : nullptr, take_b ? &b->second : nullptr);
      if (take_a) ++a;
      if (take_b) ++b;
    }
  }

  void Arrays(const std::string& path, const Json::Array& before, const Json::Array& after) {
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      Values(path + "[" + std::to_string(i) + "]", i < before.size() ? &before[i] : nullptr,
             i < after.size() ? &after[i] : nullptr);
    }
  }

  std::string lines_;
};

}  // namespace

std::string Diff(const Json& before, const Json& after) {
  Differ differ;
  differ.Values("", &before, &after);
  return differ.Take();
}

}  // namespace flyball::api

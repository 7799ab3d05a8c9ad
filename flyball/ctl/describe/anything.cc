#include <algorithm>
#include <cctype>

#include "flyball/ctl/describe/describers.h"
#include "flyball/ctl/json_field.h"

namespace flyball::ctl::describe {
namespace {

using api::Json;

/// Where `describe` has said it already, or better did not.
constexpr std::string_view kSkipped[] = {".metadata.managedFields", ".metadata.name",
                                         ".metadata.namespace", ".metadata.labels",
                                         ".metadata.annotations"};

void AddMembers(const Json::Object& members, int level, const std::string& path, Description& out) {
  for (const auto& [field, value] : members) {
    const std::string here = path + "." + field;
    if (std::ranges::find(kSkipped, here) != std::end(kSkipped)) continue;
    const std::string label = LabelOfField(field);
    if (const auto* inner = value.If<Json::Object>()) {
      out.Line(level, label + ":");
      AddMembers(*inner, level + 1, here, out);
    } else if (const auto* list = value.If<Json::Array>()) {
      out.Line(level, label + ":");
      for (const Json& each : *list) {
        if (const auto* element = each.If<Json::Object>()) {
          AddMembers(*element, level + 1, here, out);
        } else {
          out.Line(level + 1, GoText(each));
        }
      }
    } else {
      out.Field(level, label, GoText(value));
    }
  }
}

bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Letters of one case, or signs, that follow each other.
std::vector<std::string> RunsOf(std::string_view name) {
  const auto same = [](char a, char b) {
    return IsLetter(a) == IsLetter(b) && IsUpper(a) == IsUpper(b);
  };
  std::vector<std::string> runs;
  for (const char c : name) {
    if (runs.empty() || !same(runs.back().back(), c)) runs.emplace_back();
    runs.back() += c;
  }
  return runs;
}

/// The words of a name in camel case. Of capitals before small letters the last begins a word; if
/// more than one is left before it, they stay together: "HTTPServer" is one.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  std::string capitals;
  for (const std::string& run : RunsOf(name)) {
    if (IsUpper(run.front())) {
      capitals = run;
      continue;
    }
    if (!capitals.empty() && IsLetter(run.front())) {
      const bool together = capitals.size() > 2;
      if (!together && capitals.size() == 2) words.push_back(capitals.substr(0, 1));
      words.push_back((together ? capitals : capitals.substr(capitals.size() - 1)) + run);
    } else {
      if (!capitals.empty()) words.push_back(capitals);
      words.push_back(run);
    }
    capitals.clear();
  }
  if (!capitals.empty()) words.push_back(capitals);
  return words;
}

}  // namespace

std::string LabelOfField(std::string_view field) {
  const auto plain = [](char c) { return IsLetter(c) || c == '-'; };
  if (!std::ranges::all_of(field, plain)) return std::string(field);
  std::string label;
  for (std::string word : WordsOf(field)) {
    const bool lower = std::ranges::none_of(word, IsUpper);
    std::string upper = word;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (upper == "API" || upper == "URL" || upper == "UID" || upper == "GUID") {
      word = upper;
    } else if (lower) {
      word.front() = upper.front();
    }
    label += (label.empty() ? "" : " ") + word;
  }
  return label;
}

void AddAnything(const Json& object, Description& out) {
  const auto texts = [&](std::string_view name) {
    api::Map<std::string> all;
    for (const auto& [key, value] : MembersAt(object, {"metadata", name})) all[key] = GoText(value);
    return all;
  };
  out.Field(0, "Name", NameOf(object));
  out.Field(0, "Namespace", TextAt(object, {"metadata", "namespace"}));
  out.Labels("Labels", texts("labels"));
  out.Annotations("Annotations", texts("annotations"));
  AddMembers(MembersAt(object, {}), 0, "", out);
}

}  // namespace flyball::ctl::describe

#include "tests/sameness/stand_ins.h"

#include "tests/scenario/made_up.h"

namespace flyball::sameness {
namespace {

using api::Json;

const std::string* TextAt(const Json& tree, std::string_view name) {
  const Json* const member = tree.Find(name);
  return member == nullptr ? nullptr : member->If<std::string>();
}

/// A list's own metadata has the version of the whole storage, which others move too.
bool IsList(const Json& tree) { return tree.Find("items") != nullptr; }

}  // namespace

Json StandIns::Replace(const Json& answer) {
  ++answers_;
  fresh_ = 0;
  LearnNames(answer);
  return Walk("", answer, false);
}

void StandIns::LearnNames(const Json& tree) {
  constexpr std::string_view kTokenVolume = "kube-api-access-";
  if (const auto* const text = tree.If<std::string>()) {
    if (text->starts_with(kTokenVolume))
      names_.try_emplace(*text, std::string(kTokenVolume) + "<>");
  }
  if (const auto* const list = tree.If<Json::Array>()) {
    for (const Json& each : *list) LearnNames(each);
  }
  const auto* const object = tree.If<Json::Object>();
  if (object == nullptr) return;
  const auto* const stem = TextAt(tree, "generateName");
  const auto* const name = TextAt(tree, "name");
  if (stem != nullptr && !stem->empty() && name != nullptr && name->starts_with(*stem) &&
      !scenario_.contains(*name)) {
    const std::string stand_in = *stem + "<" + std::to_string(name->size() - stem->size()) +
                                 " letters, " + std::to_string(answers_) + ">";
    names_.try_emplace(*name, stand_in);
  }
  for (const auto& [key, value] : *object) LearnNames(value);
}

Json StandIns::Walk(std::string_view member, const Json& tree, bool of_list) {
  if (const auto* const text = tree.If<std::string>()) return ReplaceText(member, *text, of_list);
  if (const auto* const number = tree.If<std::int64_t>()) {
    const std::string value = std::to_string(*number);
    const bool port = member == "nodePort" || member == "healthCheckNodePort";
    return port && !scenario_.contains(value) ? Json(NumberOf("port", value)) : tree;
  }
  if (const auto* const list = tree.If<Json::Array>()) {
    Json::Array replaced;
    for (const Json& each : *list) replaced.push_back(Walk(member, each, false));
    if (member == "managedFields") scenario::SortManagers(replaced);
    return replaced;
  }
  if (const auto* const object = tree.If<Json::Object>()) {
    Json::Object replaced;
    for (const auto& [name, value] : *object) {
      const bool list_metadata = name == "metadata" && IsList(tree);
      replaced[ReplaceNames(name)] = Walk(name, value, list_metadata || of_list);
    }
    return replaced;
  }
  return tree;
}

Json StandIns::ReplaceText(std::string_view member, const std::string& text, bool of_list) {
  if (text.empty()) return text;
  if (member == "resourceVersion") {
    return of_list ? Json("<version of a list>") : Json(NumberOf("version", text));
  }
  if (member == "continue") return "<continue>";
  if (member == "token") return "<token>";
  if (member.starts_with("clusterIP") && text != "None" && !scenario_.contains(text)) {
    return NumberOf("address", text);
  }
  if (IsRecent(text)) return "<now>";
  return ReplaceNames(ReplaceVersions(ReplaceUids(text)));
}

std::string StandIns::ReplaceUids(std::string_view text) {
  return scenario::ReplaceUids(text, [this](const std::string& uid) {
    return scenario_.contains(uid) ? uid : NumberOf("uid", uid);
  });
}

/// Those that errors name, in brackets.
std::string StandIns::ReplaceVersions(std::string text) const {
  const auto versions = known_.find("version");
  if (versions == known_.end() || !text.contains("ResourceVersion")) return text;
  for (const auto& [version, stand_in] : versions->second) {
    const std::string shown = "(" + version + ")";
    const auto at = text.find(shown);
    if (at != std::string::npos) text.replace(at, shown.size(), "(" + stand_in + ")");
  }
  return text;
}

std::string StandIns::ReplaceNames(std::string text) const {
  for (const auto& [name, stand_in] : names_) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.replace(at, name.size(), stand_in);
      at += stand_in.size();
    }
  }
  return text;
}

bool StandIns::IsRecent(const std::string& text) const {
  return scenario::IsRecentMoment(text, clock_.WallNow()) && !scenario_.contains(text);
}

std::string StandIns::NumberOf(std::string_view what, const std::string& value) {
  auto& known = known_[std::string(what)];
  const auto [entry, fresh] = known.try_emplace(value);
  if (fresh) {
    entry->second = "<" + std::string(what) + " " + std::to_string(answers_) + "." +
                    std::to_string(++fresh_) + ">";
  }
  return entry->second;
}

}  // namespace flyball::sameness

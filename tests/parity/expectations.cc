#include "tests/parity/expectations.h"

#include <algorithm>

#include "tests/scenario/pattern.h"

namespace flyball::parity {
namespace {

using api::Json;

bool IsCollection(const Json& expected) {
  return expected.If<std::int64_t>() != nullptr || expected.Find("like") != nullptr;
}

bool IsWord(const Json& expected, std::string_view word) {
  const auto* const text = expected.If<std::string>();
  return text != nullptr && *text == word;
}

bool MakesSense(const Reference& reference, const Json& expected) {
  if (IsWord(expected, "gone")) return true;
  if (reference.key.name.empty()) return IsCollection(expected);
  return IsWord(expected, "there") || expected.If<Json::Object>() != nullptr;
}

}  // namespace

bool IsLike(const Json* tree, const Json& pattern) {
  const bool absent = tree == nullptr || tree->IsNull();
  if (absent || pattern.IsNull()) return absent && pattern.IsNull();
  if (const auto* const members = pattern.If<Json::Object>()) {
    return std::ranges::all_of(*members, [&](const auto& member) {
      return IsLike(tree->Find(member.first), member.second);
    });
  }
  if (const auto* const wanted = pattern.If<Json::Array>()) {
    const auto* const elements = tree->If<Json::Array>();
    return elements != nullptr && std::ranges::all_of(*wanted, [&](const Json& each) {
             return std::ranges::any_of(
                 *elements, [&](const Json& element) { return IsLike(&element, each); });
           });
  }
  const auto* const text = tree->If<std::string>();
  const auto* const wanted = pattern.If<std::string>();
  if (text != nullptr && wanted != nullptr) return scenario::MatchesPattern(*wanted, *text);
  return *tree == pattern;
}

std::vector<WorldObject> Referred(const World& world, const Reference& reference,
                                  const std::string& space) {
  std::vector<WorldObject> found;
  for (const WorldObject& each : world.present) {
    const Reference& other = each.reference;
    if (other.plural != reference.plural || other.group != reference.group) continue;
    if (!reference.key.name.empty() && other.key.name != reference.key.name) continue;
    const std::string& wanted = reference.key.namespace_.empty() ? space : reference.key.namespace_;
    if (other.key.namespace_.empty() || other.key.namespace_ == wanted) found.push_back(each);
  }
  return found;
}

Result<Expectations> Expectations::Parse(const Json& tree) {
  const auto* const members = tree.If<Json::Object>();
  if (members == nullptr) return Fail(ErrorCode::kMalformed, "what is expected is no map");
  Expectations expectations;
  for (const auto& [name, expected] : *members) {
    FLYBALL_TRY(Reference reference, Reference::Parse(name));
    if (!MakesSense(reference, expected)) {
      return Fail(ErrorCode::kMalformed, name + ": what is expected of it?");
    }
    expectations.all_.emplace_back(std::move(reference), expected);
  }
  return expectations;
}

std::vector<std::string> Expectations::Unmet(const World& world, const std::string& space) const {
  std::vector<std::string> unmet;
  for (const auto& [reference, expected] : all_) {
    if (Holds(reference, expected, world, space)) continue;
    std::string text = reference.ToString() + ": " + expected.ToString();
    const auto found = Referred(world, reference, space);
    if (reference.key.name.empty())
      text += ", and there are " + std::to_string(found.size());
    else if (!found.empty())
      text += ", and it is " + found.front().tree->ToString();
    unmet.push_back(std::move(text));
  }
  return unmet;
}

bool Expectations::Holds(const Reference& reference, const Json& expected, const World& world,
                         const std::string& space) {
  std::vector<WorldObject> found = Referred(world, reference, space);
  if (IsWord(expected, "gone")) return found.empty();
  if (IsWord(expected, "there")) return !found.empty();
  if (const auto* const count = expected.If<std::int64_t>()) return std::ssize(found) == *count;
  const Json* const like = expected.Find("like");
  const bool collection = reference.key.name.empty() && like != nullptr;
  std::erase_if(found, [&](const WorldObject& object) {
    return !IsLike(object.tree.get(), collection ? *like : expected);
  });
  const Json* const count = collection ? expected.Find("count") : nullptr;
  return count == nullptr ? !found.empty() : Json(std::int64_t{std::ssize(found)}) == *count;
}

}  // namespace flyball::parity

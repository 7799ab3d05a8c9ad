/// Input: a byte that picks a kind of patch, two bytes that pick a kind of object, then JSON texts,
/// a line each: documents and patches.
#include <set>
#include <vector>

#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/internal/go_text.h"
#include "flyball/api/internal/json_equality.h"
#include "flyball/api/json_patch.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/strategic_merge.h"

namespace flyball::api {
namespace {

/// Every name that some list is merged by.
const std::set<std::string_view>& MergeKeys() {
  static const std::set<std::string_view> keys = [] {
    std::set<std::string_view> found;
    std::set<const TypeInfo*> seen;
    std::vector<const TypeInfo*> todo(AllKinds().begin(), AllKinds().end());
    while (!todo.empty()) {
      const TypeInfo* type = todo.back();
      todo.pop_back();
      if (!type || !seen.insert(type).second) continue;
      for (const Field& field : type->fields) {
        if (!field.merge_key.empty()) found.insert(field.merge_key);
        todo.push_back(field.message);
      }
    }
    return found;
  }();
  return keys;
}

bool HasRepeatedKeys(const Json::Array& list) {
  std::set<std::pair<std::string_view, std::string>> seen;
  for (const Json& element : list) {
    const auto* object = element.If<Json::Object>();
    if (!object) {
      if (!seen.emplace("", GoText(element)).second) return true;
      continue;
    }
    for (const std::string_view name : MergeKeys()) {
      const Json* key = object->find(name);
      if (key && !seen.emplace(name, GoText(*key)).second) return true;
    }
  }
  return false;
}

/// Whether a patch can say all that the document does: nulls, names that are directives, and
/// elements that cannot be told apart are beyond it.
bool IsPlain(const Json& json) {
  if (json.IsNull()) return false;
  if (const auto* array = json.If<Json::Array>()) {
    return !HasRepeatedKeys(*array) && std::ranges::all_of(*array, IsPlain);
  }
  const auto* object = json.If<Json::Object>();
  return !object || std::ranges::all_of(*object, [](const auto& member) {
    return !member.first.starts_with('$') && IsPlain(member.second);
  });
}

/// The document as the type would write it: what it does not name is gone.
std::optional<Json> AsType(const Json& document, const TypeInfo& type) {
  AnyObject object(type);
  if (!DecodeJson(document.ToString(), type, object.get())) return std::nullopt;
  const auto typed = ToJson(object.get(), type);
  return typed ? std::optional(*typed) : std::nullopt;
}

void CheckResult(const Result<Json>& result) {
  if (!result) return CheckRefusal(result.error());
  const auto again = Json::Parse(result->ToString());
  FLYBALL_CHECK(again && SameDocument(*result, *again), "a result that cannot be read");
}

void CheckStrategic(const Json& from, const Json& to, const Json& current, const TypeInfo& type) {
  CheckResult(ApplyStrategicMergePatch(from, to, type));
  CheckResult(CreateStrategicMergePatch(from, to, type));
  for (const auto on_conflict : {OnConflict::kOverwrite, OnConflict::kFail}) {
    CheckResult(CreateThreeWayMergePatch({from, to, current}, type, on_conflict));
  }
  const auto before = AsType(from, type);
  const auto after = AsType(to, type);
  if (!before || !after || !IsPlain(*before) || !IsPlain(*after)) return;
  const auto patch = CreateStrategicMergePatch(*before, *after, type);
  if (!patch) return CheckRefusal(patch.error());
  const auto patched = ApplyStrategicMergePatch(*before, *patch, type);
  FLYBALL_CHECK(patched, patched.error().Describe());
  FLYBALL_CHECK(*patched == *after, "a patch leads elsewhere: " + patch->ToString());
  // With nobody else in between, three ways are two.
  const auto three =
      CreateThreeWayMergePatch({*before, *after, *before}, type, OnConflict::kOverwrite);
  FLYBALL_CHECK(three, three.error().Describe());
  const auto patched_three = ApplyStrategicMergePatch(*before, *three, type);
  FLYBALL_CHECK(patched_three && *patched_three == *after,
                "a three-way patch leads elsewhere: " + three->ToString());
}

void CheckJsonPatch(const Json& document, std::string_view text) {
  const auto patch = JsonPatch::Parse(text);
  if (!patch) return CheckRefusal(patch.error());
  const auto patched = patch->Apply(document);
  CheckResult(patched);
  if (!patched) return;
  const JsonPatch test({{.op = JsonPatchOperation::Op::kTest, .path = "", .value = *patched}});
  FLYBALL_CHECK(test.Apply(*patched), "a document is not what it is");
}

void CheckMergePatch(const Json& from, const Json& to) {
  CheckResult(ApplyMergePatch(from, to));
  const auto patch = CreateMergePatch(from, to);
  if (!patch) return CheckRefusal(patch.error());
  FLYBALL_CHECK(SameJson(ApplyMergePatch(from, *patch), to), "a merge patch leads elsewhere");
}

std::string_view TakeLine(std::string_view& input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view line = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return line;
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  const std::uint8_t which = TakeByte(input);
  const TypeInfo& type = TakeKind(input);
  const auto first = Json::Parse(TakeLine(input));
  if (!first) return 0;
  const std::string_view line = TakeLine(input);
  if (which % 3 == 0) {
    CheckJsonPatch(*first, line);
    return 0;
  }
  const auto second = Json::Parse(line);
  if (!second) return 0;
  if (which % 3 == 1) {
    CheckMergePatch(*first, *second);
    return 0;
  }
  const auto third = Json::Parse(TakeLine(input));
  CheckStrategic(*first, *second, third.value_or(*first), type);
  return 0;
}

#include "flyball/api/json_patch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/json_equality.h"

namespace flyball::api {
namespace {

using Op = JsonPatchOperation::Op;

constexpr std::array<std::pair<std::string_view, Op>, 6> kOps = {{{"add", Op::kAdd},
                                                                  {"remove", Op::kRemove},
                                                                  {"replace", Op::kReplace},
                                                                  {"move", Op::kMove},
                                                                  {"copy", Op::kCopy},
                                                                  {"test", Op::kTest}}};

std::string NumberOf(std::size_t index) { return "operation " + std::to_string(index); }

Result<JsonPatchOperation> ParseOperation(const Json& json, std::size_t index) {
  const std::string at = "[" + std::to_string(index) + "]";
  const Json* op = json.Find("op");
  const auto* name = op ? op->If<std::string>() : nullptr;
  if (!name) return Fail(ErrorCode::kInvalid, at + ".op", "not a string");
  const auto* known =
      std::ranges::find(kOps, std::string_view(*name), &decltype(kOps)::value_type::first);
  if (known == kOps.end()) return Fail(ErrorCode::kInvalid, at + ".op", "no operation " + *name);
  JsonPatchOperation operation{.op = known->second, .path = {}};

  const auto pointer = [&](std::string_view member, std::string& into) -> Result<> {
    const Json* found = json.Find(member);
    const auto* text = found ? found->If<std::string>() : nullptr;
    if (!text) return Fail(ErrorCode::kInvalid, at + "." + std::string(member), "not a string");
    into = *text;
    return {};
  };
  FLYBALL_TRY(pointer("path", operation.path));
  if (operation.op == Op::kMove || operation.op == Op::kCopy) {
    FLYBALL_TRY(pointer("from", operation.from));
  }
  // PARITY: an operation without a value has null.
  if (const Json* value = json.Find("value")) operation.value = *value;
  return operation;
}

std::string Unescape(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape && (token[i + 1] == '0' || token[i + 1] == '1')) {
      name += token[++i] == '0' ? '~' : '/';
    } else {
      name += token[i];  // PARITY: a tilde before anything else is a tilde
    }
  }
  return name;
}

/// The names on the way. PARITY: what stands before the first slash is not looked at; without a
/// slash there is nothing.
std::vector<std::string> SplitPointer(std::string_view pointer) {
  std::vector<std::string> names;
  std::size_t slash = pointer.find('/');
  while (slash != std::string_view::npos) {
    pointer.remove_prefix(slash + 1);
    slash = pointer.find('/');
    names.push_back(Unescape(pointer.substr(0, slash)));
  }
  return names;
}

/// As Go's Atoi reads a number: a sign, and leading zeros.
std::optional<std::int64_t> ParseIndex(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t index = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return index;
}

/// An index into `size` places; a negative one counts from the end.
std::optional<std::size_t> ResolveIndex(std::string_view text, std::size_t size) {
  const auto index = ParseIndex(text);
  const auto count = static_cast<std::int64_t>(size);
  if (!index || *index >= count || *index < -count) return std::nullopt;
  return static_cast<std::size_t>(*index < 0 ? *index + count : *index);
}

int DepthOf(const Json& value) {
  int inner = 0;
  if (const auto* array = value.If<Json::Array>()) {
    for (const Json& element : *array) inner = std::max(inner, DepthOf(element));
    return inner + 1;
  }
  if (const auto* object = value.If<Json::Object>()) {
    for (const auto& [name, member] : *object) inner = std::max(inner, DepthOf(member));
    return inner + 1;
  }
  return 0;
}

/// The member or element that a pointer names: the last name, and what has it.
struct Target {
  Json* container;
  std::string key;
  int depth;  ///< of the container
};

/// Carries out operations on a document, one after the other.
class Patcher {
 public:
  explicit Patcher(Json document) : document_(std::move(document)) {}

  Result<> CarryOut(const JsonPatchOperation& operation) {
    switch (operation.op) {
      case Op::kAdd: {
        FLYBALL_TRY(const Target target, Find(operation.path));
        return Add(target, operation.value);
      }
      case Op::kRemove: {
        FLYBALL_TRY(const Target target, Find(operation.path));
        return Remove(target);
      }
      case Op::kReplace:
        return Replace(operation);
      case Op::kMove:
        return Move(operation);
      case Op::kCopy:
        return Copy(operation);
      case Op::kTest:
        return Test(operation);
    }
    std::unreachable();
  }

  Json Take() { return std::move(document_); }

 private:
  static std::unexpected<Error> Missing() {
    return Fail(ErrorCode::kInvalid, "there is no such place in the document");
  }

  /// The last name need not be there. PARITY: the document itself is no target, which leaves it to
  /// replace and test.
  Result<Target> Find(std::string_view pointer) {
    std::vector<std::string> names = SplitPointer(pointer);
    if (names.empty()) return Missing();
    Json* at = &document_;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      FLYBALL_TRY(at, Get({at, names[i], 0}));
      if (!at) return Missing();
    }
    if (!at->If<Json::Object>() && !at->If<Json::Array>()) return Missing();
    const int depth = static_cast<int>(std::min<std::size_t>(names.size(), kMaxDepth));
    return Target{.container = at, .key = std::move(names.back()), .depth = depth};
  }

  /// Null for a member that is not there; an element must be.
  static Result<Json*> Get(const Target& target) {
    if (auto* object = target.container->If<Json::Object>()) return object->find(target.key);
    auto* array = target.container->If<Json::Array>();
    if (!array) return Missing();
    const auto index = ResolveIndex(target.key, array->size());
    if (!index) return Missing();
    return &(*array)[*index];
  }

  static Result<> Add(const Target& target, Json value) {
    if (target.depth + DepthOf(value) > kMaxDepth) {
      return Fail(ErrorCode::kInvalid, "nested deeper than 100 levels");
    }
    if (auto* object = target.container->If<Json::Object>()) {
      (*object)[target.key] = std::move(value);
      return {};
    }
    auto& array = *target.container->If<Json::Array>();
    if (target.key == "-") {
      array.push_back(std::move(value));
      return {};
    }
    const auto index = ResolveIndex(target.key, array.size() + 1);
    if (!index) return Missing();
    array.insert(array.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return {};
  }

  static Result<> Remove(const Target& target) {
    if (auto* object = target.container->If<Json::Object>()) {
      if (!object->erase(target.key)) return Missing();
      return {};
    }
    auto& array = *target.container->If<Json::Array>();
    const auto index = ResolveIndex(target.key, array.size());
    if (!index) return Missing();
    array.erase(array.begin() + static_cast<std::ptrdiff_t>(*index));
    return {};
  }

  Result<> Replace(const JsonPatchOperation& operation) {
    if (operation.path.empty()) {
      if (!operation.value.If<Json::Object>() && !operation.value.If<Json::Array>()) {
        return Fail(ErrorCode::kInvalid, "a document is an object or a list");
      }
      document_ = operation.value;
      return {};
    }
    FLYBALL_TRY(const Target target, Find(operation.path));
    FLYBALL_TRY(Json * before, Get(target));
    // PARITY: a member need not be there to be replaced.
    if (!before) return Add(target, operation.value);
    if (target.depth + DepthOf(operation.value) > kMaxDepth) {
      return Fail(ErrorCode::kInvalid, "nested deeper than 100 levels");
    }
    *before = operation.value;
    return {};
  }

  Result<> Move(const JsonPatchOperation& operation) {
    FLYBALL_TRY(const Target source, Find(operation.from));
    FLYBALL_TRY(Json * found, Get(source));
    if (!found) return Missing();
    Json value = std::move(*found);
    FLYBALL_TRY(Remove(source));
    FLYBALL_TRY(const Target target, Find(operation.path));
    return Add(target, std::move(value));
  }

  Result<> Copy(const JsonPatchOperation& operation) {
    FLYBALL_TRY(const Target source, Find(operation.from));
    FLYBALL_TRY(const Json* found, Get(source));
    // PARITY: a member that is not there is copied as null, and costs nothing.
    Json value = found ? *found : Json();
    if (!value.IsNull()) copied_ += value.ToString().size();
    FLYBALL_TRY(const Target target, Find(operation.path));
    if (copied_ > kMaxJsonPatchCopyBytes) {
      return Fail(ErrorCode::kInvalid, "the copies add more than 3 MiB");
    }
    return Add(target, std::move(value));
  }

  /// DIVERGES: values are compared as RFC 6902 asks. Upstream compares how numbers and strings are
  /// written, so that 1.0 is not 1 and "<" not "\u003c", and does not survive a null in a list.
  Result<> Test(const JsonPatchOperation& operation) {
    const Json* found = &document_;
    if (!operation.path.empty()) {
      FLYBALL_TRY(const Target target, Find(operation.path));
      FLYBALL_TRY(found, Get(target));
    }
    // PARITY: a member that is not there is null.
    const bool same = found ? SameJson(*found, operation.value) : operation.value.IsNull();
    if (!same) return Fail(ErrorCode::kConflict, "the test failed");
    return {};
  }

  Json document_;
  std::size_t copied_ = 0;  ///< bytes, by all copies so far
};

}  // namespace

Result<JsonPatch> JsonPatch::Parse(std::string_view text) {
  FLYBALL_TRY(const Json json, Json::Parse(text));
  return FromJson(json);
}

Result<JsonPatch> JsonPatch::FromJson(const Json& patch) {
  if (patch.IsNull()) return JsonPatch();
  const auto* list = patch.If<Json::Array>();
  if (!list) return Fail(ErrorCode::kMalformed, "a JSON patch is a list of operations");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!(*list)[i].IsNull() && !(*list)[i].If<Json::Object>()) {
      return Fail(ErrorCode::kMalformed, "[" + std::to_string(i) + "]", "not an object");
    }
  }
  if (list->size() > kMaxJsonPatchOperations) {
    return Fail(ErrorCode::kTooLarge, "a JSON patch may have " +
                                          std::to_string(kMaxJsonPatchOperations) +
                                          " operations, not " + std::to_string(list->size()));
  }
  std::vector<JsonPatchOperation> operations;
  for (std::size_t i = 0; i < list->size(); ++i) {
    FLYBALL_TRY(JsonPatchOperation operation, ParseOperation((*list)[i], i));
    operations.push_back(std::move(operation));
  }
  return JsonPatch(std::move(operations));
}

Result<Json> JsonPatch::Apply(Json document) const {
  if (!document.If<Json::Object>() && !document.If<Json::Array>()) {
    return Fail(ErrorCode::kInvalid, "a document is an object or a list");
  }
  Patcher patcher(std::move(document));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (const auto done = patcher.CarryOut(operations_[i]); !done) {
      const Error& error = done.error();
      return Fail(error.code(), operations_[i].path, NumberOf(i) + ": " + error.message());
    }
  }
  return patcher.Take();
}

}  // namespace flyball::api

#include "flyball/api/internal/patch_schema.h"

#include <array>
#include <span>
#include <string>

namespace flyball::api {
namespace {

/// PARITY: some leaves are structs in Go, and upstream finds their exported fields though JSON
/// never writes them.
constexpr std::array<Field, 1> kQuantityFields = {{{.name = "Format", .kind = Kind::kString}}};
constexpr std::array<Field, 1> kDurationFields = {{{.name = "Duration", .kind = Kind::kInt64}}};
constexpr std::array<Field, 3> kIntOrStringFields = {{{.name = "Type", .kind = Kind::kInt64},
                                                      {.name = "IntVal", .kind = Kind::kInt32},
                                                      {.name = "StrVal", .kind = Kind::kString}}};

std::span<const Field> LeafFields(Kind kind) {
  if (kind == Kind::kQuantity) return kQuantityFields;
  if (kind == Kind::kDuration) return kDurationFields;
  if (kind == Kind::kIntOrString) return kIntOrStringFields;
  return {};
}

const Field* FindExact(std::span<const Field> fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.shape != Shape::kInlined && field.name == name) return &field;
  }
  for (const Field& field : fields) {
    if (field.shape != Shape::kInlined) continue;
    if (const Field* found = FindExact(field.message->fields, name)) return found;
  }
  return nullptr;
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether two names differ in case only, as Go folds case: the long s is an s and the sign for
/// kelvin is a k.
bool EqualFold(std::string_view field, std::string_view name) {
  constexpr std::string_view kLongS = "\u017f";
  constexpr std::string_view kKelvin = "\u212a";
  for (const char c : field) {
    const char letter = Lower(c);
    if (letter == 's' && name.starts_with(kLongS)) {
      name.remove_prefix(kLongS.size());
    } else if (letter == 'k' && name.starts_with(kKelvin)) {
      name.remove_prefix(kKelvin.size());
    } else if (!name.empty() && Lower(name.front()) == letter) {
      name.remove_prefix(1);
    } else {
      return false;
    }
  }
  return name.empty();
}

const Field* FindFolded(std::span<const Field> fields, std::string_view name) {
  for (const Field& field : fields) {
    if (field.shape == Shape::kInlined) {
      if (const Field* found = FindFolded(field.message->fields, name)) return found;
    } else if (EqualFold(field.name, name)) {
      return &field;
    }
  }
  return nullptr;
}

bool HasStrategy(const Field& field, std::string_view strategy) {
  std::string_view left = field.patch_strategy;
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    if (left.substr(0, comma) == strategy) return true;
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  return false;
}

PatchField Describe(const Field& field, PatchSchema inside) {
  return {.inside = inside,
          .merges = HasStrategy(field, "merge"),
          .replaces = HasStrategy(field, "replace"),
          .retains_keys = HasStrategy(field, "retainKeys"),
          .merge_key = field.merge_key};
}

/// Whether one value of the field is a list in Go.
bool IsListKind(const Field& field) {
  return field.kind == Kind::kBytes || field.kind == Kind::kStrings;
}

}  // namespace

PatchSchema PatchSchema::OfElement(const Field& field) {
  if (field.kind == Kind::kMessage) return PatchSchema(*field.message);
  return PatchSchema(field.kind);
}

/// PARITY: names are matched in any case, though decoding an object is case-sensitive.
Result<const Field*> PatchSchema::Find(std::string_view name, const JsonPlace& at) const {
  const std::span<const Field> fields = message_ ? message_->fields : LeafFields(leaf_);
  const Field* found = FindExact(fields, name);
  if (!found) found = FindFolded(fields, name);
  if (found) return found;
  const std::string type = message_ ? std::string(message_->name) : "the type of its object";
  return at.Member(name).Fail(ErrorCode::kInvalid, "no such field in " + type);
}

Result<PatchField> PatchSchema::ForObject(std::string_view name, const JsonPlace& at) const {
  FLYBALL_TRY(const Field* const field, Find(name, at));
  const bool one = field->shape == Shape::kValue || field->shape == Shape::kOptional;
  return Describe(*field, one ? OfElement(*field) : PatchSchema(Kind::kBool));
}

Result<PatchField> PatchSchema::ForList(std::string_view name, const JsonPlace& at) const {
  FLYBALL_TRY(const Field* const field, Find(name, at));
  switch (field->shape) {
    case Shape::kList:
      if (IsListKind(*field)) {
        return at.Member(name).Fail(ErrorCode::kInvalid, "lists of lists cannot be patched");
      }
      return Describe(*field, OfElement(*field));
    case Shape::kOptional:
      // PARITY: upstream takes what a pointer points at for an element.
      return Describe(*field, OfElement(*field));
    case Shape::kValue:
      if (IsListKind(*field)) return Describe(*field, PatchSchema(Kind::kBool));
      break;
    case Shape::kMap:
    case Shape::kInlined:
      break;
  }
  return at.Member(name).Fail(ErrorCode::kInvalid, "not a list");
}

}  // namespace flyball::api

#include "flyball/api/json_encode.h"

#include <algorithm>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/internal/json_leaf.h"
#include "flyball/api/json_reader.h"
#include "flyball/api/json_writer.h"

namespace flyball::api {
namespace {

class Sender {
 public:
  Sender(JsonSink& sink, UnknownMembers unknown) : sink_(sink), unknown_(unknown) {}

  void Object(const void* object, const TypeInfo& type) {
    if (type.is_union) return Union(object, type);
    if (type.is_bare) return Bare(object, type);
    sink_.BeginObject();
    Members(object, type);
    sink_.EndObject();
  }

  const DecodePath& path() const { return path_; }

 private:
  void Members(const void* object, const TypeInfo& type) {
    for (const Field& field : type.fields) {
      const void* member = At(object, field);
      if (field.shape == Shape::kInlined) {
        Members(member, *field.message);
        continue;
      }
      const std::string* kept = Kept(object, type, field, field.name);
      if (!kept && IsLeftOut(field, member)) continue;
      sink_.Key(field.name);
      path_.Push(field.name);
      kept ? ReadJsonOrThrow(*kept, sink_) : Member(field, member);
      path_.Pop();
    }
    if (unknown_ == UnknownMembers::kLeftOut) return;
    for (const auto& [name, text] : UnknownOf(object, type).json()) {
      if (IsStructuralMember(type, name)) continue;
      sink_.Key(name);
      ReadJsonOrThrow(text, sink_);
    }
  }

  /// What a CRD's member was on the wire, while it has nothing in C++: see UnknownFields.
  static const std::string* Kept(const void* object, const TypeInfo& type, const Field& field,
                                 std::string_view name) {
    if (!field.structural || UnknownOf(object, type).empty()) return nullptr;
    return IsZero(At(object, field), field) ? UnknownOf(object, type).FindJson(name) : nullptr;
  }

  static bool IsStructuralMember(const TypeInfo& type, std::string_view name) {
    return std::ranges::any_of(
        type.fields, [&](const Field& field) { return field.structural && field.name == name; });
  }

  /// In Go, omitempty does nothing for a struct (nor for the leaf types that are structs there).
  static bool IsLeftOut(const Field& field, const void* member) {
    if (field.omitzero && IsZero(member, field)) return true;
    if (!field.omitempty) return false;
    if (field.shape == Shape::kValue && field.kind > Kind::kStrings) return false;
    return IsZero(member, field);
  }

  void Member(const Field& field, const void* member) {
    switch (field.shape) {
      case Shape::kOptional:
        if (const void* value = GetOptional(member, field)) return Value(field, value);
        return sink_.Null();
      case Shape::kList:
        return List(field, member);
      case Shape::kMap:
        return Map(field, member);
      case Shape::kValue:
      case Shape::kInlined:
        // Go's nil slices, of which we keep no trace, are null.
        if (field.structural) return Value(field, member);
        if (field.kind == Kind::kBytes || field.kind == Kind::kStrings) {
          if (IsZero(member, field)) return sink_.Null();
        }
        return Value(field, member);
    }
  }

  void List(const Field& field, const void* member) {
    const std::size_t size = ListSize(member, field);
    if (size == 0 && !field.structural) return sink_.Null();
    sink_.BeginArray();
    for (std::size_t i = 0; i < size; ++i) {
      path_.SetIndex(i);
      Value(field, ListAt(member, field, i));
    }
    sink_.EndArray();
  }

  void Map(const Field& field, const void* member) {
    const std::size_t size = MapSize(member, field);
    if (size == 0 && !field.structural) return sink_.Null();
    sink_.BeginObject();
    for (std::size_t i = 0; i < size; ++i) {
      const std::string& key = MapKey(member, field, i);
      path_.SetKey(key);
      sink_.Key(key);
      Value(field, MapValue(member, field, i));
    }
    sink_.EndObject();
  }

  void Value(const Field& field, const void* value) {
    if (field.kind == Kind::kMessage) return Object(value, *field.message);
    SendLeaf(field.kind, value, sink_);
  }

  void Bare(const void* object, const TypeInfo& type) {
    const Field& only = type.fields.front();
    if (const std::string* kept = Kept(object, type, only, "")) {
      return ReadJsonOrThrow(*kept, sink_);
    }
    path_.Push("");
    Member(only, At(object, only));
    path_.Pop();
  }

  /// The array if it has elements, else the object if there is one, else the boolean, else null.
  void Union(const void* object, const TypeInfo& type) {
    for (const UnionForm form : {UnionForm::kArray, UnionForm::kObject, UnionForm::kBool}) {
      for (const Field& field : type.fields) {
        const void* member = At(object, field);
        if (field.union_form != form) continue;
        if (form == UnionForm::kBool || !IsZero(member, field)) return Member(field, member);
      }
    }
    sink_.Null();
  }

  JsonSink& sink_;
  const UnknownMembers unknown_;
  DecodePath path_;
};

}  // namespace

Result<> SendObject(const void* object, const TypeInfo& type, JsonSink& sink,
                    UnknownMembers unknown) {
  Sender sender(sink, unknown);
  try {
    sender.Object(object, type);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, sender.path().ToString(), failure.message);
  }
}

Result<> EncodeJson(const void* object, const TypeInfo& type, std::string& out, int indent) {
  JsonWriter writer(out, indent);
  return SendObject(object, type, writer);
}

}  // namespace flyball::api

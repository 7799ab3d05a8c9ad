#include "flyball/api/structural_defaults.h"

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_reader.h"

namespace flyball::api {
namespace {

class Defaulter {
 public:
  void Object(void* object, const TypeInfo& type) {
    for (const Field& field : type.fields) {
      path_.Push(type.is_bare ? std::string_view() : field.name);
      if (IsWanted(object, type, field)) Fill(object, type, field);
      if (field.kind == Kind::kMessage) Inside(At(object, field), field);
      path_.Pop();
    }
  }

  const DecodePath& path() const { return path_; }

 private:
  static bool IsWanted(const void* object, const TypeInfo& type, const Field& field) {
    if (!field.defaults || field.defaults->member.empty()) return false;
    return IsZero(At(object, field), field) && !UnknownOf(object, type).FindJson(field.name);
  }

  /// As if the object came with the member.
  static void Fill(void* object, const TypeInfo& type, const Field& field) {
    const std::string_view text = field.defaults->member;
    ObjectSink into(type, object, text.size());
    into.sink().BeginObject();
    into.sink().Key(field.name);
    ReadJsonOrThrow(text, into.sink());
    into.sink().EndObject();
  }

  void Inside(void* member, const Field& field) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        return Object(member, *field.message);
      case Shape::kOptional:
        if (GetOptional(member, field)) {
          Object(EmplaceOptional(member, field, /*keep=*/true), *field.message);
        }
        return;
      case Shape::kList:
        for (std::size_t i = 0; i < ListSize(member, field); ++i) {
          path_.SetIndex(i);
          Object(const_cast<void*>(ListAt(member, field, i)), *field.message);
        }
        return;
      case Shape::kMap:
        for (std::size_t i = 0; i < MapSize(member, field); ++i) {
          path_.SetKey(MapKey(member, field, i));
          Object(const_cast<void*>(MapValue(member, field, i)), *field.message);
        }
        return;
    }
  }

  DecodePath path_;
};

}  // namespace

Result<> ApplySchemaDefaults(void* object, const TypeInfo& type) {
  Defaulter defaulter;
  try {
    defaulter.Object(object, type);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, defaulter.path().ToString(), failure.message);
  }
}

}  // namespace flyball::api

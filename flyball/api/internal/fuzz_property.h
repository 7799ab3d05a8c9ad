#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/internal/field_access.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/object.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/protobuf_encode.h"
#include "flyball/api/registry.h"
#include "flyball/api/utf8.h"
#include "flyball/base/check.h"

/// What holds for every input of every decoder. Only the fuzz programs include this: they feed the
/// decoders whatever libFuzzer makes up, and FLYBALL_CHECK turns a broken property into a finding.
namespace flyball::api {

/// The bytes libFuzzer hands over.
inline std::string_view FuzzInput(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Eats the first byte of an input; 0 where there is none.
inline std::uint8_t TakeByte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<std::uint8_t>(input.front());
  input.remove_prefix(1);
  return byte;
}

/// Eats two bytes, which pick a kind of the schema: its index in AllKinds(), low byte first.
inline const TypeInfo& TakeKind(std::string_view& input) {
  const std::size_t low = TakeByte(input);
  const std::size_t index = low | static_cast<std::size_t>(TakeByte(input)) << 8;
  return *AllKinds()[index % AllKinds().size()];
}

/// A refusal says why, in text that can be logged and sent.
inline void CheckRefusal(const Error& error) {
  FLYBALL_CHECK(!error.message().empty(), "an error without a message");
  FLYBALL_CHECK(IsValidUtf8(error.Describe()), "an error that is not UTF-8");
}

/// Equal as JSON documents: 1 and 1.0 are the same number, and -0 is 0.
inline bool SameDocument(const Json& a, const Json& b) {
  const auto number = [](const Json& json) -> std::optional<double> {
    if (const auto* whole = json.If<std::int64_t>()) return static_cast<double>(*whole);
    if (const auto* real = json.If<double>()) return *real;
    return std::nullopt;
  };
  if (const auto* left = a.If<Json::Array>()) {
    const auto* right = b.If<Json::Array>();
    return right && std::ranges::equal(*left, *right, SameDocument);
  }
  if (const auto* left = a.If<Json::Object>()) {
    const auto* right = b.If<Json::Object>();
    return right && std::ranges::equal(*left, *right, [](const auto& x, const auto& y) {
             return x.first == y.first && SameDocument(x.second, y.second);
           });
  }
  if (a.If<double>() || b.If<double>()) return number(a) && number(a) == number(b);
  return a == b;
}

/// Without the members that are null, at any depth: upstream too writes `null` for what a pointer
/// points at and is zero (a time), and reads it back as no pointer.
inline Json WithoutNulls(const Json& json) {
  if (const auto* array = json.If<Json::Array>()) {
    Json::Array kept;
    for (const Json& element : *array) kept.push_back(WithoutNulls(element));
    return kept;
  }
  if (const auto* object = json.If<Json::Object>()) {
    Json::Object kept;
    for (const auto& [name, value] : *object) {
      if (!value.IsNull()) kept[name] = WithoutNulls(value);
    }
    return kept;
  }
  return json;
}

/// Whether our own JSON may be refused for this reason: JSON counts lists as levels and protobuf
/// does not, and a year beyond 9999, which only protobuf can bring, is written as Go writes it.
inline bool IsKnownLimit(const Error& error) {
  for (const std::string_view limit : {"nested deeper", "nesting", "too deep", "not a time"}) {
    if (error.message().find(limit) != std::string::npos) return true;
  }
  return false;
}

/// What EncodeProtobuf writes, DecodeProtobuf reads, and the second writing is the first.
inline void CheckProtobufRoundTrip(const AnyObject& object) {
  const TypeInfo& type = object.type();
  std::string once;
  if (const auto encoded = EncodeProtobuf(object.get(), type, once); !encoded) {
    CheckRefusal(encoded.error());
    FLYBALL_CHECK(type.json_only, "no protobuf for a kind that has one");
    return;
  }
  AnyObject again(type);
  const auto decoded = DecodeProtobuf(once, type, again.get());
  FLYBALL_CHECK(decoded, decoded.error().Describe());
  std::string twice;
  FLYBALL_CHECK(EncodeProtobuf(again.get(), type, twice), "it encoded before");
  FLYBALL_CHECK(once == twice, "protobuf changes when it is read and written");
}

/// What EncodeJson writes, DecodeJson reads. The second writing may lack nulls that the first had;
/// the third is the second. Returns the first, nothing if there is none.
inline std::optional<std::string> CheckJsonRoundTrip(const AnyObject& object) {
  const TypeInfo& type = object.type();
  std::string once;
  if (const auto encoded = EncodeJson(object.get(), type, once); !encoded) {
    CheckRefusal(encoded.error());
    return std::nullopt;
  }
  AnyObject second(type);
  if (const auto decoded = DecodeJson(once, type, second.get()); !decoded) {
    CheckRefusal(decoded.error());
    FLYBALL_CHECK(IsKnownLimit(decoded.error()), decoded.error().Describe());
    return once;
  }
  std::string twice;
  FLYBALL_CHECK(EncodeJson(second.get(), type, twice), "what JSON brought has a JSON form");
  if (once == twice) return once;
  AnyObject third(type);
  const auto decoded = DecodeJson(twice, type, third.get());
  FLYBALL_CHECK(decoded, decoded.error().Describe());
  std::string thrice;
  FLYBALL_CHECK(EncodeJson(third.get(), type, thrice), "what JSON brought has a JSON form");
  FLYBALL_CHECK(twice == thrice, "JSON changes when it is read and written");
  const auto before = Json::Parse(once);
  const auto after = Json::Parse(twice);
  // A number beyond float64 is kept as text in what is not looked into, and has no tree.
  if (!before || !after) return once;
  FLYBALL_CHECK(SameDocument(WithoutNulls(*before), WithoutNulls(*after)),
                "JSON loses more than nulls when it is read and written");
  return once;
}

/// The field that a member's name stands for, among those of inlined structs too.
inline const Field* FindMember(const TypeInfo& type, std::string_view name) {
  for (const Field& field : type.fields) {
    if (field.shape == Shape::kInlined) {
      if (const Field* found = FindMember(*field.message, name)) return found;
    } else if (field.name == name) {
      return &field;
    }
  }
  return nullptr;
}

/// Every member of `in` that the schema does not name is in `out`, wherever it stands.
inline void CheckUnknownMembersKept(const Json& in, const Json& out, const TypeInfo& type) {
  if (type.is_union || !in.If<Json::Object>() || !out.If<Json::Object>()) return;
  for (const auto& [name, value] : *in.If<Json::Object>()) {
    const Field* field = FindMember(type, name);
    const Json* kept = out.Find(name);
    if (!field) {
      FLYBALL_CHECK(kept && SameDocument(*kept, value), "an unknown member is lost or changed");
      continue;
    }
    if (!kept || field->kind != Kind::kMessage) continue;
    const auto* list = value.If<Json::Array>();
    const auto* kept_list = kept->If<Json::Array>();
    if (field->shape == Shape::kList && list && kept_list) {
      FLYBALL_CHECK(list->size() == kept_list->size(), "a list has another length");
      for (std::size_t i = 0; i < list->size(); ++i) {
        CheckUnknownMembersKept((*list)[i], (*kept_list)[i], *field->message);
      }
    } else if (field->shape == Shape::kMap && value.If<Json::Object>()) {
      for (const auto& [key, element] : *value.If<Json::Object>()) {
        const Json* kept_element = kept->Find(key);
        FLYBALL_CHECK(kept_element, "an entry of a map is lost");
        CheckUnknownMembersKept(element, *kept_element, *field->message);
      }
    } else {
      CheckUnknownMembersKept(value, *kept, *field->message);
    }
  }
}

}  // namespace flyball::api

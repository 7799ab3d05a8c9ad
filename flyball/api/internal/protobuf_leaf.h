#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

#include "flyball/api/internal/decode_path.h"
#include "flyball/api/type_info.h"

/// Reading single values off the wire, the same for value types and views.
namespace flyball::api {

/// Seconds and nanoseconds as Time and MicroTime carry them.
struct WireTimestamp {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;
  bool present = false;  ///< an empty message is the zero time
};

inline void RequireWireType(const protozero::pbf_reader& reader, protozero::pbf_wire_type wanted) {
  if (reader.wire_type() != wanted) {
    throw DecodeFailure{"wire type " + std::to_string(static_cast<int>(reader.wire_type())) +
                        " where " + std::to_string(static_cast<int>(wanted)) + " belongs"};
  }
}

inline std::string_view ReadBytes(protozero::pbf_reader& reader) {
  RequireWireType(reader, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

/// A string field. Any bytes: kube-apiserver stores strings that are not UTF-8 when they come in
/// protobuf, and an object that we refuse to read would be one that nobody can handle. They turn
/// into U+FFFD where they are written as JSON.
inline std::string_view ReadString(protozero::pbf_reader& reader) { return ReadBytes(reader); }

inline std::int64_t ReadInt64(protozero::pbf_reader& reader) {
  RequireWireType(reader, protozero::pbf_wire_type::varint);
  return reader.get_int64();
}

inline std::int32_t NarrowInt32(std::int64_t value) {
  if (value < INT32_MIN || value > INT32_MAX) {
    throw DecodeFailure{std::to_string(value) + " is out of the range of int32"};
  }
  return static_cast<std::int32_t>(value);
}

/// A nested message's reader.
inline protozero::pbf_reader ReadMessage(protozero::pbf_reader& reader) {
  RequireWireType(reader, protozero::pbf_wire_type::length_delimited);
  return reader.get_message();
}

WireTimestamp ReadTimestamp(protozero::pbf_reader message);

/// The one field of the messages around RawExtension.raw, Quantity.string and their like.
std::string_view ReadOnlyField(protozero::pbf_reader message);

/// How many more fields with the current one's tag follow it directly, itself included.
inline std::size_t CountRun(protozero::pbf_reader reader) {
  const auto tag = reader.tag();
  std::size_t n = 0;
  do {
    reader.skip();
    ++n;
  } while (reader.next() && reader.tag() == tag);
  return n;
}

}  // namespace flyball::api

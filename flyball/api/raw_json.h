#pragma once

#include <string>

namespace flyball::api {

/// A part of an object that this library passes on and does not look into: the RawExtension,
/// FieldsV1 and JSON types of upstream, and table cells. Empty stands for null. What came in as
/// JSON is compact JSON text; what came in as protobuf is kept byte for byte, and is JSON text
/// too wherever the API server wrote it.
struct RawJson {
  std::string raw;

  bool empty() const { return raw.empty(); }
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

}  // namespace flyball::api

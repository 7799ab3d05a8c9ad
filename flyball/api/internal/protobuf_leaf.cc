#include "flyball/api/internal/protobuf_leaf.h"

namespace flyball::api {

WireTimestamp ReadTimestamp(protozero::pbf_reader message) {
  WireTimestamp time;
  time.present = message.length() != 0;
  while (message.next()) {
    if (message.tag() == 1) {
      time.seconds = ReadInt64(message);
    } else if (message.tag() == 2) {
      time.nanos = NarrowInt32(ReadInt64(message));
    } else {
      message.skip();
    }
  }
  return time;
}

std::string_view ReadOnlyField(protozero::pbf_reader message) {
  std::string_view value;
  while (message.next()) {
    if (message.tag() == 1) {
      value = ReadBytes(message);
    } else {
      message.skip();
    }
  }
  return value;
}

}  // namespace flyball::api

#include "flyball/api/internal/protobuf_leaf.h"

#include "flyball/api/utf8.h"

namespace flyball::api {

std::string_view ReadString(protozero::pbf_reader& reader) {
  const std::string_view text = ReadBytes(reader);
  if (!IsValidUtf8(text)) throw DecodeFailure{"not valid UTF-8"};
  return text;
}

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

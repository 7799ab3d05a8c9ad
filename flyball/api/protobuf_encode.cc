#include "flyball/api/protobuf_encode.h"

#include <protozero/pbf_writer.hpp>

#include "flyball/api/field_access.h"

namespace flyball::api {
namespace {

using protozero::pbf_writer;

/// All nested writers append to one buffer and fix up their lengths when they close, so that bytes
/// can also be appended to the buffer itself.
class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void WriteMessage(pbf_writer& writer, const void* object, const TypeInfo& type) {
    for (const std::uint8_t index : type.by_number) {
      const Field& field = type.fields[index];
      WriteField(writer, field, At(object, field));
    }
    out_.append(UnknownOf(object, type).protobuf());
  }

 private:
  template <TimeForm kForm>
  static void WriteTime(pbf_writer& writer, std::uint32_t number, const BasicTime<kForm>& time) {
    pbf_writer message(writer, number);
    if (time.IsZero()) return;  // an empty message is the zero time
    message.add_int64(1, time.unix_seconds());
    message.add_int32(2, time.ProtoNanoseconds());
  }

  void WriteValue(pbf_writer& writer, std::uint32_t number, const Field& field, const void* value) {
    switch (field.kind) {
      case Kind::kBool:
        return writer.add_bool(number, As<bool>(value));
      case Kind::kInt32:
        return writer.add_int32(number, As<std::int32_t>(value));
      case Kind::kInt64:
        return writer.add_int64(number, As<std::int64_t>(value));
      case Kind::kDouble:
        return writer.add_double(number, As<double>(value));
      case Kind::kString:
      case Kind::kBytes:
        return writer.add_string(number, As<std::string>(value));
      case Kind::kMessage: {
        pbf_writer message(writer, number);
        return WriteMessage(message, value, *field.message);
      }
      case Kind::kStrings: {
        pbf_writer message(writer, number);
        for (const auto& text : As<std::vector<std::string>>(value)) message.add_string(1, text);
        return;
      }
      case Kind::kRaw: {
        pbf_writer message(writer, number);
        const std::string& raw = As<RawJson>(value).raw;
        if (!raw.empty()) message.add_bytes(1, raw);
        return;
      }
      case Kind::kQuantity: {
        pbf_writer message(writer, number);
        return message.add_string(1, As<Quantity>(value).ToString());
      }
      case Kind::kIntOrString: {
        const auto& either = As<IntOrString>(value);
        pbf_writer message(writer, number);
        message.add_int64(1, either.IsString() ? 1 : 0);
        message.add_int32(2, either.number());
        return message.add_string(3, either.text());
      }
      case Kind::kTime:
        return WriteTime(writer, number, As<Time>(value));
      case Kind::kMicroTime:
        return WriteTime(writer, number, As<MicroTime>(value));
      case Kind::kDuration: {
        pbf_writer message(writer, number);
        return message.add_int64(1, As<Duration>(value).value.count());
      }
    }
  }

  void WriteMap(pbf_writer& writer, const Field& field, const void* member) {
    const std::size_t size = MapSize(member, field);
    for (std::size_t i = 0; i < size; ++i) {
      pbf_writer entry(writer, field.number);
      entry.add_string(1, MapKey(member, field, i));
      WriteValue(entry, 2, field, MapValue(member, field, i));
    }
  }

  void WriteField(pbf_writer& writer, const Field& field, const void* member) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        // Upstream tells nil bytes from empty ones; we write neither.
        if (field.kind == Kind::kBytes && As<std::string>(member).empty()) return;
        return WriteValue(writer, field.number, field, member);
      case Shape::kOptional:
        if (const void* value = GetOptional(member, field)) {
          WriteValue(writer, field.number, field, value);
        }
        return;
      case Shape::kList: {
        const std::size_t size = ListSize(member, field);
        for (std::size_t i = 0; i < size; ++i) {
          WriteValue(writer, field.number, field, ListAt(member, field, i));
        }
        return;
      }
      case Shape::kMap:
        return WriteMap(writer, field, member);
    }
  }

  std::string& out_;
};

}  // namespace

Result<> EncodeProtobuf(const void* object, const TypeInfo& type, std::string& out) {
  if (type.json_only) {
    return Fail(ErrorCode::kUnsupported, std::string(type.name) + " has no protobuf form");
  }
  pbf_writer writer(out);
  Encoder(out).WriteMessage(writer, object, type);
  return {};
}

}  // namespace flyball::api

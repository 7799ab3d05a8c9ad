#include "flyball/api/protobuf_encode.h"

#include <protozero/pbf_writer.hpp>

#include "flyball/api/internal/field_access.h"

namespace flyball::api {
namespace {

using protozero::pbf_writer;

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out), writer_(out) {}

  void WriteMessage(const void* object, const TypeInfo& type) {
    for (const std::uint8_t index : type.by_number) {
      const Field& field = type.fields[index];
      WriteField(field, At(object, field));
    }
    out_.append(UnknownOf(object, type).protobuf());
  }

 private:
  /// A message inside the message: what `write` appends, with tag and length in front. (protozero's
  /// own nested writers drop a message that stays empty, and an empty message says something here:
  /// `emptyDir: {}`.)
  template <typename Write>
  void Nested(std::uint32_t number, Write write) {
    protozero::add_varint_to_buffer(&out_, number << 3 | 2);
    const std::size_t begin = out_.size();
    out_ += '\0';
    write();
    std::size_t length = out_.size() - begin - 1;
    char varint[protozero::max_varint_length];
    const int size = protozero::add_varint_to_buffer(varint, length);
    out_[begin] = varint[0];
    out_.insert(begin + 1, varint + 1, static_cast<std::size_t>(size - 1));
  }

  template <TimeForm kForm>
  void WriteTime(std::uint32_t number, const BasicTime<kForm>& time) {
    Nested(number, [&] {
      if (time.IsZero()) return;  // an empty message is the zero time
      writer_.add_int64(1, time.unix_seconds());
      writer_.add_int32(2, time.ProtoNanoseconds());
    });
  }

  void WriteValue(std::uint32_t number, const Field& field, const void* value) {
    switch (field.kind) {
      case Kind::kBool:
        return writer_.add_bool(number, As<bool>(value));
      case Kind::kInt32:
        return writer_.add_int32(number, As<std::int32_t>(value));
      case Kind::kInt64:
        return writer_.add_int64(number, As<std::int64_t>(value));
      case Kind::kDouble:
        return writer_.add_double(number, As<double>(value));
      case Kind::kString:
      case Kind::kBytes:
        return writer_.add_string(number, As<std::string>(value));
      case Kind::kMessage:
        return Nested(number, [&] { WriteMessage(value, *field.message); });
      case Kind::kStrings:
        return Nested(number, [&] {
          for (const auto& text : As<std::vector<std::string>>(value)) writer_.add_string(1, text);
        });
      case Kind::kRaw:
        return Nested(number, [&] {
          const std::string& raw = As<RawJson>(value).raw;
          if (!raw.empty()) writer_.add_bytes(1, raw);
        });
      case Kind::kQuantity:
        return Nested(number, [&] { writer_.add_string(1, As<Quantity>(value).ToString()); });
      case Kind::kIntOrString:
        return Nested(number, [&] {
          const auto& either = As<IntOrString>(value);
          writer_.add_int64(1, either.IsString() ? 1 : 0);
          writer_.add_int32(2, either.number());
          writer_.add_string(3, either.text());
        });
      case Kind::kTime:
        return WriteTime(number, As<Time>(value));
      case Kind::kMicroTime:
        return WriteTime(number, As<MicroTime>(value));
      case Kind::kDuration:
        return Nested(number, [&] { writer_.add_int64(1, As<Duration>(value).value.count()); });
    }
  }

  void WriteMap(const Field& field, const void* member) {
    const std::size_t size = MapSize(member, field);
    for (std::size_t i = 0; i < size; ++i) {
      Nested(field.number, [&] {
        writer_.add_string(1, MapKey(member, field, i));
        WriteValue(2, field, MapValue(member, field, i));
      });
    }
  }

  void WriteField(const Field& field, const void* member) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        // Upstream tells nil bytes and lists from empty ones; we write neither.
        if (field.kind == Kind::kBytes || field.kind == Kind::kStrings) {
          if (IsZero(member, field)) return;
        }
        return WriteValue(field.number, field, member);
      case Shape::kOptional:
        if (const void* value = GetOptional(member, field)) {
          WriteValue(field.number, field, value);
        }
        return;
      case Shape::kList: {
        const std::size_t size = ListSize(member, field);
        for (std::size_t i = 0; i < size; ++i) {
          WriteValue(field.number, field, ListAt(member, field, i));
        }
        return;
      }
      case Shape::kMap:
        return WriteMap(field, member);
    }
  }

  std::string& out_;
  pbf_writer writer_;
};

}  // namespace

Result<> EncodeProtobuf(const void* object, const TypeInfo& type, std::string& out) {
  if (type.json_only) {
    return Fail(ErrorCode::kUnsupported, std::string(type.name) + " has no protobuf form");
  }
  Encoder(out).WriteMessage(object, type);
  return {};
}

}  // namespace flyball::api

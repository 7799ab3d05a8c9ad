#include "flyball/api/protobuf_decode.h"

#include <protozero/exception.hpp>

#include "flyball/api/internal/field_access.h"
#include "flyball/api/internal/protobuf_leaf.h"

namespace flyball::api {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

class Decoder {
 public:
  Decoder(std::size_t size, const TypeInfo* left_out) : left_out_(left_out), budget_(size) {}

  /// Reads fields until the message ends. What is there already stays (protobuf merges).
  void Message(pbf_reader reader, const TypeInfo& type, void* object) {
    std::size_t expected = 0;
    bool has_maps = false;
    const char* begin = reader.data().data();
    while (reader.next()) {
      const Field* field = Find(type, reader.tag(), expected);
      if (field && field->message != nullptr && field->message == left_out_) {
        reader.skip();
      } else if (field) {
        path_.Push(field->name);
        has_maps |= field->shape == Shape::kMap;
        ReadField(reader, *field, At(object, *field));
        path_.Pop();
      } else {
        reader.skip();
        UnknownOf(object, type)
            .AddProtobuf({begin, static_cast<std::size_t>(reader.data().data() - begin)});
      }
      begin = reader.data().data();
    }
    if (has_maps) SortMaps(type, object);
  }

  const DecodePath& path() const { return path_; }

 private:
  /// Fields come in ascending order from every known writer, so the next one is the first guess.
  static const Field* Find(const TypeInfo& type, std::uint32_t number, std::size_t& expected) {
    const auto& order = type.by_number;
    for (std::size_t i = expected; i < order.size(); ++i) {
      const Field& field = type.fields[order[i]];
      if (field.number == number) {
        expected = i;
        return &field;
      }
      if (field.number > number) break;
    }
    for (std::size_t i = 0; i < std::min(expected, order.size()); ++i) {
      const Field& field = type.fields[order[i]];
      if (field.number == number) {
        expected = i;
        return &field;
      }
    }
    return nullptr;
  }

  static void SortMaps(const TypeInfo& type, void* object) {
    for (const Field& field : type.fields) {
      if (field.shape == Shape::kMap) MapSort(At(object, field), field);
    }
  }

  void ReadField(pbf_reader& reader, const Field& field, void* member) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        ReadValue(reader, field, member);
        return;
      case Shape::kOptional:
        if (field.kind == Kind::kMessage && !GetOptional(member, field)) {
          budget_.Spend(ElementSize(field));
        }
        ReadValue(reader, field, EmplaceOptional(member, field, /*keep=*/true));
        return;
      case Shape::kList:
        ReadListElement(reader, field, member);
        return;
      case Shape::kMap:
        ReadMapEntry(ReadMessage(reader), field, member);
        return;
    }
  }

  void ReadListElement(pbf_reader& reader, const Field& field, void* member) {
    const std::size_t size = ListSize(member, field);
    path_.SetIndex(size);
    const bool scalar = field.kind <= Kind::kDouble;
    if (scalar && reader.wire_type() == pbf_wire_type::length_delimited) {
      return ReadPacked(reader, field, member);
    }
    if (size == 0) {
      const std::size_t count = CountRun(reader);
      budget_.Require(count * ElementSize(field));
      ListReserve(member, field, count);
    }
    budget_.Spend(ElementSize(field));
    ReadValue(reader, field, ListGrow(member, field));
  }

  /// Upstream never packs numbers, but a protobuf reader has to understand both forms.
  void ReadPacked(pbf_reader& reader, const Field& field, void* member) {
    if (field.kind == Kind::kDouble) {
      for (const double value : reader.get_packed_double()) {
        As<double>(ListGrow(member, field)) = value;
      }
      return;
    }
    for (const std::int64_t value : reader.get_packed_int64()) {
      StoreInteger(value, field.kind, ListGrow(member, field));
    }
  }

  void ReadMapEntry(pbf_reader entry, const Field& field, void* member) {
    std::string_view key;
    // The value may come before the key, so it is looked up first and read after.
    pbf_reader value;
    bool has_value = false;
    while (entry.next()) {
      if (entry.tag() == 1) {
        key = ReadString(entry);
      } else if (entry.tag() == 2) {
        RequireWireType(entry, pbf_wire_type::length_delimited);
        value = entry;
        has_value = true;
        entry.skip();
      } else {
        entry.skip();
      }
    }
    path_.SetKey(key);
    budget_.Spend(ElementSize(field));
    void* slot = MapAppend(member, field, key);
    if (has_value) ReadValue(value, field, slot);
  }

  static void StoreInteger(std::int64_t value, Kind kind, void* slot) {
    if (kind == Kind::kBool) {
      As<bool>(slot) = value != 0;
    } else if (kind == Kind::kInt32) {
      As<std::int32_t>(slot) = NarrowInt32(value);
    } else {
      As<std::int64_t>(slot) = value;
    }
  }

  void ReadValue(pbf_reader& reader, const Field& field, void* slot) {
    switch (field.kind) {
      case Kind::kBool:
      case Kind::kInt32:
      case Kind::kInt64:
        return StoreInteger(ReadInt64(reader), field.kind, slot);
      case Kind::kDouble:
        RequireWireType(reader, pbf_wire_type::fixed64);
        As<double>(slot) = reader.get_double();
        return;
      case Kind::kString:
        As<std::string>(slot) = ReadString(reader);
        return;
      case Kind::kBytes:
        As<std::string>(slot) = ReadBytes(reader);
        return;
      case Kind::kMessage:
        return Message(ReadMessage(reader), *field.message, slot);
      case Kind::kStrings:
        return ReadStrings(ReadMessage(reader), As<std::vector<std::string>>(slot));
      case Kind::kRaw:
        As<RawJson>(slot).raw = ReadOnlyField(ReadMessage(reader));
        return;
      case Kind::kQuantity:
        return ReadQuantity(ReadMessage(reader), As<Quantity>(slot));
      case Kind::kIntOrString:
        return ReadIntOrString(ReadMessage(reader), As<IntOrString>(slot));
      case Kind::kTime: {
        const WireTimestamp time = ReadTimestamp(ReadMessage(reader));
        As<Time>(slot) = time.present ? Time::FromProto(time.seconds, time.nanos) : Time();
        return;
      }
      case Kind::kMicroTime: {
        const WireTimestamp time = ReadTimestamp(ReadMessage(reader));
        As<MicroTime>(slot) =
            time.present ? MicroTime::FromProto(time.seconds, time.nanos) : MicroTime();
        return;
      }
      case Kind::kDuration:
        return ReadDuration(ReadMessage(reader), As<Duration>(slot));
    }
  }

  static void ReadStrings(pbf_reader message, std::vector<std::string>& strings) {
    while (message.next()) {
      if (message.tag() == 1) {
        strings.emplace_back(ReadString(message));
      } else {
        message.skip();
      }
    }
  }

  static void ReadQuantity(pbf_reader message, Quantity& quantity) {
    if (message.length() == 0) return;
    auto parsed = Quantity::Parse(ReadOnlyField(message));
    if (!parsed) throw DecodeFailure{parsed.error().message()};
    quantity = *std::move(parsed);
  }

  static void ReadIntOrString(pbf_reader message, IntOrString& value) {
    std::int64_t type = 0;
    std::int32_t number = 0;
    std::string_view text;
    while (message.next()) {
      if (message.tag() == 1) {
        type = ReadInt64(message);
      } else if (message.tag() == 2) {
        number = NarrowInt32(ReadInt64(message));
      } else if (message.tag() == 3) {
        text = ReadString(message);
      } else {
        message.skip();
      }
    }
    auto made = IntOrString::FromProto(type, number, std::string(text));
    if (!made) throw DecodeFailure{made.error().message()};
    value = *std::move(made);
  }

  static void ReadDuration(pbf_reader message, Duration& duration) {
    while (message.next()) {
      if (message.tag() == 1) {
        duration.value = std::chrono::nanoseconds(ReadInt64(message));
      } else {
        message.skip();
      }
    }
  }

  const TypeInfo* const left_out_;
  DecodePath path_;
  MemoryBudget budget_;
};

}  // namespace

Result<> DecodeProtobuf(std::string_view bytes, const TypeInfo& type, void* object,
                        const TypeInfo* left_out) {
  Decoder decoder(bytes.size(), left_out);
  try {
    decoder.Message(pbf_reader(bytes.data(), bytes.size()), type, object);
    return {};
  } catch (const DecodeFailure& failure) {
    return Fail(ErrorCode::kMalformed, decoder.path().ToString(), failure.message);
  } catch (const protozero::exception& error) {
    return Fail(ErrorCode::kMalformed, decoder.path().ToString(),
                std::string("protobuf: ") + error.what());
  }
}

}  // namespace flyball::api

#include "flyball/api/hash_dump.h"

#include <charconv>
#include <span>

#include "flyball/api/internal/field_access.h"
#include "flyball/base/check.h"

namespace flyball::api {
namespace {

/// Collects the text.
class TextSink {
 public:
  void Add(char byte) { text_ += byte; }
  void Add(std::string_view bytes) { text_ += bytes; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

template <typename Sink>
class Dumper {
 public:
  explicit Dumper(Sink& sink) : sink_(sink) {}

  void Struct(const void* object, const TypeInfo& type) {
    FLYBALL_CHECK(type.go_prefixes.size() == type.fields.size(), type.name);
    sink_.Add('{');
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      if (i > 0) sink_.Add(' ');
      sink_.Add(type.go_prefixes[i]);
      Member(At(object, type.fields[i]), type.fields[i]);
    }
    sink_.Add('}');
  }

 private:
  void Member(const void* member, const Field& field) {
    switch (field.shape) {
      case Shape::kValue:
      case Shape::kInlined:
        return Value(member, field);
      case Shape::kOptional:
        if (const void* value = GetOptional(member, field)) return Value(value, field);
        return Nil();
      case Shape::kList:
        return List(member, field);
      case Shape::kMap:
        return Map(member, field);
    }
  }

  void List(const void* member, const Field& field) {
    const std::size_t size = ListSize(member, field);
    if (size == 0) return Nil();
    sink_.Add('[');
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) sink_.Add(' ');
      Value(ListAt(member, field, i), field);
    }
    sink_.Add(']');
  }

  void Map(const void* member, const Field& field) {
    const std::size_t size = MapSize(member, field);
    if (size == 0) return Nil();
    sink_.Add("map[");
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) sink_.Add(' ');
      sink_.Add(MapKey(member, field, i));
      sink_.Add(':');
      Value(MapValue(member, field, i), field);
    }
    sink_.Add(']');
  }

  void Value(const void* value, const Field& field) {
    switch (field.kind) {
      case Kind::kMessage:
        return Struct(value, *field.message);
      case Kind::kString:
        return sink_.Add(As<std::string>(value));
      case Kind::kBool:
        return Bool(As<bool>(value));
      case Kind::kInt32:
        return Int(As<std::int32_t>(value));
      case Kind::kInt64:
        return Int(As<std::int64_t>(value));
      case Kind::kQuantity:
        return Amount(As<Quantity>(value));
      case Kind::kIntOrString:
        return Either(As<IntOrString>(value));
      case Kind::kTime:
        return Moment(As<Time>(value));
      case Kind::kRaw:
        sink_.Add("{Raw:([]uint8)");
        Bytes(As<RawJson>(value).raw);
        return sink_.Add('}');
      case Kind::kBytes:
        return Bytes(As<std::string>(value));
      case Kind::kDouble:
      case Kind::kStrings:
      case Kind::kMicroTime:
      case Kind::kDuration:
        break;
    }
    FLYBALL_CHECK(false, "no type that upstream hashes has such a field");
  }

  void Nil() { sink_.Add("<nil>"); }
  void Bool(bool value) { sink_.Add(value ? "true" : "false"); }

  template <typename Integer>
  void Int(Integer value) {
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    sink_.Add(std::string_view(digits, end));
  }

  template <typename Numbers>
  void IntList(const Numbers& numbers) {
    if (numbers.empty()) return Nil();
    char before = '[';
    for (const auto number : numbers) {
      sink_.Add(before);
      Int(number);
      before = ' ';
    }
    sink_.Add(']');
  }

  void Bytes(const std::string& bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    IntList(std::span(data, bytes.size()));
  }

  void Amount(const Quantity& amount) {
    sink_.Add("{i:(resource.int64Amount){value:(int64)");
    Int(amount.fast_value());
    sink_.Add(" scale:(resource.Scale)");
    Int(amount.fast_scale());
    sink_.Add("} d:(resource.infDecAmount){Dec:(*inf.Dec)");
    if (const std::optional<Quantity::Decimal> decimal = amount.decimal()) {
      sink_.Add("{unscaled:(big.Int){neg:(bool)");
      Bool(decimal->negative);
      sink_.Add(" abs:(big.nat)");
      IntList(decimal->words);
      sink_.Add("} scale:(inf.Scale)");
      Int(decimal->scale);
      sink_.Add('}');
    } else {
      Nil();
    }
    sink_.Add("} s:(string)");
    sink_.Add(amount.cached_text());
    sink_.Add(" Format:(resource.Format)");
    sink_.Add(ToString(amount.format()));
    sink_.Add('}');
  }

  void Either(const IntOrString& value) {
    sink_.Add("{Type:(intstr.Type)");
    Int(value.IsString() ? 1 : 0);
    sink_.Add(" IntVal:(int32)");
    Int(value.number());
    sink_.Add(" StrVal:(string)");
    sink_.Add(value.text());
    sink_.Add('}');
  }

  /// Go counts from the year 1.
  void Moment(const Time& time) {
    constexpr auto kUnixEpoch = static_cast<std::uint64_t>(-Time().unix_seconds());
    sink_.Add("{Time:(time.Time){wall:(uint64)");
    Int(time.nanoseconds());
    sink_.Add(" ext:(int64)");
    Int(static_cast<std::int64_t>(static_cast<std::uint64_t>(time.unix_seconds()) + kUnixEpoch));
    sink_.Add(" loc:(*time.Location)");
    if (time.IsZero()) {
      Nil();
    } else {
      sink_.Add(
          "{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) "
          "cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}");
    }
    sink_.Add("}}");
  }

  Sink& sink_;
};

template <typename Sink>
void Dump(const void* object, const TypeInfo& type, Sink& sink) {
  sink.Add('(');
  sink.Add(type.package.substr(type.package.rfind('/') + 1));
  sink.Add('.');
  sink.Add(type.name);
  sink.Add(')');
  Dumper<Sink>(sink).Struct(object, type);
}

}  // namespace

void DumpForHash(const void* object, const TypeInfo& type, Fnv32a& sum) { Dump(object, type, sum); }

std::string DumpForHash(const void* object, const TypeInfo& type) {
  TextSink text;
  Dump(object, type, text);
  return text.Take();
}

}  // namespace flyball::api

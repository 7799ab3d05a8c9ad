#include "flyball/api/internal/json_leaf.h"

#include <charconv>
#include <cmath>

#include "flyball/api/base64.h"
#include "flyball/api/internal/decode_path.h"
#include "flyball/api/internal/field_access.h"
#include "flyball/api/internal/float64.h"
#include "flyball/api/json_reader.h"

namespace flyball::api {
namespace {

template <typename T>
T OrThrow(Result<T> result) {
  if (!result) throw DecodeFailure{result.error().message()};
  return *std::move(result);
}

/// As upstream: 1.0 and 1e3 are no integers.
template <typename T>
T ParseInteger(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw DecodeFailure{std::string(text) + " is out of the range of int" +
                        std::to_string(8 * sizeof(T))};
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    throw DecodeFailure{std::string(text) + " is not an integer"};
  }
  return value;
}

double ParseDouble(std::string_view text) {
  const std::optional<double> value = ParseFloat64(text);
  if (!value) throw DecodeFailure{std::string(text) + " is out of the range of float64"};
  return *value;
}

}  // namespace

bool SetLeafFromString(Kind kind, void* value, std::string_view text) {
  switch (kind) {
    case Kind::kString:
      As<std::string>(value) = text;
      return true;
    case Kind::kBytes:
      As<std::string>(value) = OrThrow(DecodeBase64(text));
      return true;
    case Kind::kQuantity:
      As<Quantity>(value) = OrThrow(Quantity::FromJson(text));
      return true;
    case Kind::kIntOrString:
      As<IntOrString>(value) = IntOrString(std::string(text));
      return true;
    case Kind::kTime:
      As<Time>(value) = OrThrow(Time::Parse(text));
      return true;
    case Kind::kMicroTime:
      As<MicroTime>(value) = OrThrow(MicroTime::Parse(text));
      return true;
    case Kind::kDuration:
      As<Duration>(value) = OrThrow(Duration::Parse(text));
      return true;
    default:
      return false;
  }
}

bool SetLeafFromNumber(Kind kind, void* value, std::string_view text) {
  switch (kind) {
    case Kind::kInt32:
      As<std::int32_t>(value) = ParseInteger<std::int32_t>(text);
      return true;
    case Kind::kInt64:
      As<std::int64_t>(value) = ParseInteger<std::int64_t>(text);
      return true;
    case Kind::kDouble:
      As<double>(value) = ParseDouble(text);
      return true;
    case Kind::kQuantity:
      As<Quantity>(value) = OrThrow(Quantity::FromJson(text));
      return true;
    case Kind::kIntOrString:
      As<IntOrString>(value) = IntOrString(ParseInteger<std::int32_t>(text));
      return true;
    default:
      return false;
  }
}

void SendLeaf(Kind kind, const void* value, JsonSink& sink) {
  switch (kind) {
    case Kind::kBool:
      return sink.Bool(As<bool>(value));
    case Kind::kInt32:
      return sink.Int(As<std::int32_t>(value));
    case Kind::kInt64:
      return sink.Int(As<std::int64_t>(value));
    case Kind::kDouble:
      if (!std::isfinite(As<double>(value))) throw DecodeFailure{"JSON has no such number"};
      return sink.Double(As<double>(value));
    case Kind::kString:
      return sink.String(As<std::string>(value));
    case Kind::kBytes:
      return sink.String(EncodeBase64(As<std::string>(value)));
    case Kind::kStrings:
      sink.BeginArray();
      for (const auto& text : As<std::vector<std::string>>(value)) sink.String(text);
      return sink.EndArray();
    case Kind::kQuantity:
      return sink.String(As<Quantity>(value).ToString());
    case Kind::kIntOrString: {
      const auto& either = As<IntOrString>(value);
      return either.IsString() ? sink.String(either.text()) : sink.Int(either.number());
    }
    case Kind::kTime:
      return As<Time>(value).IsZero() ? sink.Null() : sink.String(As<Time>(value).ToString());
    case Kind::kMicroTime:
      return As<MicroTime>(value).IsZero() ? sink.Null()
                                           : sink.String(As<MicroTime>(value).ToString());
    case Kind::kDuration:
      return sink.String(As<Duration>(value).ToString());
    case Kind::kRaw: {
      const std::string& raw = As<RawJson>(value).raw;
      return raw.empty() ? sink.Null() : ReadJsonOrThrow(raw, sink);
    }
    case Kind::kMessage:
      return;
  }
}

}  // namespace flyball::api

/// Input: a byte that picks a leaf type, then its text, or the number that makes one.
#include <cctype>
#include <chrono>
#include <cstring>

#include "flyball/api/base64.h"
#include "flyball/api/duration.h"
#include "flyball/api/int_or_string.h"
#include "flyball/api/internal/fuzz_property.h"
#include "flyball/api/internal/yaml_scalar.h"
#include "flyball/api/label_validation.h"
#include "flyball/api/time.h"

namespace flyball::api {
namespace {

std::int64_t TakeInt64(std::string_view& input) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits = bits << 8 | TakeByte(input);
  return static_cast<std::int64_t>(bits);
}

/// What the text form shows of a moment.
Time Shown(const Time& time) { return time.WholeSeconds(); }
MicroTime Shown(const MicroTime& time) {
  return MicroTime::FromUnix(time.unix_seconds(), time.nanoseconds() / 1000 * 1000);
}

template <TimeForm kForm>
void CheckTime(const BasicTime<kForm>& time) {
  const std::string text = time.ToString();
  const bool four_digits = text.find('-') == 4;  // other years can be written but not read
  const auto again = BasicTime<kForm>::Parse(text);
  if (four_digits) {
    FLYBALL_CHECK(again, text);
    FLYBALL_CHECK(*again == Shown(time), text);
  }
  FLYBALL_CHECK(
      BasicTime<kForm>::FromProto(time.unix_seconds(), time.ProtoNanoseconds()) == Shown(time),
      text);
  FLYBALL_CHECK(time - time == std::chrono::nanoseconds(0), text);
}

template <typename T>
void CheckTimeText(std::string_view text) {
  const auto time = T::Parse(text);
  if (!time) return CheckRefusal(time.error());
  CheckTime(*time);
}

template <typename T>
void CheckTimeNumbers(std::string_view input) {
  const std::int64_t seconds = TakeInt64(input);
  const auto nanoseconds = static_cast<std::int32_t>(TakeInt64(input));
  const auto distance = std::chrono::nanoseconds(TakeInt64(input));
  const T time = T::FromProto(seconds, nanoseconds);
  CheckTime(time);
  (void)(time + distance).ToString();
  (void)(time - distance).ToString();
  constexpr std::int64_t kFar = 1LL << 61;  // from here the sum cannot leave the range
  if (seconds > -kFar && seconds < kFar && distance.count() != INT64_MIN) {
    FLYBALL_CHECK(time + distance - distance == time, "t + d - d is not t");
    FLYBALL_CHECK((time + distance) - time == distance, "(t + d) - t is not d");
  }
}

void CheckDuration(std::chrono::nanoseconds duration) {
  const std::string text = FormatDuration(duration);
  const auto again = ParseDuration(text);
  FLYBALL_CHECK(again && *again == duration, text);
}

void CheckDurationText(std::string_view text) {
  const auto duration = ParseDuration(text);
  if (!duration) return CheckRefusal(duration.error());
  CheckDuration(*duration);
}

void CheckBase64(std::string_view text) {
  const auto round = DecodeBase64(EncodeBase64(text));
  FLYBALL_CHECK(round && *round == text, "bytes change in base64");
  const auto bytes = DecodeBase64(text);
  if (!bytes) return CheckRefusal(bytes.error());
  const auto again = DecodeBase64(EncodeBase64(*bytes));
  FLYBALL_CHECK(again && *again == *bytes, "bytes change in base64");
}

void CheckIntOrString(std::string_view text) {
  const IntOrString value = IntOrString::Parse(text);
  const std::string printed = value.ToString();
  FLYBALL_CHECK(!value.IsString() || printed == text, printed);
  FLYBALL_CHECK(IntOrString::Parse(printed) == value, printed);
  for (const std::int64_t total : {std::int64_t{0}, std::int64_t{10}, INT64_MAX, INT64_MIN}) {
    const auto up = value.ScaledValue(total, true);
    const auto down = value.ScaledValue(total, false);
    FLYBALL_CHECK(up.has_value() == down.has_value(), printed);
    if (!up) {
      CheckRefusal(up.error());
    } else {
      FLYBALL_CHECK(total != 10 || (*down <= *up && *up - *down <= 1), printed);
    }
  }
  (void)value.IntValue();
}

/// By the definition of UTF-8 and nothing else: decode each character, encode it, compare.
bool IsUtf8ByDefinition(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<std::uint8_t>(text[0]);
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 4;
    if ((lead >= 0x80 && lead < 0xc0) || lead >= 0xf8 || text.size() < length) return false;
    std::uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      const auto next = static_cast<std::uint8_t>(text[i]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3fU);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[length] || code > 0x10ffff || code >> 11 == 0x1b) return false;
    text.remove_prefix(length);
  }
  return true;
}

void CheckNames(std::string_view text) {
  FLYBALL_CHECK(IsValidUtf8(text) == IsUtf8ByDefinition(text), "not the same UTF-8");
  for (const auto& valid : {ValidateQualifiedName(text), ValidateLabelValue(text),
                            ValidateDns1123Label(text), ValidateDns1123Subdomain(text)}) {
    if (!valid) {
      CheckRefusal(valid.error());
      continue;
    }
    FLYBALL_CHECK(text.size() <= kDns1123SubdomainMaxLength + 1 + kLabelNameMaxLength, text);
    for (const char c : text) {
      FLYBALL_CHECK(std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-_./", c), text);
    }
  }
  (void)ResolveYamlScalar(text);
}

}  // namespace
}  // namespace flyball::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flyball::api;  // NOLINT(google-build-using-namespace)
  std::string_view input = FuzzInput(data, size);
  switch (TakeByte(input) % 9) {
    case 0:
      CheckTimeText<Time>(input);
      break;
    case 1:
      CheckTimeText<MicroTime>(input);
      break;
    case 2:
      CheckTimeNumbers<Time>(input);
      break;
    case 3:
      CheckTimeNumbers<MicroTime>(input);
      break;
    case 4:
      CheckDurationText(input);
      break;
    case 5:
      CheckDuration(std::chrono::nanoseconds(TakeInt64(input)));
      break;
    case 6:
      CheckBase64(input);
      break;
    case 7:
      CheckIntOrString(input);
      break;
    default:
      CheckNames(input);
  }
  return 0;
}

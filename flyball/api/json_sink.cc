#include "flyball/api/json_sink.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "flyball/base/check.h"

namespace flyball::api {

void JsonSink::Int(std::int64_t value) {
  std::array<char, 24> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  Number({buffer.data(), end});
}

void JsonSink::Double(double value) {
  FLYBALL_CHECK(std::isfinite(value), "JSON has no such number");
  std::array<char, 64> buffer;
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-6 || size >= 1e21)) {
    char* end = std::to_chars(begin, limit, value, std::chars_format::scientific).ptr;
    // Go drops the zero that pads a negative one-digit exponent: 1e-07 becomes 1e-7.
    if (end - begin > 4 && end[-4] == 'e' && end[-3] == '-' && end[-2] == '0') {
      end[-2] = end[-1];
      --end;
    }
    return Number({begin, end});
  }
  constexpr double kExactIntegers = 1LL << 53;
  if (size < kExactIntegers) {
    return Number({begin, std::to_chars(begin, limit, value, std::chars_format::fixed).ptr});
  }
  // Go fills up with zeros where to_chars would give the digits of the exact value: after
  // 1.2345678901234567e+19 comes 12345678901234567000, not ...168.
  char* end = std::to_chars(begin, limit, value, std::chars_format::scientific).ptr;
  const std::string_view text(begin, end);
  const std::size_t exponent_at = text.find('e');
  int exponent = 0;
  std::from_chars(begin + exponent_at + 2, end, exponent);
  std::string digits(text.substr(0, exponent_at));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  Number(digits.append(static_cast<std::size_t>(exponent), '0'));
}

}  // namespace flyball::api

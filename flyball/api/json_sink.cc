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
  constexpr double kExact = 1LL << 53;
  if (size < kExact) {
    return Number({begin, std::to_chars(begin, limit, value, std::chars_format::fixed).ptr});
  }
  // Beyond this to_chars gives all digits of the integer, where Go puts zeros behind the shortest
  // ones: "1.5e+20" becomes "150000000000000000000".
  const char* const end = std::to_chars(begin, limit, value, std::chars_format::scientific).ptr;
  const std::string_view shortest(begin, end);
  const std::size_t e = shortest.find('e');
  std::size_t exponent = 0;
  std::from_chars(begin + e + 2, end, exponent);
  std::string digits(shortest.substr(0, e));
  std::erase(digits, '.');
  digits.append(exponent + 1 + (value < 0 ? 1 : 0) - digits.size(), '0');
  Number(digits);
}

}  // namespace flyball::api

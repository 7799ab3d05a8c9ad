#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flyball/api/quantity.h"

namespace flyball::api {

/// A quantity's text taken apart, nothing computed yet. The views point into the text.
struct QuantitySyntax {
  bool negative = false;
  std::string_view number;    ///< sign, digits and point, as written
  std::string_view whole;     ///< digits before the point, no leading zeros, "0" if none are left
  std::string_view fraction;  ///< digits after the point
  bool binary = false;        ///< the suffix stands for 2^exponent, not 10^exponent
  std::int32_t exponent = 0;
  Quantity::Format format = Quantity::Format::kDecimalSi;
};

Result<QuantitySyntax> ScanQuantity(std::string_view text);

/// The suffix for 10^exponent, if the format has one.
std::optional<std::string> DecimalSuffix(std::int64_t exponent, Quantity::Format format);
/// The suffix for 1024^power, power in 0..6.
std::string_view BinarySuffix(int power);

}  // namespace flyball::api

#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

/// Values as Go's standard library reads and writes them: what it accepts, to the last prefix and
/// underscore, and the words with which it refuses, since people search for those.
namespace flyball::manager::flags {

/// 1, t, T, TRUE, true, True and their opposites.
Result<bool> ParseBool(std::string_view text);

/// With a sign, and in the base that its prefix says: 10, 0x1f, 0b1, 0o17, 017, 1_000.
Result<std::int64_t> ParseInt(std::string_view text, int bits);

/// Decimal digits and nothing else.
Result<std::uint64_t> ParseUint(std::string_view text, int bits);

/// Decimal or hexadecimal, "inf" and "nan" too; beyond the largest of that size is an error.
Result<double> ParseFloat(std::string_view text, int bits);

/// The shortest digits that give the number back, with an exponent for what is long: 0.1, 1e+06.
std::string FormatFloat(float number);
std::string FormatFloat(double number);

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

/// Without the white space around it.
std::string_view TrimSpace(std::string_view text);

/// `"a \"b\""`.
std::string Quote(std::string_view text);

/// The fields of one record of comma-separated values, quoted where they have to be. No text is no
/// fields.
Result<std::vector<std::string>> ReadCsv(std::string_view text);
std::string WriteCsv(const std::vector<std::string>& fields);

/// What errno means: "no such file or directory".
std::string ErrnoText(int error);

}  // namespace flyball::manager::flags

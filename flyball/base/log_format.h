#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "flyball/base/log_field.h"

namespace flyball {

enum class LogFormat { kText, kJson };

// How values look in a log line, byte for byte as klog and Kubernetes' JSON logs have them, since
// people parse those. All of these append to `out`; any bytes will do as input.

/// Go's strconv.Quote: "a \"b\"\n\x00".
void AppendGoQuoted(std::string& out, std::string_view text);

/// With its quotes. Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

/// ` key="value"`, and a value of several lines indented between `=<` and ` >`.
void AppendTextField(std::string& out, std::string_view key, const LogValue& value);

/// `,"key":"value"`.
void AppendJsonField(std::string& out, std::string_view key, const LogValue& value);

/// Either of the two.
void AppendField(std::string& out, LogFormat format, std::string_view key, const LogValue& value);

/// The shortest digits that give this number back, without an exponent.
void AppendDecimal(std::string& out, double number);

/// As Go's time.Duration prints: 1h2m3.5s, 1.5ms, 0s.
std::string FormatDuration(std::chrono::nanoseconds duration);

/// RFC 3339 in UTC, with as many digits of a second as it has: 2026-01-01T00:00:00.5Z.
std::string FormatWallTime(WallTime time);

}  // namespace flyball

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

/// The rules that names, label keys and label values must follow. Each function answers kInvalid
/// with the first rule broken; the message says what is wrong and quotes nothing, so that callers
/// put the offending text where it reads best. Lengths are in bytes. Valid input costs no
/// allocation.
namespace flyball::api {

inline constexpr std::size_t kLabelNameMaxLength = 63;
inline constexpr std::size_t kLabelValueMaxLength = 63;
inline constexpr std::size_t kDns1123LabelMaxLength = 63;
inline constexpr std::size_t kDns1123SubdomainMaxLength = 253;

/// A label or annotation key: `name`, or `prefix/name` with a DNS subdomain as the prefix.
[[nodiscard]] Result<> ValidateQualifiedName(std::string_view name);

/// A label's value: empty, or up to 63 letters, digits, '-', '_' and '.' between two alphanumerics.
[[nodiscard]] Result<> ValidateLabelValue(std::string_view value);

/// One segment of a DNS name: what a namespace or a Service is called.
[[nodiscard]] Result<> ValidateDns1123Label(std::string_view label);

/// Segments joined by dots: what most objects are called.
/// PARITY: only the whole is limited in length, its segments are not.
[[nodiscard]] Result<> ValidateDns1123Subdomain(std::string_view name);

/// Text from outside, made fit for an error message or a log line: in double quotes, cut when it is
/// long, and every byte that is not printable ASCII as `\xNN`. That is also what a person needs: a
/// no-break space pasted into a selector is seen only this way.
std::string QuoteForMessage(std::string_view text);

}  // namespace flyball::api

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::manager {

/// Whether upstream would take these values of flags: "VersionTLS12", Go's names of suites, Go's
/// numbers of curves. What they mean to a server, flyball/serving knows.
Result<> CheckTlsFlags(std::string_view min_version, const std::vector<std::string>& cipher_suites,
                       const std::vector<std::int32_t>& curves);

/// The names of suites that --help recommends, or those that it does not, with ", " between them.
std::string CipherSuiteNames(bool insecure);

}  // namespace flyball::manager

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::manager {

enum class TlsVersion : std::uint8_t { kTls10, kTls11, kTls12, kTls13 };

/// What a server speaks, in OpenSSL's names. Empty lists are OpenSSL's own choice.
struct TlsProfile {
  TlsVersion min_version = TlsVersion::kTls12;
  /// For TLS up to 1.2. The suites of 1.3 are not chosen, here as in Go.
  std::vector<std::string> ciphers = {};
  std::vector<std::string> groups = {};

  /// From the flags' values: "VersionTLS12", Go's names of suites, Go's numbers of curves.
  static Result<TlsProfile> Make(std::string_view min_version,
                                 const std::vector<std::string>& cipher_suites,
                                 const std::vector<std::int32_t>& curves);

  friend bool operator==(const TlsProfile&, const TlsProfile&) = default;
};

/// The names of suites that --help recommends, or those that it does not, with ", " between them.
std::string CipherSuiteNames(bool insecure);

}  // namespace flyball::manager

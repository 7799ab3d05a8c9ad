#include "flyball/manager/options/tls_profile.h"

#include <algorithm>
#include <array>
#include <limits>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager {
namespace {

struct CipherSuite {
  std::string_view name;     ///< Go's
  std::string_view openssl;  ///< empty: of TLS 1.3
  bool insecure = false;
};

constexpr CipherSuite kSuites[] = {
    {"TLS_AES_128_GCM_SHA256", ""},
    {"TLS_AES_256_GCM_SHA384", ""},
    {"TLS_CHACHA20_POLY1305_SHA256", ""},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA", true},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA", true},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256", true},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256", true},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA", true},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384", true},
    {"TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA", true},
};

struct Curve {
  std::int32_t id;
  std::string_view openssl;
};

constexpr Curve kCurves[] = {
    {23, "P-256"},
    {24, "P-384"},
    {25, "P-521"},
    {29, "X25519"},
    {4587, "SecP256r1MLKEM768"},
    {4588, "X25519MLKEM768"},
    {4589, "SecP384r1MLKEM1024"},
};

Result<std::vector<std::string>> Ciphers(const std::vector<std::string>& names) {
  std::vector<std::string> ciphers;
  for (const std::string& name : names) {
    const auto* const suite = std::ranges::find(kSuites, name, &CipherSuite::name);
    if (suite == std::ranges::end(kSuites)) {
      return Refuse("Cipher suite " + name + " not supported or doesn't exist");
    }
    if (!suite->openssl.empty()) ciphers.emplace_back(suite->openssl);
  }
  return ciphers;
}

Result<std::vector<std::string>> Groups(const std::vector<std::int32_t>& ids) {
  constexpr std::int32_t kMost = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::string> groups;
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    const std::string shown = std::to_string(*id);
    if (*id <= 0 || *id > kMost) {
      return Refuse("curve preference " + shown + " is out of range (must be 1-" +
                    std::to_string(kMost) + ")");
    }
    if (std::find(ids.begin(), id, *id) != id) {
      return Refuse("duplicate curve preference " + shown);
    }
    const auto* const curve = std::ranges::find(kCurves, *id, &Curve::id);
    if (curve == std::ranges::end(kCurves)) {
      return Refuse("curve preference " + shown + " is not supported by the current Go version");
    }
    groups.emplace_back(curve->openssl);
  }
  return groups;
}

}  // namespace

Result<TlsProfile> TlsProfile::Make(std::string_view min_version,
                                    const std::vector<std::string>& cipher_suites,
                                    const std::vector<std::int32_t>& curves) {
  constexpr std::array<std::string_view, 4> kVersions = {"VersionTLS10", "VersionTLS11",
                                                         "VersionTLS12", "VersionTLS13"};
  TlsProfile profile;
  FLYBALL_TRY(profile.ciphers, Ciphers(cipher_suites));
  FLYBALL_TRY(profile.groups, Groups(curves));
  if (min_version.empty()) return profile;
  const auto* const version = std::ranges::find(kVersions, min_version);
  if (version == kVersions.end()) return Refuse("unknown tls version " + flags::Quote(min_version));
  profile.min_version = static_cast<TlsVersion>(version - kVersions.begin());
  return profile;
}

std::string CipherSuiteNames(bool insecure) {
  std::string names;
  for (const CipherSuite& suite : kSuites) {
    if (suite.insecure != insecure) continue;
    names.append(names.empty() ? "" : ", ").append(suite.name);
  }
  return names;
}

}  // namespace flyball::manager

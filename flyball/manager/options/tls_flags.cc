#include "flyball/manager/options/tls_flags.h"

#include <algorithm>
#include <limits>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager {
namespace {

struct CipherSuite {
  std::string_view name;
  bool insecure = false;
};

constexpr CipherSuite kSuites[] = {
    {"TLS_AES_128_GCM_SHA256"},
    {"TLS_AES_256_GCM_SHA384"},
    {"TLS_CHACHA20_POLY1305_SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", true},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", true},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", true},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", true},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", true},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", true},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", true},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", true},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", true},
    {"TLS_RSA_WITH_RC4_128_SHA", true},
};

constexpr std::int32_t kCurves[] = {23, 24, 25, 29, 4587, 4588, 4589};
constexpr std::string_view kVersions[] = {"", "VersionTLS10", "VersionTLS11", "VersionTLS12",
                                          "VersionTLS13"};

template <typename Range, typename Value>
bool Contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

Result<> CheckCurves(const std::vector<std::int32_t>& ids) {
  constexpr std::int32_t kMost = std::numeric_limits<std::uint16_t>::max();
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    const std::string shown = std::to_string(*id);
    if (*id <= 0 || *id > kMost) {
      return Refuse("curve preference " + shown + " is out of range (must be 1-" +
                    std::to_string(kMost) + ")");
    }
    if (std::find(ids.begin(), id, *id) != id) {
      return Refuse("duplicate curve preference " + shown);
    }
    if (!Contains(kCurves, *id)) {
      return Refuse("curve preference " + shown + " is not supported by the current Go version");
    }
  }
  return {};
}

}  // namespace

Result<> CheckTlsFlags(std::string_view min_version, const std::vector<std::string>& cipher_suites,
                       const std::vector<std::int32_t>& curves) {
  for (const std::string& name : cipher_suites) {
    if (std::ranges::find(kSuites, name, &CipherSuite::name) == std::ranges::end(kSuites)) {
      return Refuse("Cipher suite " + name + " not supported or doesn't exist");
    }
  }
  FLYBALL_TRY(CheckCurves(curves));
  if (Contains(kVersions, min_version)) return {};
  return Refuse("unknown tls version " + flags::Quote(min_version));
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

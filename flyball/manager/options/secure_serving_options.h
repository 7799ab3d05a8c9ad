#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options/tls_flags.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

/// Where /healthz, /metrics and the like are served, and with which certificate.
struct SecureServingOptions {
  flags::IpAddress bind_address = {"0.0.0.0"};
  std::int64_t port = 10257;  ///< 0: nowhere
  bool disable_http2 = false;
  std::string certificate_dir = {};  ///< for a certificate of our own making; empty: kept in memory
  std::string certificate_file = {};
  std::string private_key_file = {};
  std::vector<std::string> cipher_suites = {};
  std::vector<std::int32_t> curve_preferences = {};
  std::string min_tls_version = {};
  std::vector<flags::NamedCertificate> named_certificates = {};
  std::int64_t http2_max_streams = 0;  ///< 0: the server's own limit
  bool permit_port_sharing = false;
  bool permit_address_sharing = false;

  void AddFlags(flags::FlagSection& section);
  void Check(Problems& problems) const;
  Result<> CheckTls() const {
    return CheckTlsFlags(min_tls_version, cipher_suites, curve_preferences);
  }
};

}  // namespace flyball::manager

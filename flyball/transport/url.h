#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

namespace flyball::transport {

/// Where a server or a proxy is.
struct Url {
  std::string scheme;  ///< "https", "http", "socks5"
  std::string user;    ///< both with escapes resolved; only proxies have them
  std::string password;
  std::string host;  ///< without the brackets of an IPv6 address
  std::uint16_t port = 0;
  std::string path;  ///< what stands before every target; never ends in a slash

  /// "host:port", with brackets where the host needs them.
  std::string Authority() const;
  /// Reads an absolute URL. A text without a scheme is `default_scheme`'s, if there is one:
  /// "10.0.0.1:8080".
  static Result<Url> Parse(std::string_view text, std::string_view default_scheme = {});

  friend bool operator==(const Url&, const Url&) = default;
};

}  // namespace flyball::transport

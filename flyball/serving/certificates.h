#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"

namespace flyball::serving {

/// A certificate and the key that goes with it, PEM both.
struct Certificate {
  std::string certificate_pem = {};
  std::string key_pem = {};

  friend bool operator==(const Certificate&, const Certificate&) = default;
};

/// What a certificate shall say. All have EC keys on P-256.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations = {};  ///< an API server takes them for groups
  /// Of a server: names and addresses, "localhost", "127.0.0.1", "::1". None: it is a client's.
  std::vector<std::string> names = {};
  std::chrono::seconds valid_for = std::chrono::days(365);
};

/// Signs certificates for those who start without any: embedded servers, and tests. A value; any
/// thread may use it.
class CertificateAuthority {
 public:
  /// A new one, which signs itself.
  static Result<CertificateAuthority> Make(
      const std::string& common_name, WallTime now,
      std::chrono::seconds valid_for = std::chrono::days(3650));
  /// One that was made before.
  explicit CertificateAuthority(Certificate self) : self_(std::move(self)) {}

  const Certificate& self() const { return self_; }
  /// Valid from a while before `now`, for clocks that are late.
  Result<Certificate> Issue(const CertificateSubject& subject, WallTime now) const;

 private:
  Certificate self_;
};

}  // namespace flyball::serving

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/serving/http_server.h"

namespace flyball::endpoints {

/// A certificate and its key, by the names of their files.
struct CertificateFiles {
  std::string certificate = {};
  std::string key = {};
};

/// --tls-sni-cert-key
struct NamedCertificateFiles {
  CertificateFiles files = {};
  std::vector<std::string> names = {};
};

/// Where a server takes what it proves itself with.
struct ServingCertificateOptions {
  CertificateFiles files = {};  ///< --tls-cert-file, --tls-private-key-file
  /// --cert-dir: without files, a pair is looked for here, and made if there is none. Empty: it is
  /// made anew in each process, and not written down.
  std::string folder = {};
  std::string pair_name = "kube-controller-manager";
  std::vector<NamedCertificateFiles> named = {};
  /// Where it serves, for what it makes itself.
  std::string bind_address = "0.0.0.0";
};

/// Finds or makes the certificate of a server, and reads it again when asked. Not for several
/// threads at once.
class ServingCertificate {
 public:
  static Result<ServingCertificate> Create(ServingCertificateOptions options, WallTime now);

  /// Puts what the files hold now into a server's options.
  Result<> ReadInto(serving::TlsOptions& tls) const;

 private:
  explicit ServingCertificate(ServingCertificateOptions options) : options_(std::move(options)) {}

  ServingCertificateOptions options_;
  serving::Certificate made_;  // where there are no files
};

}  // namespace flyball::endpoints

#pragma once

#include <string>
#include <vector>

#include "flyball/serving/certificates.h"

namespace flyball::scripted {

struct Identity {
  std::string certificate;  ///< PEM, as is the key
  std::string key;
};

/// A certificate authority that lives as long as a test.
class Authority {
 public:
  Authority();
  const std::string& certificate() const { return self_.self().certificate_pem; }
  /// For who signs in its name.
  const std::string& key() const { return self_.self().key_pem; }
  /// For a server with these names, "DNS:localhost,IP:127.0.0.1", or for a client with none. An API
  /// server takes the organizations for the client's groups.
  Identity Issue(const std::string& common_name, const std::string& names = "",
                 const std::vector<std::string>& organizations = {},
                 long valid_seconds = 3600) const;

 private:
  const serving::CertificateAuthority self_;
};

}  // namespace flyball::scripted

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/result.h"
#include "flyball/transport/http.h"

namespace flyball::serving {

/// What a client's certificate says of it.
struct ClientCertificate {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> uids = {};  ///< Kubernetes' own attribute, 1.3.6.1.4.1.57683.2
  WallTime not_after = {};
  std::string sha256 = {};      ///< of the whole, in hexadecimal digits
  std::string identifier = {};  ///< for people: "SN=2, SKID=..., AKID=..."

  static Result<ClientCertificate> Read(const std::string& der);
};

/// Authorities that clients' certificates may come from. A value; any thread.
class ClientRoots {
 public:
  /// Each of a bundle in PEM, of which there must be one.
  static Result<ClientRoots> Parse(const std::string& pem);

  /// Whether the first of these comes from one of the authorities, by way of the others, is for
  /// clients, and is valid now.
  Result<> Verify(const transport::CertificateChain& chain, WallTime now) const;

 private:
  struct Store;
  explicit ClientRoots(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

  std::shared_ptr<const Store> store_;
};

}  // namespace flyball::serving

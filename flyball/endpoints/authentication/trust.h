#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/result.h"
#include "flyball/endpoints/authentication/front_proxy.h"
#include "flyball/serving/client_certificate.h"

namespace flyball::endpoints {

/// A bundle of authorities, as text and ready for use.
struct Authorities {
  std::string pem;
  serving::ClientRoots roots;

  static Result<Authorities> Parse(std::string pem);
};

/// Whose certificates are believed, and what for. A value.
struct Trust {
  std::optional<Authorities> clients = {};    ///< of those who ask for themselves
  std::optional<Authorities> proxies = {};    ///< of those who say for whom they ask
  std::vector<std::string> proxy_names = {};  ///< of their certificates; none: any will do
  FrontProxyHeaders proxy_headers = {};

  /// All authorities, for a server to ask for certificates of.
  std::string AllRoots() const;
};

/// Which parts of the trust are the cluster's to say.
struct ClusterTrustParts {
  bool clients = false;
  bool proxies = false;
};

/// What the API server lets others know of whom it trusts, in the configmap
/// kube-system/extension-apiserver-authentication, put into `trust`. What is missing in it, or does
/// not parse, stays as it was; then the error says what.
Result<> ReadClusterTrust(const core::v1::ConfigMap& map, ClusterTrustParts parts, Trust& trust);

}  // namespace flyball::endpoints

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/result.h"
#include "flyball/endpoints/authentication/front_proxy.h"
#include "flyball/serving/client_certificate.h"

namespace flyball::endpoints {

/// A bundle of CA certificates, as PEM and ready for use.
struct CaBundle {
  std::string pem;
  serving::ClientRoots roots;

  static Result<CaBundle> Parse(std::string pem);
};

/// Which client certificates are accepted, and for what: of clients, and of front proxies that send
/// a user's name in headers. (Upstream's ClusterAuthenticationInfo.) A value.
struct ClusterAuthenticationInfo {
  std::optional<CaBundle> clients = {};       ///< --client-ca-file, or the configmap's
  std::optional<CaBundle> proxies = {};       ///< --requestheader-client-ca-file, likewise
  std::vector<std::string> proxy_names = {};  ///< of their certificates; none: any will do
  FrontProxyHeaders proxy_headers = {};

  /// All CA certificates, which the server names when it requests a client certificate.
  std::string AllRoots() const;
};

/// Which parts come from the cluster's configmap.
struct ClusterAuthenticationParts {
  bool clients = false;
  bool proxies = false;
};

/// Reads the configmap kube-system/extension-apiserver-authentication, in which the API server
/// publishes its client CA and front proxy settings, into `authentication_info`. What is missing in
/// it, or does not parse, stays as it was; then the error says what.
Result<> ReadClusterAuthenticationInfo(const core::v1::ConfigMap& map,
                                       ClusterAuthenticationParts parts,
                                       ClusterAuthenticationInfo& authentication_info);

}  // namespace flyball::endpoints

#pragma once

#include <optional>
#include <string>

#include "flyball/api/json.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/environment.h"
#include "flyball/client/kubeconfig.h"
#include "flyball/transport/url.h"

/// Where the API server is and how we prove who we are: from a kubeconfig, from flags, or from what
/// a pod finds in its file system. Follows client-go's clientcmd.
namespace flyball::client {

/// Bytes that stand in the configuration itself, or in a file of their own, which may change.
struct ConfigBytes {
  std::string data;
  std::string file;
  std::string where;  ///< which field says so: what errors name

  bool empty() const { return data.empty() && file.empty(); }
  friend bool operator==(const ConfigBytes&, const ConfigBytes&) = default;
};

struct AccessConfig {
  transport::Url server;
  std::optional<transport::Url> proxy;  ///< the configuration's, else the environment's
  std::string server_text;              ///< as it was written, for exec plugins
  std::string proxy_text;               ///< of the configuration only
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  bool disable_compression = false;
  std::string namespace_ = "default";

  ConfigBytes certificate_authority;
  ConfigBytes client_certificate;
  ConfigBytes client_key;
  /// With both, the file counts whenever it can be read.
  ConfigBytes token;
  Impersonation impersonation;
  std::optional<ExecConfig> exec;
  api::Json exec_extension;  ///< what the cluster has for the plugin; null if nothing

  friend bool operator==(const AccessConfig&, const AccessConfig&) = default;
};

struct AccessOverrides {
  std::string context = {};  ///< instead of the current one
  std::string server = {};   ///< --master: instead of the cluster's
};

/// What a client makes of a kubeconfig; nothing if it says nothing of a cluster. Only what the
/// chosen context refers to is looked at.
Result<std::optional<AccessConfig>> ResolveAccess(const Kubeconfig& kubeconfig,
                                                  const AccessOverrides& overrides,
                                                  const Logger& log);

/// For a process in a pod, with its service account.
Result<AccessConfig> InClusterAccess(const Environment& environment, const Logger& log);

/// For a component of the cluster, by its flags --kubeconfig and --master: if there is neither, it
/// runs in a pod. KUBECONFIG is not looked at, as upstream.
Result<AccessConfig> ComponentAccess(const std::string& kubeconfig, const std::string& master,
                                     const Environment& environment, const Logger& log);

/// For a tool that people run: the file that --kubeconfig names, which must be there, or those of
/// DefaultKubeconfigFiles(), or else what a pod has.
Result<AccessConfig> ToolAccess(const std::string& kubeconfig, const AccessOverrides& overrides,
                                const Environment& environment, const Logger& log);

}  // namespace flyball::client

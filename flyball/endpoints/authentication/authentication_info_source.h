#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/client.h"
#include "flyball/endpoints/authentication/cluster_authentication_info.h"

namespace flyball::endpoints {

/// Where the CA bundles come from.
struct AuthenticationInfoOptions {
  std::string clients_file = {};              ///< --client-ca-file
  std::string proxies_file = {};              ///< --requestheader-client-ca-file
  std::vector<std::string> proxy_names = {};  ///< --requestheader-allowed-names, and so on
  FrontProxyHeaders proxy_headers = {};
  bool skip_lookup = false;              ///< --authentication-skip-lookup
  bool tolerate_lookup_failure = false;  ///< --authentication-tolerate-lookup-failure
};

/// The current ClusterAuthenticationInfo. A part that a file is given for is read from the file;
/// the rest from the cluster's configmap kube-system/extension-apiserver-authentication, which is
/// watched. A part that becomes unreadable stays as it was.
///
/// Any thread.
class AuthenticationInfoSource {
 public:
  struct Deps {
    std::optional<client::Client> client = {};  ///< none: the cluster is not asked
    Executor& executor;
    Timers& timers;
    std::function<double()> random;  ///< between 0 and 1
    Logger log = {};
  };

  /// Reads the files, and asks the cluster once: what must be there and is not is an error.
  static Result<std::unique_ptr<AuthenticationInfoSource>> Create(
      Deps deps, AuthenticationInfoOptions options);
  /// Returns when nothing is called any more.
  ~AuthenticationInfoSource();

  std::shared_ptr<const ClusterAuthenticationInfo> Current() const;
  /// Has `changed` called after each change of a CA bundle, on any thread; it must not block. The
  /// function that was given before is not called any more when this returns.
  void OnChange(std::function<void()> changed);
  /// To be called from time to time: files are not watched.
  void RereadFiles();

 private:
  AuthenticationInfoSource(Deps deps, AuthenticationInfoOptions options);

  Result<> LoadFiles();
  Result<> AskCluster();
  void Watch();
  void TakeMap(const core::v1::ConfigMap& map);
  /// Whether a CA bundle has changed.
  bool Set(ClusterAuthenticationInfo authentication_info);
  void Tell();

  const Deps deps_;
  const AuthenticationInfoOptions options_;
  const ClusterAuthenticationParts cluster_;

  mutable Mutex mutex_;
  std::shared_ptr<const ClusterAuthenticationInfo> authentication_info_ FLYBALL_GUARDED_BY(mutex_);

  // Changes are made one after the other.
  Mutex changing_;

  // Held during a call, so that its end can be waited for.
  Mutex telling_;
  std::function<void()> changed_ FLYBALL_GUARDED_BY(telling_);

  // Last: they call.
  std::optional<cache::InformerFactory> informers_;
  std::unique_ptr<cache::Registration> watching_;
};

}  // namespace flyball::endpoints

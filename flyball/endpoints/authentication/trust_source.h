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
#include "flyball/endpoints/authentication/trust.h"

namespace flyball::endpoints {

/// Where the authorities come from.
struct TrustOptions {
  std::string clients_file = {};              ///< --client-ca-file
  std::string proxies_file = {};              ///< --requestheader-client-ca-file
  std::vector<std::string> proxy_names = {};  ///< --requestheader-allowed-names, and so on
  FrontProxyHeaders proxy_headers = {};
  bool skip_lookup = false;              ///< --authentication-skip-lookup
  bool tolerate_lookup_failure = false;  ///< --authentication-tolerate-lookup-failure
};

/// Keeps up with whom to trust. What a file is given for is read from there; the rest from the
/// cluster's configmap kube-system/extension-apiserver-authentication, which is watched. What
/// becomes unreadable stays as it was.
///
/// Any thread.
class TrustSource {
 public:
  struct Deps {
    std::optional<client::Client> client = {};  ///< none: the cluster is not asked
    Executor& executor;
    Timers& timers;
    std::function<double()> random;  ///< between 0 and 1
    Logger log = {};
  };

  /// Reads the files, and asks the cluster once: what must be there and is not is an error.
  static Result<std::unique_ptr<TrustSource>> Create(Deps deps, TrustOptions options);
  /// Returns when nothing is called any more.
  ~TrustSource();

  std::shared_ptr<const Trust> Current() const;
  /// Has `changed` called after each change of authorities, on any thread; it must not block. What
  /// was given before is not called any more when this returns.
  void OnChange(std::function<void()> changed);
  /// For who has a rhythm.
  void RereadFiles();

 private:
  TrustSource(Deps deps, TrustOptions options);

  Result<> LoadFiles();
  Result<> AskCluster();
  void Watch();
  void TakeMap(const core::v1::ConfigMap& map);
  /// Whether the authorities are others than before.
  bool Set(Trust trust);
  void Tell();

  const Deps deps_;
  const TrustOptions options_;
  const ClusterTrustParts cluster_;

  mutable Mutex mutex_;
  std::shared_ptr<const Trust> trust_ FLYBALL_GUARDED_BY(mutex_);

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

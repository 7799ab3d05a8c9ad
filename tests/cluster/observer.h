#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/base/timers.h"
#include "flyball/cache/informer_factory.h"
#include "flyball/client/access_config.h"
#include "flyball/client/client.h"
#include "flyball/client/credentials.h"
#include "flyball/transport/http_transport.h"
#include "tests/cluster/control_plane.h"
#include "tests/scripted/proxy.h"

namespace flyball::cluster {

/// Keeps what is asked of the transport behind it.
class ListeningTransport final : public transport::Transport {
 public:
  explicit ListeningTransport(transport::Transport& next) : next_(next) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  /// How many requests had all of these in them, method and path and query.
  int Asked(const std::vector<std::string_view>& parts) const;

 private:
  transport::Transport& next_;
  mutable Mutex mutex_;
  std::vector<std::string> asked_ FLYBALL_GUARDED_BY(mutex_);
};

/// The admin, on a connection of their own: straight to the server, or through a proxy.
class Connection {
 public:
  Connection(ControlPlane& plane, Clock& clock, transport::Network& network,
             const scripted::Proxy* proxy = nullptr);

  const client::Client& client() const { return client_; }
  const ListeningTransport& requests() const { return listening_; }

 private:
  const client::AccessConfig access_;
  const std::unique_ptr<client::Credentials> credentials_;
  transport::HttpTransport transport_;
  ListeningTransport listening_;
  client::RestClient rest_;
  const client::Client client_;
};

/// Somebody who keeps caches, over a connection that a test can cut.
class Observer {
 public:
  Observer(ControlPlane& plane, Executor& executor, transport::Network& network);
  ~Observer();

  cache::InformerFactory& informers() { return informers_; }
  const client::Client& client() const { return connection_.client(); }
  const ListeningTransport& requests() const { return connection_.requests(); }
  scripted::Proxy& proxy() { return proxy_; }
  cache::Reflector::Deps reflector_deps() const { return deps_; }
  /// How often a cache was told that it is too far behind, and had to read all again.
  int TimesTooFarBehind() const;
  std::string log() const { return log_->text(); }

 private:
  scripted::Proxy proxy_;
  Connection connection_;
  const std::shared_ptr<StringLogSink> log_ = std::make_shared<StringLogSink>();
  Timers timers_;
  const cache::Reflector::Deps deps_;
  cache::InformerFactory informers_;
};

}  // namespace flyball::cluster

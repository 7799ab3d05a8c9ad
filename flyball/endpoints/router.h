#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "flyball/base/executor.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/endpoints/access_metrics.h"
#include "flyball/endpoints/authentication/authenticator.h"
#include "flyball/endpoints/authorization/authorizer.h"
#include "flyball/endpoints/route_table.h"
#include "flyball/endpoints/status_reply.h"
#include "flyball/transport/transport.h"

namespace flyball::endpoints {

/// Answers what comes to a component's port: finds out who asks (401), whether they may (403), and
/// has the path's page answer (404 where there is none). In this order, so that a stranger does not
/// learn which paths there are.
///
/// A Transport, for serving::HttpServer: Send() returns at once, and requests are answered on tasks
/// of the executor, since the API server may have to be asked about them. So many at a time, the
/// others wait their turn, and of those the ones too many get 429. A probe is none of them: what
/// brings no credentials and goes to an open path is answered in any case.
///
/// Any thread. The destructor waits for what is being answered; nothing may come any more then.
// DIVERGES: upstream starts as many goroutines as there are requests.
class Router final : public transport::Transport {
 public:
  struct Deps {
    Executor& executor;
    const RouteTable& routes;
    const Authenticator& authenticator;
    const Authorizer& authorizer;
    AccessMetrics metrics = {};
    Logger log = {};
  };
  struct Options {
    std::size_t most_at_once = 100;
    std::size_t most_waiting = 1'000;
  };

  Router(Deps deps, Options options);
  explicit Router(Deps deps) : Router(std::move(deps), Options()) {}
  ~Router() override;

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

 private:
  struct Waiting {
    transport::Request request;
    std::shared_ptr<transport::ResponseHandler> handler;
  };

  bool IsProbe(const transport::Request& request) const;
  void Start(Waiting work);
  /// Answers one after the other while any wait.
  void Work(Waiting work);
  transport::Response Answer(const transport::Request& request) const;
  Result<User> Authenticate(const transport::Request& request) const;
  Result<Verdict> Authorize(const Attributes& attributes) const;

  const Deps deps_;
  const Options options_;
  Mutex mutex_;
  CondVar idle_;
  std::size_t tasks_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::size_t probes_ FLYBALL_GUARDED_BY(mutex_) = 0;  // tasks too
  std::deque<Waiting> waiting_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::endpoints

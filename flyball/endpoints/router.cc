#include "flyball/endpoints/router.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace flyball::endpoints {
namespace {

/// An answer does not wait for anything that could be cancelled.
class Unstoppable final : public transport::Exchange {
 public:
  void Cancel() override {}
  void Consumed(std::size_t) override {}
};

std::string VerbOf(const std::string& method) {
  std::string verb = method;
  for (char& c : verb) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return verb;
}

void Deliver(transport::ResponseHandler& handler, transport::Response response) {
  // All of it is for the one who asked.
  const bool said = !transport::FindHeader(response.headers, "cache-control").empty();
  if (!said) response.headers.emplace_back("cache-control", "no-cache, private");
  const std::string body = std::exchange(response.body, {});
  handler.OnHead(std::move(response));
  if (!body.empty()) handler.OnData(body);
  handler.OnEnd({});
}

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Router::Router(Deps deps, Options options) : deps_(std::move(deps)), options_(options) {}

Router::~Router() {
  MutexLock lock(mutex_);
  deps_.executor.clock().Wait(lock, idle_,
                              [this]() FLYBALL_REQUIRES(mutex_) { return tasks_ + probes_ == 0; });
}

bool Router::IsProbe(const transport::Request& request) const {
  if (request.peer_certificates) return false;
  if (!transport::FindHeader(request.headers, "authorization").empty()) return false;
  const std::string_view target = request.target;
  return deps_.authorizer.IsOpen(target.substr(0, target.find('?')));
}

std::shared_ptr<transport::Exchange> Router::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  Waiting work{std::move(request), std::move(handler)};
  if (IsProbe(work.request)) {
    {
      MutexLock lock(mutex_);
      ++probes_;
    }
    deps_.executor.Start("endpoints/probe", [this, work = std::move(work)] {
      Deliver(*work.handler, Answer(work.request));
      MutexLock lock(mutex_);
      --probes_;
      idle_.NotifyAll();
    });
  } else {
    Start(std::move(work));
  }
  return std::make_shared<Unstoppable>();
}

void Router::Start(Waiting work) {
  {
    MutexLock lock(mutex_);
    if (tasks_ == options_.most_at_once && waiting_.size() < options_.most_waiting) {
      waiting_.push_back(std::move(work));
      return;
    }
    if (tasks_ == options_.most_at_once) {
      lock.Unlock();
      return Deliver(*work.handler, TooManyRequests());
    }
    ++tasks_;
  }
  deps_.executor.Start("endpoints/request",
                       [this, work = std::move(work)]() mutable { Work(std::move(work)); });
}

void Router::Work(Waiting work) {
  for (;;) {
    Deliver(*work.handler, Answer(work.request));
    MutexLock lock(mutex_);
    if (waiting_.empty()) {
      --tasks_;
      idle_.NotifyAll();
      return;
    }
    work = std::move(waiting_.front());
    waiting_.pop_front();
  }
}

transport::Response Router::Answer(const transport::Request& request) const {
  const auto target = RequestTarget::Parse(request.target);
  if (!target) return PlainText(400, "400 Bad Request");
  const Asked asked{request, *target};
  const auto user = Authenticate(request);
  if (!user) {
    deps_.log.Error(user.error(), "Unable to authenticate the request");
    return Unauthorized(asked);
  }
  const Attributes attributes{*user, VerbOf(request.method), target->path};
  const auto verdict = Authorize(attributes);
  if (!verdict) return InternalError(asked, verdict.error().message());
  if (verdict->decision != Decision::kAllowed) {
    deps_.log.V(4).Info("Forbidden", {{"URI", request.target}, {"reason", verdict->reason}});
    return Forbidden(asked, *user, attributes.verb, verdict->reason);
  }
  const auto http_handler = deps_.routes.Find(target->path);
  if (!http_handler) return NotFound();
  try {
    return (*http_handler)({request, *target, *user});
  } catch (const std::exception& thrown) {
    deps_.log.Error("Observed a panic", {{"panic", thrown.what()}, {"URI", request.target}});
    return PlainError(500, "This request caused apiserver to panic. Look in the logs for details.");
  }
}

Result<User> Router::Authenticate(const transport::Request& request) const {
  Clock& clock = deps_.executor.clock();
  const SteadyTime start = clock.SteadyNow();
  auto user = deps_.authenticator.Authenticate(request);
  const std::string_view result = user ? "success" : "error";
  if (user) deps_.metrics.users.With({AccessMetrics::UserLabel(user->name)}).Increment();
  deps_.metrics.authentications.With({result}).Increment();
  deps_.metrics.authentication_seconds.With({result}).Observe(Seconds(clock.SteadyNow() - start));
  return user;
}

Result<Verdict> Router::Authorize(const Attributes& attributes) const {
  Clock& clock = deps_.executor.clock();
  const SteadyTime start = clock.SteadyNow();
  auto verdict = deps_.authorizer.Authorize(attributes);
  std::string_view result = "error";
  if (verdict) {
    result = verdict->decision == Decision::kAllowed  ? "allowed"
             : verdict->decision == Decision::kDenied ? "denied"
                                                      : "no-opinion";
  }
  deps_.metrics.authorizations.With({result}).Increment();
  deps_.metrics.authorization_seconds.With({result}).Observe(Seconds(clock.SteadyNow() - start));
  return verdict;
}

}  // namespace flyball::endpoints

#include "tests/cluster/faulty_transport.h"

#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "flyball/base/mutex.h"

namespace flyball::cluster {

using transport::Exchange;
using transport::Request;
using transport::ResponseHandler;

/// Keeps what comes until it is time; a task of its own passes it on.
class LateWatchTransport::LateHandler final : public ResponseHandler {
 public:
  LateHandler(Clock& clock, std::chrono::nanoseconds delay, std::shared_ptr<ResponseHandler> next)
      : clock_(clock), delay_(delay), next_(std::move(next)) {}

  void OnHead(transport::ResponseHead head) override { next_->OnHead(std::move(head)); }
  void OnData(std::string_view bytes) override { Keep({.bytes = std::string(bytes)}); }
  void OnEnd(Result<> how) override {
    // Who has cancelled does not care for the rest, and waits for the end.
    if (!how && how.error().code() == ErrorCode::kCancelled) hurry_.request_stop();
    Keep({.end = std::move(how)});
  }

  void PassOn() {
    for (bool ended = false; !ended;) {
      const Piece piece = Take();
      clock_.SleepUntil(piece.due, hurry_.get_token());
      ended = piece.end.has_value();
      if (ended) {
        next_->OnEnd(*piece.end);
      } else {
        next_->OnData(piece.bytes);
      }
    }
  }

 private:
  struct Piece {
    std::string bytes = {};
    std::optional<Result<>> end = std::nullopt;
    SteadyTime due = {};
  };

  void Keep(Piece piece) {
    piece.due = clock_.DeadlineAfter(delay_);
    {
      MutexLock lock(mutex_);
      pieces_.push_back(std::move(piece));
    }
    more_.NotifyOne();
  }

  Piece Take() {
    MutexLock lock(mutex_);
    clock_.Wait(lock, more_, [this]() FLYBALL_REQUIRES(mutex_) { return !pieces_.empty(); });
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }

  Clock& clock_;
  const std::chrono::nanoseconds delay_;
  const std::shared_ptr<ResponseHandler> next_;
  std::stop_source hurry_;
  Mutex mutex_;
  CondVar more_;
  std::deque<Piece> pieces_ FLYBALL_GUARDED_BY(mutex_);
};

std::shared_ptr<Exchange> LateWatchTransport::Send(Request request,
                                                   std::shared_ptr<ResponseHandler> handler) {
  if (!request.target.contains("watch=true")) {
    return next_.Send(std::move(request), std::move(handler));
  }
  auto late = std::make_shared<LateHandler>(executor_.clock(), delay_, std::move(handler));
  executor_.Start("late watch", [late] { late->PassOn(); });
  return next_.Send(std::move(request), std::move(late));
}

class LostAnswerTransport::DeafHandler final : public ResponseHandler {
 public:
  DeafHandler(std::shared_ptr<std::atomic<int>> lost, std::shared_ptr<ResponseHandler> next)
      : lost_(std::move(lost)), next_(std::move(next)) {}

  void OnHead(transport::ResponseHead /*head*/) override {}
  void OnData(std::string_view /*bytes*/) override {}
  void OnEnd(Result<> how) override {
    if (how) ++*lost_;
    next_->OnEnd(how ? Fail(ErrorCode::kIo, "the answer was lost") : std::move(how));
  }

 private:
  const std::shared_ptr<std::atomic<int>> lost_;
  const std::shared_ptr<ResponseHandler> next_;
};

std::shared_ptr<Exchange> LostAnswerTransport::Send(Request request,
                                                    std::shared_ptr<ResponseHandler> handler) {
  if (one_in_ > 0 && request.method != "GET" && ++writes_ % one_in_ == 0) {
    handler = std::make_shared<DeafHandler>(lost_, std::move(handler));
  }
  return next_.Send(std::move(request), std::move(handler));
}

}  // namespace flyball::cluster

#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/sandbox/faults/event_frames.h"
#include "flyball/sandbox/faults/fault_state.h"

namespace flyball::sandbox {

/// One request on its way through Faults, and its answer on the way back. Both are pieces in one
/// queue, which are let through in their order, each when it may: the request to the server, and
/// then what the server says to the client.
///
/// Whoever puts a piece into an empty queue lets it through at once, so that an answer that comes
/// at once is there at once. Where a piece has to wait, a task waits for it. Any thread.
class FaultyExchange final : public transport::Exchange,
                             public std::enable_shared_from_this<FaultyExchange> {
 public:
  static std::shared_ptr<FaultyExchange> Start(std::shared_ptr<FaultState> state,
                                               transport::Request request,
                                               std::shared_ptr<transport::ResponseHandler> handler);

  FaultyExchange(std::shared_ptr<FaultState> state, const transport::Request& request,
                 std::shared_ptr<transport::ResponseHandler> handler);

  void Cancel() override;
  void Consumed(std::size_t bytes) override;

  const Asked& asked() const { return asked_; }
  /// Ends it now, whatever is still on its way.
  void Break(Error why);
  /// Of a watch: its last so many events come once more.
  void Replay(int events);
  /// Of a watch: ends it with an event that says 410.
  void Expire();
  /// There may be something to let through.
  void Wake();

 private:
  class Inbound;
  class Unheard;
  class DeliveryScope;

  struct Piece {
    std::variant<transport::Request, transport::ResponseHead, std::string, Result<>> what;
    SteadyTime due = SteadyTime::min();
    std::vector<std::shared_ptr<const Rule>> holders = {};
    bool takes_time = false;  ///< it is not for the thread of somebody who must not block
  };

  // What the server says. One at a time.
  void OnHead(transport::ResponseHead head);
  void OnData(std::string_view bytes);
  void OnEvent(std::string event);
  void OnEnd(Result<> how);

  void Push(std::vector<Piece> pieces) FLYBALL_EXCLUDES(mutex_);
  void EndNow(Result<> how) FLYBALL_EXCLUDES(mutex_);
  /// Lets through what may go. `delivering_` is the caller's, and is unset when this returns,
  /// unless a task has taken over.
  void Run(bool may_wait) FLYBALL_EXCLUDES(mutex_);
  void EndDelivery() FLYBALL_EXCLUDES(mutex_);
  bool MayGo(const Piece& piece, SteadyTime now) const;
  std::optional<SteadyTime> DeadlineLocked() const FLYBALL_REQUIRES(mutex_);
  void LetThrough(Piece piece) FLYBALL_EXCLUDES(mutex_);
  /// Hands out what the server has of it.
  std::shared_ptr<transport::Exchange> Finish(Result<> how) FLYBALL_EXCLUDES(mutex_);
  void SendRequest(transport::Request request) FLYBALL_EXCLUDES(mutex_);
  void SendLater(transport::Request request);
  void SendToServer(transport::Request request, bool again) FLYBALL_EXCLUDES(mutex_);
  void TellServer(std::size_t consumed) FLYBALL_EXCLUDES(mutex_);
  void AnswerWith(Answer answer) FLYBALL_EXCLUDES(mutex_);
  std::vector<Piece> LastEventsLocked(int events) const FLYBALL_REQUIRES(mutex_);

  // Constant once it has started.
  const std::shared_ptr<FaultState> state_;
  const Asked asked_;
  const std::chrono::nanoseconds timeout_;
  const transport::TimeoutScope timeout_scope_;
  const SteadyTime begun_;
  FaultEffect effect_;

  // Of who hears the server.
  std::optional<EventFrames> frames_;  // of a watch that has begun

  // Of who delivers.
  std::shared_ptr<transport::ResponseHandler> handler_;  // null at the end: it may hold this

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Piece> pieces_ FLYBALL_GUARDED_BY(mutex_);
  bool delivering_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::optional<Result<>> ending_ FLYBALL_GUARDED_BY(mutex_);  // now, whatever is in the queue
  bool over_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool head_came_ FLYBALL_GUARDED_BY(mutex_) = false;
  SteadyTime progress_ FLYBALL_GUARDED_BY(mutex_);
  std::shared_ptr<transport::Exchange> exchange_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t unreported_ FLYBALL_GUARDED_BY(mutex_) = 0;  // consumed before there was an exchange
  /// Bytes that the client will consume and the server does not wait for.
  std::size_t ahead_ FLYBALL_GUARDED_BY(mutex_) = 0;
  std::optional<bool> protobuf_ FLYBALL_GUARDED_BY(mutex_);    // of a watch that has begun
  std::deque<std::string> events_ FLYBALL_GUARDED_BY(mutex_);  // the last ones, to be repeated
};

}  // namespace flyball::sandbox

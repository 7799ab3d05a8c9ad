#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/executor.h"
#include "flyball/sandbox/api_status_error.h"
#include "flyball/sandbox/faults/requests.h"
#include "flyball/transport/transport.h"

namespace flyball::sandbox {

class FaultState;
class Rule;
struct Answer;
struct FaultEffect;
struct EventFaultEffect;

/// Which of the requests, or events, that a rule is about it befalls. All that are said must hold.
struct Share {
  int after = 0;                                ///< not the first so many
  int every = 1;                                ///< of the others one in so many, the last of them
  int times = std::numeric_limits<int>::max();  ///< and no more than that
  double probability = 1;                       ///< by the dice of the Faults, which have a seed
};

/// A rule that is in force. A value that may be dropped: the rule goes on.
class Fault {
 public:
  Fault(std::shared_ptr<FaultState> state, std::shared_ptr<Rule> rule)
      : state_(std::move(state)), rule_(std::move(rule)) {}

  /// How often it has done what it does.
  int count() const;
  /// It does so no more, and what it held back goes on.
  void Lift();

 private:
  std::shared_ptr<FaultState> state_;
  std::shared_ptr<Rule> rule_;
};

/// The middle of a sentence: whom it befalls.
template <typename Self>
class Sentence {
 public:
  Self After(int n) { return With(&Share::after, n); }
  Self Every(int n) { return With(&Share::every, n); }
  Self Times(int n) { return With(&Share::times, n); }
  Self Once() { return Times(1); }
  Self WithProbability(double p) { return With(&Share::probability, p); }

 protected:
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): a friend could do no more
  Sentence(std::shared_ptr<FaultState> state, Requests requests)
      : state_(std::move(state)), requests_(std::move(requests)) {}

  std::shared_ptr<FaultState> state_;
  Requests requests_;
  Share share_;

 private:
  template <typename T>
  Self With(T Share::* member, T value) {
    share_.*member = value;
    return static_cast<Self&>(*this);
  }
};

/// What befalls requests.
class RequestSentence : public Sentence<RequestSentence> {
 public:
  RequestSentence(std::shared_ptr<FaultState> state, Requests requests)
      : Sentence(std::move(state), std::move(requests)) {}

  /// Answered in the server's place: it does not hear of it.
  Fault Refuse(const ApiStatusError& refusal);
  /// With the reason that goes with a code: 503 is ServiceUnavailable.
  Fault Refuse(int code);
  /// As of a history that is no longer there: 410.
  Fault Expire();
  /// The connection breaks before the server hears of it; the client cannot know that.
  Fault Break();
  /// There is no connection to be had.
  Fault Disconnect();
  /// The server does it, and the client is not told.
  Fault LoseAnswer();
  /// The server does it, and the client is told this in place of its answer: as by a proxy that
  /// has lost the server.
  Fault RefuseAfter(const ApiStatusError& refusal);
  Fault RefuseAfter(int code);
  /// Likewise with an answer that need not be the API server's: a proxy's page.
  Fault AnswerAfter(Answer answer);
  /// The connection breaks at once, and the server does it so much later all the same: as behind a
  /// proxy, or a webhook that takes its time.
  Fault ActLater(std::chrono::nanoseconds delay);
  /// Likewise, so long after the time is up that the request gave the server (`timeout=`).
  Fault ActPastTimeout(std::chrono::nanoseconds delay);
  /// The server hears of it so much later.
  Fault Delay(std::chrono::nanoseconds delay);
  /// The client is told so much later.
  Fault DelayAnswer(std::chrono::nanoseconds delay);
  /// The server gets it twice, one after the other, and the client the second answer.
  Fault SendTwice();
  /// Lost on the way, and the client waits until it gives up.
  Fault Drop();
  /// Right before the server hears of it nothing gets through any more, itself included.
  Fault StopTheWorld();
  /// Likewise right after the server has done it, or refused it: nobody is told.
  Fault StopTheWorldAfter();
  /// Nothing gets through any more, and the server does it all the same, so long after the time is
  /// up that the request gave it.
  Fault StopTheWorldAndActPastTimeout(std::chrono::nanoseconds delay);
  /// The bytes of the answer are others on the way, as many as before.
  Fault RewriteAnswer(std::function<void(std::string& bytes)> rewrite);
  /// A list is answered as it was at a resourceVersion, later pages included.
  Fault AnswerAsOf(std::string resource_version);
  /// Somebody does something before the server hears of it. They may take their time.
  Fault Interrupt(std::function<void(const Asked& asked)> interrupt);

 private:
  Fault Add(std::function<void(FaultEffect& effect)> change);
};

/// What befalls the events of watches, those of watches that are there already too.
class EventSentence : public Sentence<EventSentence> {
 public:
  EventSentence(std::shared_ptr<FaultState> state, Requests requests)
      : Sentence(std::move(state), std::move(requests)) {}

  /// The event and all behind it in its watch wait until the rule is lifted.
  Fault Hold();
  /// It is so much late, and does not overtake another.
  Fault Delay(std::chrono::nanoseconds delay);
  /// After it the last so many events of its watch come once more, itself the last of them.
  Fault Replay(int events);
  /// After it the connection breaks.
  Fault Break();
  /// Its bytes are others on the way, as many as before.
  Fault Rewrite(std::function<void(std::string& event)> rewrite);

 private:
  Fault Add(std::function<void(EventFaultEffect& effect)> change);
};

/// What goes wrong between clients and an API server, in front of any Transport: in the process,
/// behind an HttpServer, or in a client of a real server. Rules read as sentences:
///
///   Faults faults(sandbox.transport(), executor);
///   faults.On(Requests::Writes().Of("pods")).Every(10).LoseAnswer();
///   const Fault held = faults.OnEvents(Requests::Watches().Of("pods")).Hold();
///
/// All rules that a request meets befall it, in the order in which they were made; the first that
/// ends it, ends it. Events are held and repeated whole.
///
/// Time is the executor's, and chance comes from the seed, so that a deterministic run stays one.
/// A request's timeout is kept while it is held up here. Any thread. What it stands before must
/// outlive it, and so must the executor its exchanges, which all end with it.
class Faults final : public transport::Transport {
 public:
  Faults(transport::Transport& next, Executor& executor, std::uint64_t seed = 1);
  ~Faults() override;

  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override;

  [[nodiscard]] RequestSentence On(Requests requests) { return {state_, std::move(requests)}; }
  [[nodiscard]] EventSentence OnEvents(Requests watches) { return {state_, std::move(watches)}; }
  /// Ends all rules.
  void LiftAll();

  /// The connections of these watches break, now.
  void BreakWatches(const Requests& watches = Requests::All());
  /// The last so many events of these watches come once more, now.
  void ReplayEvents(int events, const Requests& watches = Requests::All());
  /// History is gone: watches end with 410, and who goes on from before, with a watch or with the
  /// next page of a list, gets 410, until they have listed anew.
  void ExpireHistory();

  /// Nothing gets through any more, in either direction, until it goes on.
  void StopTheWorld();
  /// Likewise when so many more writes have been done; nobody is told of the last of them.
  void StopTheWorldAfterWrites(int writes);
  void Resume();
  bool stopped() const;
  /// Returns when it has stopped, or with false when it is too late for that.
  bool WaitUntilStopped(SteadyTime deadline) const;

  /// How many requests to write the server has granted.
  int writes() const;

 private:
  const std::shared_ptr<FaultState> state_;
};

}  // namespace flyball::sandbox

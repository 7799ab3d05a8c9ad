#include "flyball/sandbox/faults/faulty_exchange.h"

#include <algorithm>
#include <utility>

#include "flyball/api/duration.h"
#include "flyball/base/check.h"
#include "flyball/sandbox/response_encoder.h"

namespace flyball::sandbox {
namespace {

using transport::Exchange;
using transport::ResponseHandler;
using transport::ResponseHead;

/// How far back a watch can be repeated.
constexpr std::size_t kEventsKept = 100;

/// The same list as it was then. Later pages follow from the first.
void AskForThePast(transport::Request& request, const Asked& asked, const std::string& version) {
  if (asked.verb != "list" || asked.goes_on()) return;
  const auto question = request.target.find('?');
  std::string target = request.target.substr(0, question);
  target += "?resourceVersion=" + version + "&resourceVersionMatch=Exact";
  if (question != std::string::npos) {
    std::string_view query = std::string_view(request.target).substr(question + 1);
    while (!query.empty()) {
      const std::string_view parameter = query.substr(0, query.find('&'));
      query.remove_prefix(std::min(query.size(), parameter.size() + 1));
      if (!parameter.starts_with("resourceVersion")) target += "&" + std::string(parameter);
    }
  }
  request.target = std::move(target);
}

std::string Rewritten(std::string bytes,
                      const std::vector<std::function<void(std::string&)>>& rewrites) {
  const std::size_t size = bytes.size();
  for (const auto& rewrite : rewrites) rewrite(bytes);
  FLYBALL_CHECK(bytes.size() == size, "bytes of another number would upset the flow control");
  return bytes;
}

}  // namespace

/// What the server answers to. Of a request that is sent twice, the first answer only counts.
class FaultyExchange::Inbound final : public ResponseHandler {
 public:
  /// `next` is what is sent when this is over, if anything is.
  Inbound(std::shared_ptr<FaultyExchange> faulty_exchange, std::optional<transport::Request> next)
      : faulty_exchange_(std::move(faulty_exchange)), next_(std::move(next)) {}

  void OnHead(ResponseHead head) override {
    if (faulty_exchange_->asked_.writes() && head.status < 300)
      faulty_exchange_->state_->CountWrite();
    if (faulty_exchange_->effect_.answer_stops_the_world) faulty_exchange_->state_->Stop();
    if (Heard()) faulty_exchange_->OnHead(std::move(head));
  }
  void OnData(std::string_view bytes) override {
    if (Heard()) return faulty_exchange_->OnData(bytes);
    faulty_exchange_->TellServer(bytes.size());
  }
  void OnEnd(Result<> how) override {
    if (next_) return faulty_exchange_->SendToServer(*std::move(next_), /*again=*/false);
    const FaultEffect& effect = faulty_exchange_->effect_;
    if (how && effect.answer_lost) how = Fail(ErrorCode::kIo, "the answer was lost");
    if (how && effect.late_answer) return faulty_exchange_->AnswerWith(*effect.late_answer);
    faulty_exchange_->OnEnd(std::move(how));
  }

 private:
  bool Heard() const {
    return !next_ && !faulty_exchange_->effect_.answer_lost &&
           !faulty_exchange_->effect_.late_answer;
  }

  const std::shared_ptr<FaultyExchange> faulty_exchange_;
  std::optional<transport::Request> next_;
};

/// What the server answers where nobody waits for it any more.
class FaultyExchange::Unheard final : public ResponseHandler {
 public:
  explicit Unheard(std::shared_ptr<FaultState> state) : state_(std::move(state)) {}
  void OnHead(ResponseHead head) override {
    if (head.status < 300) state_->CountWrite();
  }
  void OnData(std::string_view /*bytes*/) override {}
  void OnEnd(Result<> /*how*/) override {}

 private:
  const std::shared_ptr<FaultState> state_;
};

/// Held by a task that delivers pieces. A task that is dropped or unwound, as in a deterministic
/// run that is abandoned, lets others deliver.
class FaultyExchange::DeliveryScope {
 public:
  explicit DeliveryScope(std::shared_ptr<FaultyExchange> faulty_exchange)
      : faulty_exchange_(std::move(faulty_exchange)) {}
  DeliveryScope(DeliveryScope&&) noexcept = default;
  DeliveryScope& operator=(DeliveryScope&&) = delete;
  ~DeliveryScope() {
    if (faulty_exchange_) faulty_exchange_->EndDelivery();
  }
  void Run() {
    faulty_exchange_->Run(/*may_wait=*/true);
    faulty_exchange_.reset();
  }

 private:
  std::shared_ptr<FaultyExchange> faulty_exchange_;
};

FaultyExchange::FaultyExchange(std::shared_ptr<FaultState> state, const transport::Request& request,
                               std::shared_ptr<ResponseHandler> handler)
    : state_(std::move(state)),
      asked_(request),
      timeout_(request.timeout),
      timeout_scope_(request.timeout_scope),
      begun_(state_->clock().SteadyNow()),
      handler_(std::move(handler)),
      progress_(begun_) {}

std::shared_ptr<FaultyExchange> FaultyExchange::Start(std::shared_ptr<FaultState> state,
                                                      transport::Request request,
                                                      std::shared_ptr<ResponseHandler> handler) {
  auto faulty_exchange =
      std::make_shared<FaultyExchange>(std::move(state), request, std::move(handler));
  faulty_exchange->effect_ = faulty_exchange->state_->EffectOf(faulty_exchange->asked_);
  faulty_exchange->state_->Enter(faulty_exchange);
  const FaultEffect& effect = faulty_exchange->effect_;
  if (effect.stops_the_world) {
    if (effect.acts_later) faulty_exchange->SendLater(request);
    faulty_exchange->state_->Stop();
  }
  const Clock& clock = faulty_exchange->state_->clock();
  std::vector<Piece> pieces(1);
  pieces[0].what = std::move(request);
  pieces[0].takes_time = !effect.interrupts.empty();
  if (effect.dropped) {
    pieces[0].due = SteadyTime::max();
  } else if (effect.delay.count() > 0) {
    pieces[0].due = clock.DeadlineAfter(effect.delay);
  }
  faulty_exchange->Push(std::move(pieces));
  return faulty_exchange;
}

void FaultyExchange::Cancel() { EndNow(Fail(ErrorCode::kCancelled, "request cancelled")); }

void FaultyExchange::Break(Error why) { EndNow(std::unexpected(std::move(why))); }

void FaultyExchange::EndNow(Result<> how) {
  {
    const MutexLock lock(mutex_);
    if (over_ || ending_) return;
    ending_ = how;
    changed_.NotifyAll();
    if (delivering_) return;
    delivering_ = true;
  }
  // On this thread: a stop callback may be what cancels, and others may wait for it. But what the
  // server has of the exchange may have to wait before it ends, and goes by itself for that.
  if (auto exchange = Finish(std::move(how))) {
    state_->executor().Start("faults/given-up", [exchange = std::move(exchange)] {});
  }
}

void FaultyExchange::Wake() {
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

void FaultyExchange::Consumed(std::size_t bytes) {
  {
    const MutexLock lock(mutex_);
    const std::size_t known = std::min(bytes, ahead_);
    ahead_ -= known;
    bytes -= known;
  }
  if (bytes > 0) TellServer(bytes);
}

void FaultyExchange::TellServer(std::size_t consumed) {
  std::shared_ptr<Exchange> exchange;
  {
    const MutexLock lock(mutex_);
    exchange = exchange_;
    if (!exchange) unreported_ += consumed;
  }
  if (exchange) exchange->Consumed(consumed);
}

void FaultyExchange::OnHead(ResponseHead head) {
  std::optional<bool> protobuf;
  if (asked_.watches() && head.status == 200) {
    protobuf = transport::FindHeader(head.headers, "content-type").contains("protobuf");
    frames_.emplace(*protobuf);
  }
  {
    const MutexLock lock(mutex_);
    protobuf_ = protobuf;
  }
  std::vector<Piece> pieces(1);
  pieces[0].what = std::move(head);
  pieces[0].due = state_->clock().DeadlineAfter(effect_.answer_delay);
  Push(std::move(pieces));
}

void FaultyExchange::OnData(std::string_view bytes) {
  if (!frames_) {
    std::vector<Piece> pieces(1);
    pieces[0].what = Rewritten(std::string(bytes), effect_.rewrites);
    return Push(std::move(pieces));
  }
  const std::size_t before = frames_->rest().size();
  frames_->Feed(bytes);
  while (auto event = frames_->Next()) OnEvent(*std::move(event));
  // The server may wait until what it has sent of an event is taken, before it sends the rest.
  const std::size_t rest = frames_->rest().size();
  const std::size_t held = rest == before + bytes.size() ? bytes.size() : rest;
  if (held == 0) return;
  {
    const MutexLock lock(mutex_);
    ahead_ += held;
  }
  TellServer(held);
}

void FaultyExchange::OnEvent(std::string event) {
  EventFaultEffect effect = state_->EventEffectOf(asked_);
  event = Rewritten(std::move(event), effect.rewrites);
  std::vector<Piece> pieces(1);
  pieces[0].what = event;
  pieces[0].due = state_->clock().DeadlineAfter(effect.delay);
  pieces[0].holders = std::move(effect.holders);
  {
    const MutexLock lock(mutex_);
    events_.push_back(std::move(event));
    if (events_.size() > kEventsKept) events_.pop_front();
    for (Piece& piece : LastEventsLocked(effect.replay)) {
      ahead_ += std::get<std::string>(piece.what).size();
      pieces.push_back(std::move(piece));
    }
  }
  if (effect.broken) {
    pieces.emplace_back().what = Result<>(Fail(ErrorCode::kIo, "the connection broke"));
  }
  Push(std::move(pieces));
}

void FaultyExchange::OnEnd(Result<> how) {
  std::vector<Piece> pieces;
  if (frames_ && how && !frames_->rest().empty()) {
    pieces.emplace_back().what = std::string(frames_->rest());
  }
  pieces.emplace_back().what = std::move(how);
  Push(std::move(pieces));
}

std::vector<FaultyExchange::Piece> FaultyExchange::LastEventsLocked(int events) const {
  std::vector<Piece> pieces;
  const auto count = std::min(events_.size(), static_cast<std::size_t>(std::max(events, 0)));
  for (auto event = events_.end() - static_cast<std::ptrdiff_t>(count); event != events_.end();
       ++event) {
    pieces.emplace_back().what = *event;
  }
  return pieces;
}

void FaultyExchange::Replay(int events) {
  std::vector<Piece> pieces;
  {
    const MutexLock lock(mutex_);
    pieces = LastEventsLocked(events);
    for (const Piece& piece : pieces) ahead_ += std::get<std::string>(piece.what).size();
  }
  Push(std::move(pieces));
}

void FaultyExchange::Expire() {
  if (!asked_.watches()) return;
  std::optional<bool> protobuf;
  {
    const MutexLock lock(mutex_);
    protobuf = protobuf_;
  }
  // One that has not begun hears of it as a client does whose connection breaks meanwhile.
  if (!protobuf) return Break(Error(ErrorCode::kIo, "the connection broke"));
  const NegotiatedMediaType media_type{.media =
                                           *protobuf ? MediaType::kProtobuf : MediaType::kJson};
  const ResponseEncoder encoder(nullptr, media_type, state_->clock());
  std::vector<Piece> pieces(2);
  pieces[0].what = encoder.ErrorEvent(Expired("history was expired").status());
  pieces[1].what = Result<>();
  Push(std::move(pieces));
}

void FaultyExchange::Push(std::vector<Piece> pieces) {
  {
    const MutexLock lock(mutex_);
    if (over_) return;
    for (Piece& piece : pieces) pieces_.push_back(std::move(piece));
    changed_.NotifyAll();
    if (delivering_) return;
    delivering_ = true;
  }
  Run(/*may_wait=*/false);
}

bool FaultyExchange::MayGo(const Piece& piece, SteadyTime now) const {
  return !state_->stopped() && piece.due <= now &&
         std::ranges::all_of(piece.holders, &Rule::lifted);
}

std::optional<SteadyTime> FaultyExchange::DeadlineLocked() const {
  const bool begun = timeout_scope_ == transport::TimeoutScope::kHeaders && head_came_;
  if (timeout_.count() <= 0 || begun) return std::nullopt;
  return (timeout_scope_ == transport::TimeoutScope::kIdle ? progress_ : begun_) + timeout_;
}

void FaultyExchange::Run(bool may_wait) {
  MutexLock lock(mutex_);
  while (!over_) {
    if (ending_) {
      Result<> how = *ending_;
      lock.Unlock();
      Finish(std::move(how));
      return;
    }
    if (pieces_.empty()) {
      delivering_ = false;
      return;
    }
    const SteadyTime now = state_->clock().SteadyNow();
    const Piece& first = pieces_.front();
    if (MayGo(first, now) && (may_wait || !first.takes_time)) {
      Piece piece = std::move(pieces_.front());
      pieces_.pop_front();
      lock.Unlock();
      LetThrough(std::move(piece));
      lock.Lock();
      continue;
    }
    if (!may_wait) {
      lock.Unlock();
      state_->executor().Start(
          "faults", [scope = DeliveryScope(shared_from_this())]() mutable { scope.Run(); });
      return;
    }
    const SteadyTime deadline = DeadlineLocked().value_or(SteadyTime::max());
    if (deadline <= now) {
      ending_ = Fail(ErrorCode::kTimeout, "the time is up");
      continue;
    }
    // What is due and may not go waits to be woken.
    const SteadyTime due = first.due > now ? first.due : SteadyTime::max();
    state_->clock().WaitUntil(lock, changed_, std::min(deadline, due));
  }
  delivering_ = false;
}

void FaultyExchange::EndDelivery() {
  Result<> how;
  {
    const MutexLock lock(mutex_);
    delivering_ = false;
    if (over_ || !ending_) return;
    delivering_ = true;
    how = *ending_;
  }
  Finish(std::move(how));
}

void FaultyExchange::LetThrough(Piece piece) {
  if (auto* const request = std::get_if<transport::Request>(&piece.what)) {
    return SendRequest(std::move(*request));
  }
  if (auto* const how = std::get_if<Result<>>(&piece.what)) {
    Finish(std::move(*how));
    return;
  }
  const SteadyTime now = state_->clock().SteadyNow();
  auto* const head = std::get_if<ResponseHead>(&piece.what);
  {
    const MutexLock lock(mutex_);
    progress_ = now;
    head_came_ = head_came_ || head != nullptr;
  }
  if (head != nullptr) {
    handler_->OnHead(std::move(*head));
  } else {
    handler_->OnData(std::get<std::string>(piece.what));
  }
}

std::shared_ptr<transport::Exchange> FaultyExchange::Finish(Result<> how) {
  std::shared_ptr<Exchange> exchange;
  {
    const MutexLock lock(mutex_);
    over_ = true;
    pieces_.clear();
    exchange = std::exchange(exchange_, nullptr);
  }
  if (exchange) exchange->Cancel();  // which does nothing where it is over
  std::exchange(handler_, nullptr)->OnEnd(std::move(how));
  return exchange;
}

void FaultyExchange::SendRequest(transport::Request request) {
  for (const auto& interrupt : effect_.interrupts) interrupt(asked_);
  // As in HttpTransport: what its fence does not let out any more has not left.
  if (request.fence && !request.fence->IsOpen()) {
    return OnEnd(Fail(ErrorCode::kUnavailable, "request not sent: " + request.fence->WhyClosed()));
  }
  if (effect_.answer) return AnswerWith(*effect_.answer);
  if (effect_.error) return OnEnd(std::unexpected(*effect_.error));
  if (effect_.acts_later) {
    if (!effect_.stops_the_world) SendLater(std::move(request));  // else it was, at the start
    return OnEnd(Fail(ErrorCode::kIo, "the connection broke"));
  }
  if (timeout_.count() > 0 && timeout_scope_ != transport::TimeoutScope::kIdle) {
    const auto left = begun_ + timeout_ - state_->clock().SteadyNow();
    request.timeout = std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(1));
  }
  if (!effect_.as_of.empty()) AskForThePast(request, asked_, effect_.as_of);
  SendToServer(std::move(request), effect_.twice);
}

void FaultyExchange::SendLater(transport::Request request) {
  std::chrono::nanoseconds delay = *effect_.acts_later;
  if (effect_.acts_past_timeout) {
    delay += api::ParseDuration(asked_.target.query.Get("timeout")).value_or(delay.zero());
  }
  state_->executor().Start("faults/late", [state = state_, delay, request = std::move(request)] {
    state->clock().SleepFor(delay);
    // Nobody waits for it: it lives as long as the server is at it.
    static_cast<void>(state->Send(request, std::make_shared<Unheard>(state)));
  });
}

void FaultyExchange::SendToServer(transport::Request request, bool again) {
  {
    const MutexLock lock(mutex_);
    if (over_) return;
  }
  std::optional<transport::Request> next;
  if (again) next = request;
  auto exchange = state_->Send(std::move(request),
                               std::make_shared<Inbound>(shared_from_this(), std::move(next)));
  std::size_t missed = 0;
  bool over = false;
  {
    const MutexLock lock(mutex_);
    over = over_;
    // Of two the second is the one to be cancelled, and it may have been sent meanwhile.
    if (!over && (!again || !exchange_)) exchange_ = exchange;
    missed = std::exchange(unreported_, 0);
  }
  if (!exchange) return Break(Error(ErrorCode::kCancelled, "what was in between is gone"));
  if (over) return exchange->Cancel();
  if (missed > 0) exchange->Consumed(missed);
}

void FaultyExchange::AnswerWith(Answer answer) {
  std::vector<Piece> pieces(3);
  transport::Headers headers = std::move(answer.headers);
  headers.emplace_back("content-type", std::move(answer.content_type));
  headers.emplace_back("content-length", std::to_string(answer.body.size()));
  pieces[0].what = ResponseHead{answer.status, std::move(headers)};
  pieces[1].what = std::move(answer.body);
  pieces[2].what = Result<>();
  Push(std::move(pieces));
}

}  // namespace flyball::sandbox

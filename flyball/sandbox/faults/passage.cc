#include "flyball/sandbox/faults/passage.h"

#include <algorithm>
#include <utility>

#include "flyball/sandbox/representation.h"

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

}  // namespace

/// What the server answers to. Of a request that is sent twice, the first answer only counts.
class Passage::Inbound final : public ResponseHandler {
 public:
  /// `next` is what is sent when this is over, if anything is.
  Inbound(std::shared_ptr<Passage> passage, std::optional<transport::Request> next)
      : passage_(std::move(passage)), next_(std::move(next)) {}

  void OnHead(ResponseHead head) override {
    if (passage_->asked_.writes() && head.status < 300) passage_->world_->CountWrite();
    if (passage_->course_.answer_stops_the_world) passage_->world_->Stop();
    if (Heard()) passage_->OnHead(std::move(head));
  }
  void OnData(std::string_view bytes) override {
    if (Heard()) return passage_->OnData(bytes);
    passage_->TellServer(bytes.size());
  }
  void OnEnd(Result<> how) override {
    if (next_) return passage_->SendToServer(*std::move(next_), /*again=*/false);
    if (how && !Heard()) how = Fail(ErrorCode::kIo, "the answer was lost");
    passage_->OnEnd(std::move(how));
  }

 private:
  bool Heard() const { return !next_ && !passage_->course_.answer_lost; }

  const std::shared_ptr<Passage> passage_;
  std::optional<transport::Request> next_;
};

/// What a task has that lets pieces through. One that is dropped or unwound, as those of a
/// deterministic run that is abandoned are, leaves the turn to others.
class Passage::Turn {
 public:
  explicit Turn(std::shared_ptr<Passage> passage) : passage_(std::move(passage)) {}
  Turn(Turn&&) noexcept = default;
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (passage_) passage_->GiveUpTurn();
  }
  void Run() {
    passage_->Run(/*may_wait=*/true);
    passage_.reset();
  }

 private:
  std::shared_ptr<Passage> passage_;
};

Passage::Passage(std::shared_ptr<World> world, const transport::Request& request,
                 std::shared_ptr<ResponseHandler> handler)
    : world_(std::move(world)),
      asked_(request),
      timeout_(request.timeout),
      patience_(request.patience),
      begun_(world_->clock().SteadyNow()),
      handler_(std::move(handler)),
      progress_(begun_) {}

std::shared_ptr<Passage> Passage::Start(std::shared_ptr<World> world, transport::Request request,
                                        std::shared_ptr<ResponseHandler> handler) {
  auto passage = std::make_shared<Passage>(std::move(world), request, std::move(handler));
  passage->course_ = passage->world_->CourseOf(passage->asked_);
  passage->world_->Enter(passage);
  if (passage->course_.stops_the_world) passage->world_->Stop();
  const Course& course = passage->course_;
  const Clock& clock = passage->world_->clock();
  std::vector<Piece> pieces(1);
  pieces[0].what = std::move(request);
  pieces[0].takes_time = !course.interrupts.empty();
  if (course.dropped) {
    pieces[0].due = SteadyTime::max();
  } else if (course.delay.count() > 0) {
    pieces[0].due = clock.DeadlineAfter(course.delay);
  }
  passage->Push(std::move(pieces));
  return passage;
}

void Passage::Cancel() { EndNow(Fail(ErrorCode::kCancelled, "given up")); }

void Passage::Break(Error why) { EndNow(std::unexpected(std::move(why))); }

void Passage::EndNow(Result<> how) {
  {
    const MutexLock lock(mutex_);
    if (over_ || ending_) return;
    ending_ = how;
    changed_.NotifyAll();
    if (turn_is_taken_) return;
    turn_is_taken_ = true;
  }
  // On this thread: a stop callback may be what cancels, and others may wait for it. But what the
  // server has of the exchange may have to wait before it ends, and goes by itself for that.
  if (auto exchange = Finish(std::move(how))) {
    world_->executor().Start("faults/given-up", [exchange = std::move(exchange)] {});
  }
}

void Passage::Wake() {
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

void Passage::Consumed(std::size_t bytes) {
  {
    const MutexLock lock(mutex_);
    const std::size_t known = std::min(bytes, ahead_);
    ahead_ -= known;
    bytes -= known;
  }
  if (bytes > 0) TellServer(bytes);
}

void Passage::TellServer(std::size_t consumed) {
  std::shared_ptr<Exchange> exchange;
  {
    const MutexLock lock(mutex_);
    exchange = exchange_;
    if (!exchange) unreported_ += consumed;
  }
  if (exchange) exchange->Consumed(consumed);
}

void Passage::OnHead(ResponseHead head) {
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
  pieces[0].due = world_->clock().DeadlineAfter(course_.answer_delay);
  Push(std::move(pieces));
}

void Passage::OnData(std::string_view bytes) {
  if (!frames_) {
    std::vector<Piece> pieces(1);
    pieces[0].what = std::string(bytes);
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

void Passage::OnEvent(std::string event) {
  EventCourse course = world_->EventCourseOf(asked_);
  std::vector<Piece> pieces(1);
  pieces[0].what = event;
  pieces[0].due = world_->clock().DeadlineAfter(course.delay);
  pieces[0].holders = std::move(course.holders);
  {
    const MutexLock lock(mutex_);
    events_.push_back(std::move(event));
    if (events_.size() > kEventsKept) events_.pop_front();
    for (Piece& piece : LastEventsLocked(course.replay)) {
      ahead_ += std::get<std::string>(piece.what).size();
      pieces.push_back(std::move(piece));
    }
  }
  if (course.broken) {
    pieces.emplace_back().what = Result<>(Fail(ErrorCode::kIo, "the connection broke"));
  }
  Push(std::move(pieces));
}

void Passage::OnEnd(Result<> how) {
  std::vector<Piece> pieces;
  if (frames_ && how && !frames_->rest().empty()) {
    pieces.emplace_back().what = std::string(frames_->rest());
  }
  pieces.emplace_back().what = std::move(how);
  Push(std::move(pieces));
}

std::vector<Passage::Piece> Passage::LastEventsLocked(int events) const {
  std::vector<Piece> pieces;
  const auto count = std::min(events_.size(), static_cast<std::size_t>(std::max(events, 0)));
  for (auto event = events_.end() - static_cast<std::ptrdiff_t>(count); event != events_.end();
       ++event) {
    pieces.emplace_back().what = *event;
  }
  return pieces;
}

void Passage::Replay(int events) {
  std::vector<Piece> pieces;
  {
    const MutexLock lock(mutex_);
    pieces = LastEventsLocked(events);
    for (const Piece& piece : pieces) ahead_ += std::get<std::string>(piece.what).size();
  }
  Push(std::move(pieces));
}

void Passage::Expire() {
  if (!asked_.watches()) return;
  std::optional<bool> protobuf;
  {
    const MutexLock lock(mutex_);
    protobuf = protobuf_;
  }
  // One that has not begun hears of it as a client does whose connection breaks meanwhile.
  if (!protobuf) return Break(Error(ErrorCode::kIo, "the connection broke"));
  const Representation representation{.media = *protobuf ? MediaType::kProtobuf : MediaType::kJson};
  const Presenter presenter(nullptr, representation, world_->clock());
  std::vector<Piece> pieces(2);
  pieces[0].what = presenter.ErrorEvent(Expired("history was expired").status());
  pieces[1].what = Result<>();
  Push(std::move(pieces));
}

void Passage::Push(std::vector<Piece> pieces) {
  {
    const MutexLock lock(mutex_);
    if (over_) return;
    for (Piece& piece : pieces) pieces_.push_back(std::move(piece));
    changed_.NotifyAll();
    if (turn_is_taken_) return;
    turn_is_taken_ = true;
  }
  Run(/*may_wait=*/false);
}

bool Passage::MayGo(const Piece& piece, SteadyTime now) const {
  return !world_->stopped() && piece.due <= now &&
         std::ranges::all_of(piece.holders, &Rule::lifted);
}

std::optional<SteadyTime> Passage::DeadlineLocked() const {
  const bool begun = patience_ == transport::Patience::kHead && head_came_;
  if (timeout_.count() <= 0 || begun) return std::nullopt;
  return (patience_ == transport::Patience::kSilence ? progress_ : begun_) + timeout_;
}

void Passage::Run(bool may_wait) {
  MutexLock lock(mutex_);
  while (!over_) {
    if (ending_) {
      Result<> how = *ending_;
      lock.Unlock();
      Finish(std::move(how));
      return;
    }
    if (pieces_.empty()) {
      turn_is_taken_ = false;
      return;
    }
    const SteadyTime now = world_->clock().SteadyNow();
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
      world_->executor().Start("faults",
                               [turn = Turn(shared_from_this())]() mutable { turn.Run(); });
      return;
    }
    const SteadyTime deadline = DeadlineLocked().value_or(SteadyTime::max());
    if (deadline <= now) {
      ending_ = Fail(ErrorCode::kTimeout, "the time is up");
      continue;
    }
    // What is due and may not go waits to be woken.
    const SteadyTime due = first.due > now ? first.due : SteadyTime::max();
    world_->clock().WaitUntil(lock, changed_, std::min(deadline, due));
  }
  turn_is_taken_ = false;
}

void Passage::GiveUpTurn() {
  Result<> how;
  {
    const MutexLock lock(mutex_);
    turn_is_taken_ = false;
    if (over_ || !ending_) return;
    turn_is_taken_ = true;
    how = *ending_;
  }
  Finish(std::move(how));
}

void Passage::LetThrough(Piece piece) {
  if (auto* const request = std::get_if<transport::Request>(&piece.what)) {
    return SendRequest(std::move(*request));
  }
  if (auto* const how = std::get_if<Result<>>(&piece.what)) {
    Finish(std::move(*how));
    return;
  }
  const SteadyTime now = world_->clock().SteadyNow();
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

std::shared_ptr<transport::Exchange> Passage::Finish(Result<> how) {
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

void Passage::SendRequest(transport::Request request) {
  for (const auto& interrupt : course_.interrupts) interrupt(asked_);
  if (course_.answer || course_.error) return AnswerInstead();
  if (timeout_.count() > 0 && patience_ != transport::Patience::kSilence) {
    const auto left = begun_ + timeout_ - world_->clock().SteadyNow();
    request.timeout = std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(1));
  }
  if (!course_.as_of.empty()) AskForThePast(request, asked_, course_.as_of);
  SendToServer(std::move(request), course_.twice);
}

void Passage::SendToServer(transport::Request request, bool again) {
  {
    const MutexLock lock(mutex_);
    if (over_) return;
  }
  std::optional<transport::Request> next;
  if (again) next = request;
  auto exchange = world_->Send(std::move(request),
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

void Passage::AnswerInstead() {
  std::vector<Piece> pieces;
  if (course_.answer) {
    Answer answer = *course_.answer;
    transport::Headers headers = std::move(answer.headers);
    headers.emplace_back("content-type", std::move(answer.content_type));
    headers.emplace_back("content-length", std::to_string(answer.body.size()));
    pieces.emplace_back().what = ResponseHead{answer.status, std::move(headers)};
    pieces.emplace_back().what = std::move(answer.body);
  }
  pieces.emplace_back().what =
      course_.error ? Result<>(std::unexpected(*course_.error)) : Result<>();
  Push(std::move(pieces));
}

}  // namespace flyball::sandbox

#include "flyball/sandbox/faults.h"

#include <string_view>

#include "flyball/base/check.h"
#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/faults/fault_state.h"
#include "flyball/sandbox/faults/faulty_exchange.h"
#include "flyball/sandbox/faults/rule.h"

namespace flyball::sandbox {
namespace {

std::string_view ReasonOf(int code) {
  constexpr std::pair<int, std::string_view> kReasons[] = {
      {400, "BadRequest"},      {401, "Unauthorized"},          {403, "Forbidden"},
      {404, "NotFound"},        {405, "MethodNotAllowed"},      {409, "Conflict"},
      {410, "Expired"},         {413, "RequestEntityTooLarge"}, {422, "Invalid"},
      {429, "TooManyRequests"}, {500, "InternalError"},         {503, "ServiceUnavailable"},
      {504, "Timeout"},
  };
  for (const auto& [known, reason] : kReasons) {
    if (known == code) return reason;
  }
  return "";
}

ApiStatusError RefusalWith(int code) {
  meta::v1::Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = ReasonOf(code);
  status.message = "a fault that was asked for";
  return ApiStatusError(std::move(status));
}

}  // namespace

int Fault::count() const { return rule_->count(); }

void Fault::Lift() {
  rule_->Lift();
  state_->WakeAll();
}

Fault RequestSentence::Add(std::function<void(FaultEffect&)> change) {
  auto rule = std::make_shared<Rule>(requests_, share_, Rule::Change(std::move(change)));
  state_->Add(rule);
  return {state_, std::move(rule)};
}

Fault RequestSentence::Refuse(const ApiStatusError& refusal) {
  return Add([answer = Answer::Of(refusal, {})](FaultEffect& effect) {
    if (!effect.ends()) effect.answer = answer;
  });
}

Fault RequestSentence::Refuse(int code) { return Refuse(RefusalWith(code)); }

Fault RequestSentence::Expire() { return Refuse(Expired("history was expired")); }

Fault RequestSentence::Break() {
  return Add([](FaultEffect& effect) {
    if (!effect.ends()) effect.error = Error(ErrorCode::kIo, "the connection broke");
  });
}

Fault RequestSentence::Disconnect() {
  return Add([](FaultEffect& effect) {
    if (!effect.ends()) effect.error = Error(ErrorCode::kUnavailable, "there is no connection");
  });
}

Fault RequestSentence::LoseAnswer() {
  return Add([](FaultEffect& effect) { effect.answer_lost = true; });
}

Fault RequestSentence::RefuseAfter(const ApiStatusError& refusal) {
  return Add(
      [answer = Answer::Of(refusal, {})](FaultEffect& effect) { effect.late_answer = answer; });
}

Fault RequestSentence::RefuseAfter(int code) { return RefuseAfter(RefusalWith(code)); }

Fault RequestSentence::AnswerAfter(Answer answer) {
  return Add([answer = std::move(answer)](FaultEffect& effect) { effect.late_answer = answer; });
}

Fault RequestSentence::ActPastTimeout(std::chrono::nanoseconds delay) {
  return Add([delay](FaultEffect& effect) {
    if (effect.ends()) return;
    effect.acts_later = delay;
    effect.acts_past_timeout = true;
  });
}

Fault RequestSentence::StopTheWorldAndActPastTimeout(std::chrono::nanoseconds delay) {
  return Add([delay](FaultEffect& effect) {
    if (effect.ends()) return;
    effect.acts_later = delay;
    effect.acts_past_timeout = true;
    effect.stops_the_world = true;
  });
}

Fault RequestSentence::ActLater(std::chrono::nanoseconds delay) {
  return Add([delay](FaultEffect& effect) {
    if (!effect.ends()) effect.acts_later = delay;
  });
}

Fault RequestSentence::Delay(std::chrono::nanoseconds delay) {
  return Add([delay](FaultEffect& effect) { effect.delay += delay; });
}

Fault RequestSentence::DelayAnswer(std::chrono::nanoseconds delay) {
  return Add([delay](FaultEffect& effect) { effect.answer_delay += delay; });
}

Fault RequestSentence::SendTwice() {
  return Add([](FaultEffect& effect) { effect.twice = true; });
}

Fault RequestSentence::Drop() {
  return Add([](FaultEffect& effect) { effect.dropped = effect.dropped || !effect.ends(); });
}

Fault RequestSentence::StopTheWorld() {
  return Add([](FaultEffect& effect) { effect.stops_the_world = true; });
}

Fault RequestSentence::StopTheWorldAfter() {
  return Add([](FaultEffect& effect) { effect.answer_stops_the_world = true; });
}

Fault RequestSentence::RewriteAnswer(std::function<void(std::string&)> rewrite) {
  return Add(
      [rewrite = std::move(rewrite)](FaultEffect& effect) { effect.rewrites.push_back(rewrite); });
}

Fault RequestSentence::AnswerAsOf(std::string resource_version) {
  return Add(
      [version = std::move(resource_version)](FaultEffect& effect) { effect.as_of = version; });
}

Fault RequestSentence::Interrupt(std::function<void(const Asked&)> interrupt) {
  return Add([interrupt = std::move(interrupt)](FaultEffect& effect) {
    effect.interrupts.push_back(interrupt);
  });
}

Fault EventSentence::Add(std::function<void(EventFaultEffect&)> change) {
  auto rule = std::make_shared<Rule>(requests_, share_, Rule::EventChange(std::move(change)));
  state_->Add(rule);
  return {state_, std::move(rule)};
}

Fault EventSentence::Hold() {
  return Add([](EventFaultEffect& effect) { effect.held = true; });
}

Fault EventSentence::Delay(std::chrono::nanoseconds delay) {
  return Add([delay](EventFaultEffect& effect) { effect.delay += delay; });
}

Fault EventSentence::Replay(int events) {
  return Add([events](EventFaultEffect& effect) { effect.replay += events; });
}

Fault EventSentence::Break() {
  return Add([](EventFaultEffect& effect) { effect.broken = true; });
}

Fault EventSentence::Rewrite(std::function<void(std::string&)> rewrite) {
  return Add([rewrite = std::move(rewrite)](EventFaultEffect& effect) {
    effect.rewrites.push_back(rewrite);
  });
}

Faults::Faults(transport::Transport& next, Executor& executor, std::uint64_t seed)
    : state_(std::make_shared<FaultState>(next, executor, seed)) {}

Faults::~Faults() { state_->End(); }

std::shared_ptr<transport::Exchange> Faults::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  return FaultyExchange::Start(state_, std::move(request), std::move(handler));
}

void Faults::LiftAll() { state_->LiftAll(); }

void Faults::BreakWatches(const Requests& watches) {
  for (const auto& faulty_exchange : state_->FaultyExchanges()) {
    if (!faulty_exchange->asked().watches() || !watches.Contain(faulty_exchange->asked())) continue;
    faulty_exchange->Break(Error(ErrorCode::kIo, "the connection broke"));
  }
}

void Faults::ReplayEvents(int events, const Requests& watches) {
  for (const auto& faulty_exchange : state_->FaultyExchanges()) {
    if (watches.Contain(faulty_exchange->asked())) faulty_exchange->Replay(events);
  }
}

void Faults::ExpireHistory() { state_->Expire(); }

void Faults::StopTheWorld() { state_->Stop(); }

void Faults::StopTheWorldAfterWrites(int writes) {
  FLYBALL_CHECK(writes > 0, "to stop after no write is to stop now");
  state_->StopAfterWrites(writes);
}

void Faults::Resume() { state_->Resume(); }

bool Faults::stopped() const { return state_->stopped(); }

bool Faults::WaitUntilStopped(SteadyTime deadline) const {
  return state_->WaitUntilStopped(deadline);
}

int Faults::writes() const { return state_->writes(); }

}  // namespace flyball::sandbox

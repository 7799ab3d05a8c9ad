#include "flyball/sandbox/faults.h"

#include <string_view>

#include "flyball/base/check.h"
#include "flyball/sandbox/answer.h"
#include "flyball/sandbox/faults/passage.h"
#include "flyball/sandbox/faults/rule.h"
#include "flyball/sandbox/faults/world.h"

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

}  // namespace

int Fault::count() const { return rule_->count(); }

void Fault::Lift() {
  rule_->Lift();
  world_->WakeAll();
}

Fault RequestSentence::Add(std::function<void(Course&)> change) {
  auto rule = std::make_shared<Rule>(requests_, share_, Rule::Change(std::move(change)));
  world_->Add(rule);
  return {world_, std::move(rule)};
}

Fault RequestSentence::Refuse(const Refusal& refusal) {
  return Add([answer = Answer::Of(refusal, {})](Course& course) {
    if (!course.ends()) course.answer = answer;
  });
}

Fault RequestSentence::Refuse(int code) {
  meta::v1::Status status;
  status.status = "Failure";
  status.code = code;
  status.reason = ReasonOf(code);
  status.message = "a fault that was asked for";
  return Refuse(Refusal(std::move(status)));
}

Fault RequestSentence::Expire() { return Refuse(Expired("history was expired")); }

Fault RequestSentence::Break() {
  return Add([](Course& course) {
    if (!course.ends()) course.error = Error(ErrorCode::kIo, "the connection broke");
  });
}

Fault RequestSentence::Disconnect() {
  return Add([](Course& course) {
    if (!course.ends()) course.error = Error(ErrorCode::kUnavailable, "there is no connection");
  });
}

Fault RequestSentence::LoseAnswer() {
  return Add([](Course& course) { course.answer_lost = true; });
}

Fault RequestSentence::Delay(std::chrono::nanoseconds delay) {
  return Add([delay](Course& course) { course.delay += delay; });
}

Fault RequestSentence::DelayAnswer(std::chrono::nanoseconds delay) {
  return Add([delay](Course& course) { course.answer_delay += delay; });
}

Fault RequestSentence::SendTwice() {
  return Add([](Course& course) { course.twice = true; });
}

Fault RequestSentence::Drop() {
  return Add([](Course& course) { course.dropped = course.dropped || !course.ends(); });
}

Fault RequestSentence::StopTheWorld() {
  return Add([](Course& course) { course.stops_the_world = true; });
}

Fault RequestSentence::StopTheWorldAfter() {
  return Add([](Course& course) { course.answer_stops_the_world = true; });
}

Fault RequestSentence::AnswerAsOf(std::string resource_version) {
  return Add([version = std::move(resource_version)](Course& course) { course.as_of = version; });
}

Fault RequestSentence::Interrupt(std::function<void(const Asked&)> interrupt) {
  return Add([interrupt = std::move(interrupt)](Course& course) {
    course.interrupts.push_back(interrupt);
  });
}

Fault EventSentence::Add(std::function<void(EventCourse&)> change) {
  auto rule = std::make_shared<Rule>(requests_, share_, Rule::EventChange(std::move(change)));
  world_->Add(rule);
  return {world_, std::move(rule)};
}

Fault EventSentence::Hold() {
  return Add([](EventCourse& course) { course.held = true; });
}

Fault EventSentence::Delay(std::chrono::nanoseconds delay) {
  return Add([delay](EventCourse& course) { course.delay += delay; });
}

Fault EventSentence::Replay(int events) {
  return Add([events](EventCourse& course) { course.replay += events; });
}

Fault EventSentence::Break() {
  return Add([](EventCourse& course) { course.broken = true; });
}

Faults::Faults(transport::Transport& next, Executor& executor, std::uint64_t seed)
    : world_(std::make_shared<World>(next, executor, seed)) {}

Faults::~Faults() { world_->End(); }

std::shared_ptr<transport::Exchange> Faults::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  return Passage::Start(world_, std::move(request), std::move(handler));
}

void Faults::LiftAll() { world_->LiftAll(); }

void Faults::BreakWatches(const Requests& watches) {
  for (const auto& passage : world_->Passages()) {
    if (!passage->asked().watches() || !watches.Contain(passage->asked())) continue;
    passage->Break(Error(ErrorCode::kIo, "the connection broke"));
  }
}

void Faults::ReplayEvents(int events, const Requests& watches) {
  for (const auto& passage : world_->Passages()) {
    if (watches.Contain(passage->asked())) passage->Replay(events);
  }
}

void Faults::ExpireHistory() { world_->Expire(); }

void Faults::StopTheWorld() { world_->Stop(); }

void Faults::StopTheWorldAfterWrites(int writes) {
  FLYBALL_CHECK(writes > 0, "to stop after no write is to stop now");
  world_->StopAfterWrites(writes);
}

void Faults::Resume() { world_->Resume(); }

bool Faults::stopped() const { return world_->stopped(); }

bool Faults::WaitUntilStopped(SteadyTime deadline) const {
  return world_->WaitUntilStopped(deadline);
}

int Faults::writes() const { return world_->writes(); }

}  // namespace flyball::sandbox

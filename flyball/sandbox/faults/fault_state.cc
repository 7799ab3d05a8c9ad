#include "flyball/sandbox/faults/fault_state.h"

#include <algorithm>
#include <utility>

#include "flyball/sandbox/faults/faulty_exchange.h"

namespace flyball::sandbox {

/// Counts a call of the server, also where it is unwound.
class FaultState::Sending {
 public:
  explicit Sending(FaultState& state) : state_(state) {}
  ~Sending() {
    const MutexLock lock(state_.mutex_);
    if (--state_.sending_ == 0) state_.changed_.NotifyAll();
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

 private:
  FaultState& state_;
};

void FaultState::Add(RulePtr rule) {
  const MutexLock lock(mutex_);
  rules_.push_back(std::move(rule));
}

void FaultState::LiftAll() {
  {
    const MutexLock lock(mutex_);
    for (const RulePtr& rule : rules_) rule->Lift();
    rules_.clear();
  }
  WakeAll();
}

FaultEffect FaultState::EffectOf(const Asked& asked) {
  FaultEffect effect;
  const MutexLock lock(mutex_);
  for (const RulePtr& rule : rules_) {
    if (!rule->is_of_events() && rule->Matches(asked, dice_)) rule->Apply(effect);
  }
  if (history_expired_ && !effect.ends()) {
    if (asked.begins()) listed_since_.insert(PlaceOf(asked));
    if (asked.goes_on() && !listed_since_.contains(PlaceOf(asked))) {
      effect.answer = Answer::Of(Expired("history was expired"), {});
    }
  }
  return effect;
}

EventFaultEffect FaultState::EventEffectOf(const Asked& asked) {
  EventFaultEffect effect;
  const MutexLock lock(mutex_);
  for (const RulePtr& rule : rules_) {
    if (!rule->is_of_events() || !rule->Matches(asked, dice_)) continue;
    rule->Apply(effect);
    if (std::exchange(effect.held, false)) effect.holders.push_back(rule);
  }
  return effect;
}

std::string FaultState::PlaceOf(const Asked& asked) {
  std::string place = asked.user_agent;
  for (const std::string& part : asked.target.path) place += "/" + part;
  return place;
}

void FaultState::Enter(const std::shared_ptr<FaultyExchange>& faulty_exchange) {
  const MutexLock lock(mutex_);
  std::erase_if(faulty_exchanges_, [](const auto& each) { return each.expired(); });
  faulty_exchanges_.push_back(faulty_exchange);
}

std::vector<std::shared_ptr<FaultyExchange>> FaultState::FaultyExchanges() const {
  std::vector<std::shared_ptr<FaultyExchange>> faulty_exchanges;
  const MutexLock lock(mutex_);
  for (const auto& weak : faulty_exchanges_) {
    if (auto faulty_exchange = weak.lock()) faulty_exchanges.push_back(std::move(faulty_exchange));
  }
  return faulty_exchanges;
}

void FaultState::WakeAll() const {
  for (const auto& faulty_exchange : FaultyExchanges()) faulty_exchange->Wake();
}

std::shared_ptr<transport::Exchange> FaultState::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return nullptr;
    ++sending_;
  }
  const Sending sending(*this);
  return next_.Send(std::move(request), std::move(handler));
}

void FaultState::Expire() {
  {
    const MutexLock lock(mutex_);
    history_expired_ = true;
    listed_since_.clear();
  }
  for (const auto& faulty_exchange : FaultyExchanges()) faulty_exchange->Expire();
}

void FaultState::Stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  changed_.NotifyAll();
}

void FaultState::StopAfterWrites(int writes) {
  const MutexLock lock(mutex_);
  stop_at_ = writes_ + writes;
}

void FaultState::Resume() {
  {
    const MutexLock lock(mutex_);
    stopped_ = false;
    stop_at_ = 0;
  }
  WakeAll();
}

bool FaultState::WaitUntilStopped(SteadyTime deadline) {
  MutexLock lock(mutex_);
  return clock().WaitUntil(lock, changed_, deadline, [this] { return stopped_.load(); });
}

void FaultState::CountWrite() {
  const MutexLock lock(mutex_);
  if (++writes_ != stop_at_) return;
  stopped_ = true;
  changed_.NotifyAll();
}

int FaultState::writes() const {
  const MutexLock lock(mutex_);
  return writes_;
}

void FaultState::End() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  for (const auto& faulty_exchange : FaultyExchanges()) {
    faulty_exchange->Break(Error(ErrorCode::kCancelled, "what was in between is gone"));
  }
  MutexLock lock(mutex_);
  clock().Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return sending_ == 0; });
}

}  // namespace flyball::sandbox

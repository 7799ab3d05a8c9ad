#include "flyball/transport/internal/deadlines.h"

#include <utility>

namespace flyball::transport {

Deadlines::Entry Deadlines::Add(std::chrono::nanoseconds delay, Expired expired) {
  const Time when = boost::asio::steady_timer::clock_type::now() + delay;
  const Entry entry = entries_.emplace(when, std::move(expired));
  if (when < armed_for_) Arm();
  return entry;
}

void Deadlines::Remove(Entry entry) {
  entries_.erase(entry);
  if (let_go_ && entries_.empty()) timer_.cancel();
}

void Deadlines::LetGo() {
  let_go_ = true;
  if (entries_.empty()) timer_.cancel();
}

/// The timer is not moved when the first entry goes: it rings once in vain, and finds the next.
void Deadlines::Arm() {
  armed_for_ = entries_.begin()->first;
  timer_.expires_at(armed_for_);
  timer_.async_wait([this](boost::system::error_code aborted) {
    if (!aborted) Expire();
  });
}

void Deadlines::Expire() {
  armed_for_ = Time::max();
  const Time now = boost::asio::steady_timer::clock_type::now();
  while (!entries_.empty() && entries_.begin()->first <= now) {
    auto first = entries_.extract(entries_.begin());
    first.mapped()();
  }
  if (!entries_.empty() && entries_.begin()->first < armed_for_) Arm();
}

}  // namespace flyball::transport

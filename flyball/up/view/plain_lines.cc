#include "flyball/up/view/plain_lines.h"

#include <algorithm>

#include "flyball/api/time.h"

namespace flyball::up {
namespace {

std::string NameOf(const Rollout& rollout) { return rollout.kind + " " + rollout.name; }

std::string Told(const Rollout& rollout) {
  const std::string name = NameOf(rollout);
  const std::string ready = std::to_string(std::min(rollout.available, rollout.updated)) + " of " +
                            std::to_string(rollout.desired) + " ready";
  switch (rollout.state) {
    case Rollout::State::kDone:
      return name + ": rolled out, " + ready + " (" + rollout.image + ")";
    case Rollout::State::kPaused:
      return name + ": paused, " + ready;
    case Rollout::State::kStuck:
      return name + ": stuck, " + ready + ": " + rollout.reason;
    case Rollout::State::kUnderWay:
      break;
  }
  return name + ": rolling out, " + ready +
         (rollout.old > 0 ? ", " + std::to_string(rollout.old) + " old" : "");
}

}  // namespace

std::vector<std::string> PlainLines::Tell(const Snapshot& now) {
  std::vector<std::string> lines;
  for (const EventLine& event : now.events) {
    if (std::ranges::find(events_, event) != events_.end()) continue;
    lines.push_back(api::Time(event.when).ToString() + (event.warning ? " Warning " : " ") +
                    event.reason + " " + event.about + ": " + event.message);
  }
  events_ = now.events;

  const std::string time = api::Time(now.now).ToString() + " ";
  std::map<std::string, Rollout> rollouts;
  for (const Rollout& rollout : now.rollouts) {
    const auto before = rollouts_.find(NameOf(rollout));
    if (before == rollouts_.end() || before->second != rollout) {
      lines.push_back(time + Told(rollout));
    }
    rollouts.emplace(NameOf(rollout), rollout);
  }
  for (const auto& [name, rollout] : rollouts_) {
    if (!rollouts.contains(name)) lines.push_back(time + name + ": gone");
  }
  rollouts_ = std::move(rollouts);
  return lines;
}

}  // namespace flyball::up

#include "flyball/sandbox/faults/world.h"

#include <algorithm>
#include <utility>

#include "flyball/sandbox/faults/passage.h"

namespace flyball::sandbox {

/// Counts a call of the server, also where it is unwound.
class World::Sending {
 public:
  explicit Sending(World& world) : world_(world) {}
  ~Sending() {
    const MutexLock lock(world_.mutex_);
    if (--world_.sending_ == 0) world_.changed_.NotifyAll();
  }
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;

 private:
  World& world_;
};

void World::Add(RulePtr rule) {
  const MutexLock lock(mutex_);
  rules_.push_back(std::move(rule));
}

void World::LiftAll() {
  {
    const MutexLock lock(mutex_);
    for (const RulePtr& rule : rules_) rule->Lift();
    rules_.clear();
  }
  WakeAll();
}

Course World::CourseOf(const Asked& asked) {
  Course course;
  const MutexLock lock(mutex_);
  for (const RulePtr& rule : rules_) {
    if (!rule->is_of_events() && rule->Befalls(asked, dice_)) rule->Apply(course);
  }
  if (history_expired_ && !course.ends()) {
    if (asked.begins()) listed_since_.insert(PlaceOf(asked));
    if (asked.goes_on() && !listed_since_.contains(PlaceOf(asked))) {
      course.answer = Answer::Of(Expired("history was expired"), {});
    }
  }
  return course;
}

EventCourse World::EventCourseOf(const Asked& asked) {
  EventCourse course;
  const MutexLock lock(mutex_);
  for (const RulePtr& rule : rules_) {
    if (!rule->is_of_events() || !rule->Befalls(asked, dice_)) continue;
    rule->Apply(course);
    if (std::exchange(course.held, false)) course.holders.push_back(rule);
  }
  return course;
}

std::string World::PlaceOf(const Asked& asked) {
  std::string place = asked.user_agent;
  for (const std::string& part : asked.target.path) place += "/" + part;
  return place;
}

void World::Enter(const std::shared_ptr<Passage>& passage) {
  const MutexLock lock(mutex_);
  std::erase_if(passages_, [](const auto& each) { return each.expired(); });
  passages_.push_back(passage);
}

std::vector<std::shared_ptr<Passage>> World::Passages() const {
  std::vector<std::shared_ptr<Passage>> passages;
  const MutexLock lock(mutex_);
  for (const auto& weak : passages_) {
    if (auto passage = weak.lock()) passages.push_back(std::move(passage));
  }
  return passages;
}

void World::WakeAll() const {
  for (const auto& passage : Passages()) passage->Wake();
}

std::shared_ptr<transport::Exchange> World::Send(
    transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return nullptr;
    ++sending_;
  }
  const Sending sending(*this);
  return next_.Send(std::move(request), std::move(handler));
}

void World::Expire() {
  {
    const MutexLock lock(mutex_);
    history_expired_ = true;
    listed_since_.clear();
  }
  for (const auto& passage : Passages()) passage->Expire();
}

void World::Stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  changed_.NotifyAll();
}

void World::StopAfterWrites(int writes) {
  const MutexLock lock(mutex_);
  stop_at_ = writes_ + writes;
}

void World::Resume() {
  {
    const MutexLock lock(mutex_);
    stopped_ = false;
    stop_at_ = 0;
  }
  WakeAll();
}

bool World::WaitUntilStopped(SteadyTime deadline) {
  MutexLock lock(mutex_);
  return clock().WaitUntil(lock, changed_, deadline, [this] { return stopped_.load(); });
}

void World::CountWrite() {
  const MutexLock lock(mutex_);
  if (++writes_ != stop_at_) return;
  stopped_ = true;
  changed_.NotifyAll();
}

int World::writes() const {
  const MutexLock lock(mutex_);
  return writes_;
}

void World::End() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  for (const auto& passage : Passages()) {
    passage->Break(Error(ErrorCode::kCancelled, "what was in between is gone"));
  }
  MutexLock lock(mutex_);
  clock().Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return sending_ == 0; });
}

}  // namespace flyball::sandbox

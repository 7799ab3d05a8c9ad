#include "flyball/sandbox/watch_turns.h"

#include <functional>
#include <utility>

namespace flyball::sandbox {
namespace {

/// More than this is not kept for those who are still to come.
constexpr std::size_t kMostKept = std::size_t{4} << 20;

}  // namespace

std::size_t WatchFrames::KeyHash::operator()(const Key& key) const {
  const auto form = static_cast<std::size_t>(key.representation.media) * 8 +
                    static_cast<std::size_t>(key.representation.form);
  return std::hash<RecordPtr>()(key.record) ^ form ^ (key.type.size() << 8);
}

const std::string& WatchFrames::Event(const Presenter& presenter, std::string_view type,
                                      const RecordPtr& record) {
  if (presenter.representation().form == Form::kTable) {  // which shows how old things are
    return last_ = presenter.Event(type, record);
  }
  const auto [at, fresh] = frames_.try_emplace(
      {record, presenter.resource().kind.get(), presenter.representation(), type});
  if (!fresh) return at->second;
  at->second = presenter.Event(type, record);
  bytes_ += at->second.size();
  if (bytes_ <= kMostKept) return at->second;
  last_ = std::move(at->second);
  Clear();
  return last_;
}

void WatchFrames::Clear() {
  frames_.clear();
  bytes_ = 0;
}

/// What the task has. If it does not come to its end, nobody waits for turns in vain.
class WatchTurns::Shift {
 public:
  explicit Shift(std::shared_ptr<WatchTurns> turns) : turns_(std::move(turns)) {}
  Shift(Shift&&) noexcept = default;
  Shift& operator=(Shift&&) = delete;
  ~Shift() {
    if (turns_) turns_->DropAll();
  }
  void Run() {
    turns_->Run();
    turns_.reset();
  }

 private:
  std::shared_ptr<WatchTurns> turns_;
};

void WatchTurns::Add(std::shared_ptr<Taker> taker) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(taker));
    if (std::exchange(running_, true)) return;
  }
  executor_.Start("server/watch", [shift = Shift(shared_from_this())]() mutable { shift.Run(); });
}

std::shared_ptr<WatchTurns::Taker> WatchTurns::Next() {
  std::shared_ptr<Taker> last;  // may go with this, which is not for under the lock
  const MutexLock lock(mutex_);
  last.swap(current_);
  if (waiting_.empty()) {
    frames_.Clear();
    running_ = false;
    return nullptr;
  }
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  return current_;
}

void WatchTurns::Run() {
  while (auto taker = Next()) {
    if (!taker->TakeTurn(frames_)) continue;
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(taker));
  }
}

void WatchTurns::DropAll() {
  std::deque<std::shared_ptr<Taker>> dropped;
  {
    const MutexLock lock(mutex_);
    running_ = false;
    dropped.swap(waiting_);
    if (current_) dropped.push_front(std::exchange(current_, nullptr));
  }
  for (const auto& taker : dropped) taker->LoseTurn();
}

}  // namespace flyball::sandbox

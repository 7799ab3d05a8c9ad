#include "flyball/sandbox/watch_fanout.h"

#include <functional>
#include <utility>

namespace flyball::sandbox {
namespace {

/// More than this is not kept for those who are still to come.
constexpr std::size_t kMostKept = std::size_t{4} << 20;

}  // namespace

std::size_t WatchFrames::KeyHash::operator()(const Key& key) const {
  const auto form = static_cast<std::size_t>(key.media_type.media) * 8 +
                    static_cast<std::size_t>(key.media_type.form);
  return std::hash<RecordPtr>()(key.record) ^ form ^ (key.type.size() << 8);
}

const std::string& WatchFrames::Event(const ResponseEncoder& encoder, std::string_view type,
                                      const RecordPtr& record) {
  if (encoder.media_type().form == Form::kTable) {  // which shows how old things are
    return last_ = encoder.Event(type, record);
  }
  const auto [at, fresh] =
      frames_.try_emplace({record, encoder.resource().kind.get(), encoder.media_type(), type});
  if (!fresh) return at->second;
  at->second = encoder.Event(type, record);
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

/// Held by the task: if the task does not come to its end, no subscriber waits in vain.
class WatchFanout::Shift {
 public:
  explicit Shift(std::shared_ptr<WatchFanout> fanout) : fanout_(std::move(fanout)) {}
  Shift(Shift&&) noexcept = default;
  Shift& operator=(Shift&&) = delete;
  ~Shift() {
    if (fanout_) fanout_->DropAll();
  }
  void Run() {
    fanout_->Run();
    fanout_.reset();
  }

 private:
  std::shared_ptr<WatchFanout> fanout_;
};

void WatchFanout::Add(std::shared_ptr<Subscriber> subscriber) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(subscriber));
    if (std::exchange(running_, true)) return;
  }
  executor_.Start("server/watch", [shift = Shift(shared_from_this())]() mutable { shift.Run(); });
}

std::shared_ptr<WatchFanout::Subscriber> WatchFanout::Next() {
  std::shared_ptr<Subscriber> last;  // may go with this, which is not for under the lock
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

void WatchFanout::Run() {
  while (auto subscriber = Next()) {
    if (!subscriber->SendPart(frames_)) continue;
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(subscriber));
  }
}

void WatchFanout::DropAll() {
  std::deque<std::shared_ptr<Subscriber>> dropped;
  {
    const MutexLock lock(mutex_);
    running_ = false;
    dropped.swap(waiting_);
    if (current_) dropped.push_front(std::exchange(current_, nullptr));
  }
  for (const auto& subscriber : dropped) subscriber->OnDropped();
}

}  // namespace flyball::sandbox

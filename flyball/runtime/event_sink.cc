#include "flyball/runtime/event_sink.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "flyball/base/mutex.h"

namespace flyball::runtime {
namespace {

/// How often drops for want of room are logged, at most.
constexpr std::chrono::minutes kReportEvery(1);

/// Refusals that are a matter of course: written already, by a try whose answer was lost; or about
/// something in a namespace that is being deleted.
bool IsExpected(const Error& error) {
  return error.code() == ErrorCode::kAlreadyExists ||
         std::ranges::find(error.detail().causes, "NamespaceTerminating", &ErrorCause::reason) !=
             error.detail().causes.end();
}

/// The same part of a whole as the bits are of all bits.
std::chrono::nanoseconds RandomPart(std::chrono::nanoseconds whole, std::uint64_t bits) {
  constexpr double kAll = 18446744073709551616.0;  // 2^64
  return std::chrono::duration_cast<std::chrono::nanoseconds>(whole *
                                                              (static_cast<double>(bits) / kAll));
}

}  // namespace

bool WorthAnotherTry(const Error& error) {
  switch (error.code()) {
    // DIVERGES: a 503 is among these, where upstream drops the event. It is what a server says that
    // is starting or stopping, and to lose the events of a restart is no gain.
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
    case ErrorCode::kIo:
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported:
      return true;
    // Upstream's client sends these again itself. An event has its name from us, so that a second
    // write of it makes no second event.
    case ErrorCode::kInternal:
    case ErrorCode::kServerTimeout:
      return error.detail().retry_after.count() > 0;
    default:
      return false;
  }
}

class EventSink::Writer : public std::enable_shared_from_this<Writer> {
 public:
  Writer(Deps deps, Options options) : deps_(std::move(deps)), options_(std::move(options)) {}

  const Deps& deps() const { return deps_; }

  void Add(Work work) {
    {
      MutexLock lock(mutex_);
      if (stopping_ || waiting_.size() >= options_.capacity) {
        const bool full = !stopping_;
        (full ? deps_.metrics.overflow : deps_.metrics.shutdown).Increment();
        const std::size_t dropped = full ? DroppedToReport() : 0;
        lock.Unlock();
        if (dropped > 0) ReportOverflow(work, dropped);
        return;
      }
      waiting_.push_back(std::move(work));
      if (running_) return;
      running_ = true;
    }
    deps_.executor.Start(options_.name + "/events", [drain = Drain(shared_from_this())]() mutable {
      const std::shared_ptr<Writer> writer = drain.writer;
      while (std::optional<Work> next = writer->TakeNext(drain)) writer->Write(*next);
    });
  }

  bool Shutdown(SteadyTime deadline) {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    const auto done = [this]() FLYBALL_REQUIRES(mutex_) { return !running_; };
    if (deps_.executor.clock().WaitUntil(lock, changed_, deadline, done)) return true;
    deps_.metrics.shutdown.Add(static_cast<double>(waiting_.size()));
    waiting_.clear();
    return false;
  }

 private:
  /// The right to run. Given back also where the task is dropped or unwound, as in a deterministic
  /// run that is abandoned.
  struct Drain {
    explicit Drain(std::shared_ptr<Writer> owner) : writer(std::move(owner)) {}
    Drain(Drain&&) noexcept = default;
    Drain& operator=(Drain&&) = delete;
    ~Drain() {
      if (writer == nullptr) return;
      const MutexLock lock(writer->mutex_);
      writer->EndDrain();
    }

    std::shared_ptr<Writer> writer;  // null when given back
  };

  /// The next event; or none, and the turn is given back in one with having looked: what comes
  /// later starts another task.
  std::optional<Work> TakeNext(Drain& drain) {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) {
      EndDrain();
      drain.writer = nullptr;
      return std::nullopt;
    }
    std::optional<Work> next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  void EndDrain() FLYBALL_REQUIRES(mutex_) {
    running_ = false;
    changed_.NotifyAll();
  }

  void Write(Work& work) {
    for (int tries = 1;; ++tries) {
      const bool last = tries >= options_.tries || stopping();
      const Result<> written = work.write();
      if (written) return;
      if (!WorthAnotherTry(written.error())) return Refused(work, written.error());
      if (last) return GiveUp(work, written.error(), tries);
      deps_.log.Error(
          written.error(), "Unable to write event (may retry after sleeping)",
          {{"event", work.reason}, {"object", LogObject{work.about.namespace_, work.about.name}}});
      WaitForNextTry(tries == 1 ? RandomPart(options_.delay, deps_.random()) : options_.delay);
    }
  }

  void WaitForNextTry(std::chrono::nanoseconds delay) {
    const SteadyTime deadline = deps_.executor.clock().DeadlineAfter(delay);
    MutexLock lock(mutex_);
    const auto stopping = [this]() FLYBALL_REQUIRES(mutex_) { return stopping_; };
    static_cast<void>(deps_.executor.clock().WaitUntil(lock, changed_, deadline, stopping));
  }

  void Refused(const Work& work, const Error& error) const {
    const LogObject object{work.about.namespace_, work.about.name};
    if (IsExpected(error)) {
      deps_.log.V(5).Info("Server rejected event (will not retry!)",
                          {{"event", work.reason}, {"object", object}, {"err", error}});
    } else {
      deps_.log.Error(error, "Server rejected event (will not retry!)",
                      {{"event", work.reason}, {"object", object}});
    }
    deps_.metrics.refused.Increment();
  }

  void GiveUp(const Work& work, const Error& error, int tries) const {
    const bool ends = stopping();
    (ends ? deps_.metrics.shutdown : deps_.metrics.unreachable).Increment();
    deps_.log.Error(error,
                    ends ? "Unable to write event (broadcaster is shut down)"
                         : "Unable to write event (retry limit exceeded!)",
                    {{"event", work.reason},
                     {"object", LogObject{work.about.namespace_, work.about.name}},
                     {"tries", tries}});
  }

  /// Counts a drop. How many to report now, or zero if that was done a short while ago.
  std::size_t DroppedToReport() FLYBALL_REQUIRES(mutex_) {
    ++unreported_;
    const SteadyTime now = deps_.executor.clock().SteadyNow();
    if (now < next_report_) return 0;
    next_report_ = now + kReportEvery;
    return std::exchange(unreported_, 0);
  }

  void ReportOverflow(const Work& last, std::size_t dropped) const {
    deps_.log.Error("Unable to record event: too many queued events, dropped event",
                    {{"event", last.reason},
                     {"object", LogObject{last.about.namespace_, last.about.name}},
                     {"sink", options_.name},
                     {"dropped", dropped}});
  }

  bool stopping() const {
    const MutexLock lock(mutex_);
    return stopping_;
  }

  const Deps deps_;
  const Options options_;
  CondVar changed_;  // of running_ and stopping_

  mutable Mutex mutex_;
  std::deque<Work> waiting_ FLYBALL_GUARDED_BY(mutex_);
  bool running_ FLYBALL_GUARDED_BY(mutex_) = false;
  bool stopping_ FLYBALL_GUARDED_BY(mutex_) = false;
  std::size_t unreported_ FLYBALL_GUARDED_BY(mutex_) = 0;
  SteadyTime next_report_ FLYBALL_GUARDED_BY(mutex_) = SteadyTime::min();
};

EventSink::EventSink(Deps deps, Options options)
    : writer_(std::make_shared<Writer>(std::move(deps), std::move(options))) {}

EventSink::~EventSink() {
  static_cast<void>(writer_->Shutdown(SteadyTime::min()));
  static_cast<void>(writer_->Shutdown(SteadyTime::max()));
}

void EventSink::Add(Work work) { writer_->Add(std::move(work)); }
bool EventSink::Shutdown(SteadyTime deadline) { return writer_->Shutdown(deadline); }
const client::Client& EventSink::client() const { return writer_->deps().client; }
Clock& EventSink::clock() const { return writer_->deps().executor.clock(); }
const Logger& EventSink::log() const { return writer_->deps().log; }
const EventMetrics& EventSink::metrics() const { return writer_->deps().metrics; }
const api::RandomBits& EventSink::random() const { return writer_->deps().random; }

}  // namespace flyball::runtime

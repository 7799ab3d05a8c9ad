#include "flyball/sandbox/watch_stream.h"

#include <utility>

namespace flyball::sandbox {
namespace {

using namespace std::chrono_literals;

/// How much a client may leave unread before nothing more is sent to it.
constexpr std::size_t kWindow = 256 * 1024;
constexpr std::size_t kChangesAtOnce = 64;
constexpr auto kBookmarkPeriod = 60s;

}  // namespace

WatchStream::WatchStream(Executor& executor, Timers& timers, Options options,
                         std::shared_ptr<transport::ResponseHandler> handler)
    : executor_(executor),
      options_(std::move(options)),
      handler_(std::move(handler)),
      next_bookmark_(executor.clock().SteadyNow() + kBookmarkPeriod),
      timer_(timers, [this] { OnTimer(); }) {}

std::shared_ptr<WatchStream> WatchStream::Start(
    Executor& executor, Timers& timers, Storage& storage, const std::string& collection,
    const std::string& namespace_, Revision since, Options options,
    std::shared_ptr<transport::ResponseHandler> handler) {
  auto stream =
      std::make_shared<WatchStream>(executor, timers, std::move(options), std::move(handler));
  const auto& presenter = stream->options_.presenter;
  stream->handler_->OnHead(
      {200, {{"content-type", presenter.representation().ContentType(/*watch=*/true)}}});
  auto follower = storage.Follow(collection, namespace_, since, [weak = std::weak_ptr(stream)] {
    if (const auto self = weak.lock()) self->Wake();
  });
  if (!follower) {
    stream->handler_->OnData(presenter.ErrorEvent(
        Expired("too old resource version: " + std::to_string(since)).status()));
    stream->End({});
    return stream;
  }
  stream->follower_ = *std::move(follower);
  stream->ArmTimer();
  stream->Wake();
  return stream;
}

void WatchStream::Cancel() { End(Fail(ErrorCode::kCancelled, "given up")); }

void WatchStream::End(Result<> how) {
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    ending_ = how;
    if (running_) return;  // the task says so when it is done
  }
  // On this thread: a stop callback may be what cancels, and others may wait for it.
  Finish(std::move(how));
}

void WatchStream::EndWhenSent() {
  {
    const MutexLock lock(mutex_);
    end_when_sent_ = true;
  }
  Wake();
}

void WatchStream::Finish(Result<> how) {
  timer_.Cancel();
  // It may hold this: from here on, this does not hold it.
  std::exchange(handler_, nullptr)->OnEnd(std::move(how));
  const MutexLock lock(mutex_);
  ended_ = true;
  over_.NotifyAll();
}

void WatchStream::WaitUntilOver() {
  MutexLock lock(mutex_);
  executor_.clock().Wait(lock, over_, [this]() FLYBALL_REQUIRES(mutex_) { return ended_; });
}

void WatchStream::Consumed(std::size_t bytes) {
  bool resume = false;
  {
    const MutexLock lock(mutex_);
    const bool full = unread_ >= kWindow;
    unread_ -= std::min(unread_, bytes);
    resume = full && unread_ < kWindow;
  }
  if (resume) Wake();
}

void WatchStream::Wake() {
  auto self = weak_from_this().lock();
  if (!self) return;  // it is being destroyed
  {
    const MutexLock lock(mutex_);
    woken_ = true;
    if (running_ || ending_) return;
    running_ = true;
  }
  executor_.Start("server/watch", [turn = Turn(std::move(self))]() mutable { turn.Run(); });
}

WatchStream::Turn::~Turn() {
  if (stream_) stream_->GiveUpTurn();
}

void WatchStream::Turn::Run() {
  stream_->Run();
  stream_.reset();
}

void WatchStream::GiveUpTurn() {
  Result<> how;
  {
    const MutexLock lock(mutex_);
    running_ = false;
    if (!ending_) return;
    how = *ending_;
  }
  Finish(std::move(how));
}

void WatchStream::ArmTimer() {
  SteadyTime at = options_.end.value_or(SteadyTime::max());
  const MutexLock lock(mutex_);
  if (end_due_) return;
  if (options_.bookmarks) {
    at = std::min(at, next_bookmark_);
  }
  if (at != SteadyTime::max()) timer_.FireBy(at);
}

void WatchStream::OnTimer() {
  // The task does what is due: the last who holds this may let go of it then, and a timer cannot
  // wait for itself.
  const SteadyTime now = executor_.clock().SteadyNow();
  {
    const MutexLock lock(mutex_);
    end_due_ = options_.end && now >= *options_.end;
    if (now >= next_bookmark_) {
      next_bookmark_ = now + kBookmarkPeriod;
      bookmark_due_ = true;
    }
  }
  ArmTimer();
  Wake();
}

void WatchStream::Run() {
  for (;;) {
    {
      const MutexLock lock(mutex_);
      woken_ = false;
    }
    while (SendSome()) {
    }
    Result<> how;
    {
      const MutexLock lock(mutex_);
      if (!ending_ && woken_) continue;
      if (!ending_) {
        running_ = false;
        return;
      }
      how = *ending_;
    }
    return Finish(std::move(how));
  }
}

bool WatchStream::SendSome() {
  {
    const MutexLock lock(mutex_);
    if (end_due_ && !ending_) ending_ = Result<>();
    if (ending_ || unread_ >= kWindow) return false;
  }
  return SendInitial() || SendChanges();
}

bool WatchStream::Send(const std::string& frame) {
  {
    const MutexLock lock(mutex_);
    if (ending_) return false;
    unread_ += frame.size();
  }
  handler_->OnData(frame);
  return true;
}

bool WatchStream::SendInitial() {
  const auto& initial = options_.initial;
  if (initial_sent_ > initial.size()) return false;
  if (initial_sent_ < initial.size()) {
    return Send(Event("ADDED", initial[initial_sent_++]));
  }
  ++initial_sent_;
  if (!options_.mark_initial_end) return true;
  last_bookmark_ = follower_->revision();
  return Send(options_.presenter.Bookmark(std::to_string(last_bookmark_), /*initial_end=*/true));
}

bool WatchStream::SendChanges() {
  const auto changes = follower_->Take(kChangesAtOnce);
  if (!changes) {
    Send(options_.presenter.ErrorEvent(Expired(changes.error().message()).status()));
    End({});
    return false;
  }
  std::string frames;
  for (const Change& change : *changes) frames += FrameOf(change);
  if (!frames.empty()) return Send(frames);
  if (!changes->empty()) return true;
  {
    const MutexLock lock(mutex_);
    if (end_when_sent_ && !ending_) ending_ = Result<>();
    if (!std::exchange(bookmark_due_, false)) return false;
  }
  const Revision revision = follower_->revision();
  if (std::exchange(last_bookmark_, revision) == revision) return false;
  return Send(options_.presenter.Bookmark(std::to_string(revision), /*initial_end=*/false));
}

std::string WatchStream::Event(std::string_view type, const RecordPtr& record) {
  return options_.presenter.Event(type, record, !std::exchange(event_sent_, true));
}

std::string WatchStream::FrameOf(const Change& change) {
  const RecordPtr now = RecordOf(change.object);
  const RecordPtr before = RecordOf(change.before);
  const bool selected = !change.deleted && options_.selection.Matches(*now);
  const bool was_selected = before && options_.selection.Matches(*before);
  if (selected) return Event(was_selected ? "MODIFIED" : "ADDED", now);
  if (!was_selected) return {};
  if (change.deleted) return Event("DELETED", now);
  // It is still there, and no longer selected: what it was, as of now.
  api::AnyObject last = before->Decode();
  before->kind().Metadata(last).resourceVersion = std::to_string(change.revision);
  return Event("DELETED", std::make_shared<const Record>(before->kind_ptr(), last));
}

}  // namespace flyball::sandbox

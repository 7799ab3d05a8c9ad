#include "flyball/sandbox/watch_stream.h"

#include <algorithm>
#include <utility>

namespace flyball::sandbox {
namespace {

using namespace std::chrono_literals;

/// How much a client may leave unread before nothing more is sent to it.
constexpr std::size_t kWindow = 256 * 1024;
/// How much is sent at a time.
constexpr std::size_t kEventsAtOnce = 64;
constexpr auto kBookmarkPeriod = 60s;
/// Who comes back after the end of a watch has a recent place to go on from.
constexpr auto kLastBookmark = 2s;

SteadyTime NextBookmark(SteadyTime now, const std::optional<SteadyTime>& end) {
  const SteadyTime next = now + kBookmarkPeriod;
  if (!end || now >= *end - kLastBookmark) return next;
  return std::min(next, *end - kLastBookmark);
}

}  // namespace

WatchStream::WatchStream(const Deps& deps, Options options,
                         std::shared_ptr<transport::ResponseHandler> handler)
    : clock_(deps.clock),
      fanout_(deps.fanout),
      options_(std::move(options)),
      handler_(std::move(handler)),
      next_bookmark_(NextBookmark(clock_.SteadyNow(), options_.end)),
      timer_(deps.timers, [this] { OnTimer(); }) {}

std::shared_ptr<WatchStream> WatchStream::Start(
    const Deps& deps, const std::string& collection, const std::string& namespace_, Revision since,
    Options options, std::shared_ptr<transport::ResponseHandler> handler) {
  auto stream = std::make_shared<WatchStream>(deps, std::move(options), std::move(handler));
  const auto& encoder = stream->options_.encoder;
  stream->handler_->OnHead(
      {200, {{"content-type", encoder.media_type().ContentType(/*watch=*/true)}}});
  auto follower =
      deps.storage.Follow(collection, namespace_, since, [weak = std::weak_ptr(stream)] {
        if (const auto self = weak.lock()) self->Wake();
      });
  if (!follower) {
    stream->handler_->OnData(
        encoder.ErrorEvent(Expired("too old resource version: " + std::to_string(since)).status()));
    stream->End({});
    return stream;
  }
  stream->follower_ = *std::move(follower);
  stream->ArmTimer();
  stream->Wake();
  return stream;
}

void WatchStream::Cancel() { End(Fail(ErrorCode::kCancelled, "request cancelled")); }

void WatchStream::End(Result<> how) {
  {
    const MutexLock lock(mutex_);
    if (ending_) return;
    ending_ = how;
    if (running_) return;  // said after what is being sent
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
  clock_.Wait(lock, over_, [this]() FLYBALL_REQUIRES(mutex_) { return ended_; });
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
  fanout_->Add(std::move(self));
}

void WatchStream::OnDropped() {
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
  // What is due is done by SendPart(): the last who holds this may let go of it then, and a timer
  // cannot wait for itself.
  const SteadyTime now = clock_.SteadyNow();
  {
    const MutexLock lock(mutex_);
    end_due_ = options_.end && now >= *options_.end;
    if (now >= next_bookmark_) {
      next_bookmark_ = NextBookmark(now, options_.end);
      bookmark_due_ = true;
    }
  }
  ArmTimer();
  Wake();
}

bool WatchStream::SendPart(WatchFrames& frames) {
  {
    const MutexLock lock(mutex_);
    woken_ = false;
  }
  const bool sent = SendSome(frames);
  Result<> how;
  {
    const MutexLock lock(mutex_);
    if (!ending_ && (sent || woken_)) return true;
    if (!ending_) {
      running_ = false;
      return false;
    }
    how = *ending_;
  }
  Finish(std::move(how));
  return false;
}

bool WatchStream::SendSome(WatchFrames& frames) {
  {
    const MutexLock lock(mutex_);
    if (end_due_ && !ending_) ending_ = Result<>();
    if (ending_ || unread_ >= kWindow) return false;
  }
  return SendInitial(frames) || SendChanges(frames);
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

bool WatchStream::SendInitial(WatchFrames& frames) {
  const auto& initial = options_.initial;
  if (initial_sent_ > initial.size()) return false;
  if (initial_sent_ < initial.size()) {
    std::string events;
    for (std::size_t i = 0;
         i < kEventsAtOnce && initial_sent_ < initial.size() && events.size() < kWindow; ++i) {
      AppendEvent("ADDED", initial[initial_sent_++], frames, events);
    }
    return Send(events);
  }
  ++initial_sent_;
  if (!options_.mark_initial_end) return true;
  last_bookmark_ = follower_->revision();
  return Send(options_.encoder.Bookmark(std::to_string(last_bookmark_), /*initial_end=*/true));
}

bool WatchStream::SendChanges(WatchFrames& frames) {
  const auto changes = follower_->Take(kEventsAtOnce);
  if (!changes) {
    Send(options_.encoder.ErrorEvent(Expired(changes.error().message()).status()));
    End({});
    return false;
  }
  std::string events;
  for (const Change& change : *changes) AppendChange(change, frames, events);
  if (!events.empty()) return Send(events);
  if (!changes->empty()) return true;
  {
    const MutexLock lock(mutex_);
    if (end_when_sent_ && !ending_) ending_ = Result<>();
    if (!std::exchange(bookmark_due_, false)) return false;
  }
  const Revision revision = follower_->revision();
  if (std::exchange(last_bookmark_, revision) == revision) return false;
  return Send(options_.encoder.Bookmark(std::to_string(revision), /*initial_end=*/false));
}

void WatchStream::AppendEvent(std::string_view type, const RecordPtr& record, WatchFrames& frames,
                              std::string& out) {
  const bool first = !std::exchange(event_sent_, true);
  const ResponseEncoder& encoder = options_.encoder;
  if (first && encoder.media_type().form == Form::kTable) {
    out += encoder.Event(type, record, first);
  } else {
    out += frames.Event(encoder, type, record);
  }
}

void WatchStream::AppendChange(const Change& change, WatchFrames& frames, std::string& out) {
  const RecordPtr now = RecordOf(change.object);
  const RecordPtr before = RecordOf(change.before);
  const bool selected = !change.deleted && options_.selection.Matches(*now);
  const bool was_selected = before && options_.selection.Matches(*before);
  if (selected) return AppendEvent(was_selected ? "MODIFIED" : "ADDED", now, frames, out);
  if (!was_selected) return;
  if (change.deleted) return AppendEvent("DELETED", now, frames, out);
  // It is still there, and no longer selected: what it was, as of now.
  api::AnyObject last = before->Decode();
  before->kind().Metadata(last).resourceVersion = std::to_string(change.revision);
  AppendEvent("DELETED", std::make_shared<const Record>(before->kind_ptr(), last), frames, out);
}

}  // namespace flyball::sandbox

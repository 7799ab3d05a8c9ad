#include "flyball/cache/reflector.h"

#include <algorithm>
#include <utility>

#include "flyball/client/unreadable.h"

namespace flyball::cache {
namespace {

using std::chrono::nanoseconds;

// How long to wait after failures: upstream's times.
constexpr nanoseconds kFirstDelay = std::chrono::milliseconds(800);
constexpr nanoseconds kLongestDelay = std::chrono::seconds(30);
constexpr nanoseconds kForgetFailuresAfter = std::chrono::minutes(2);

/// A watch that ends before this, with nothing to say, is a failure, whatever the server calls it.
constexpr nanoseconds kShortWatch = std::chrono::seconds(1);

// The server ends a watch after a time between one and two of these.
constexpr double kWatchSeconds = 300;

/// The server does not know of streams that begin with what is there.
bool IsStreamRefused(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalid:
    case ErrorCode::kBadRequest:
    case ErrorCode::kMethodNotAllowed:
    case ErrorCode::kNotAcceptable:
      return true;
    default:
      return false;
  }
}

/// The server cannot serve the version that we have seen: it is too old for it, or, after etcd was
/// restored, too new.
bool IsVersionUnavailable(const Error& error) {
  if (error.code() == ErrorCode::kGone) return true;
  return std::ranges::any_of(error.detail().causes, [](const ErrorCause& cause) {
    return cause.reason == "ResourceVersionTooLarge";
  });
}

/// The server, or the way to it, is at fault and not what we ask for: the watch can go on where it
/// was.
bool MayPass(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kIo:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
    case ErrorCode::kServerTimeout:
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kInternal:
      return true;
    default:
      return false;
  }
}

}  // namespace

Reflector::Reflector(std::unique_ptr<ObjectSource> source, ReflectorSink& sink, Deps deps,
                     Options options)
    : source_(std::move(source)),
      sink_(sink),
      deps_(std::move(deps)),
      options_(std::move(options)),
      watch_list_(options_.watch_list),
      timer_(deps_.timers, [this] { WakeUp(); }) {}

Reflector::~Reflector() = default;

void Reflector::Start() {
  {
    MutexLock lock(mutex_);
    started_ = true;
  }
  WakeUp();
}

void Reflector::Stop() {
  stop_.request_stop();
  WakeUp();
  MutexLock lock(mutex_);
  deps_.executor.clock().Wait(lock, changed_,
                              [this]() FLYBALL_REQUIRES(mutex_) { return ended_ || !started_; });
}

void Reflector::WakeUp() {
  {
    MutexLock lock(mutex_);
    if (!started_ || ended_) return;
    if (running_) {
      woken_ = true;
      return;
    }
    running_ = true;
  }
  NextIsQuick() ? Run(true) : StartTask();
}

void Reflector::StartTask() {
  deps_.executor.Start(options_.name, [self = shared_from_this()] { self->Run(false); });
}

bool Reflector::NextIsQuick() {
  if (!watch_ || phase_ == Phase::kReplace || stop_.stop_requested()) return false;
  return watch_->NextSize() <= kLargeEvent;
}

void Reflector::Run(bool only_quick) {
  do {
    do {
      if (only_quick && !NextIsQuick()) return StartTask();
      if (stop_.stop_requested()) return End();
    } while (Step() == Next::kGoOn);
  } while (WasWoken());
}

bool Reflector::WasWoken() {
  MutexLock lock(mutex_);
  running_ = std::exchange(woken_, false);
  return running_;
}

void Reflector::End() {
  watch_.reset();
  {
    MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.NotifyAll();
}

Reflector::Next Reflector::Step() {
  if (deps_.executor.clock().SteadyNow() < wait_until_) return Next::kWait;
  switch (phase_) {
    case Phase::kRead:
      return watch_list_ ? OpenInitialStream() : ReadInPages();
    case Phase::kReadStream:
      return ReadStream();
    case Phase::kReplace:
      return Replace();
    case Phase::kFollow:
      return Follow();
  }
  return Next::kWait;
}

meta::v1::ListOptions Reflector::Selected() const {
  meta::v1::ListOptions options;
  options.labelSelector = options_.label_selector;
  options.fieldSelector = options_.field_selector;
  return options;
}

meta::v1::ListOptions Reflector::WatchOptions() const {
  meta::v1::ListOptions options = Selected();
  options.allowWatchBookmarks = true;
  options.timeoutSeconds = static_cast<std::int64_t>(kWatchSeconds * (1 + deps_.random()));
  if (!version_unavailable_) options.resourceVersion = resource_version_;
  return options;
}

Result<Snapshot> Reflector::Ask(const api::ObjectKey& key, std::stop_token stop) const {
  meta::v1::ListOptions options = Selected();
  if (key.name.empty()) {
    options.limit = 1;
  } else {
    if (!options.fieldSelector.empty()) options.fieldSelector += ",";
    options.fieldSelector += "metadata.name=" + key.name;
  }
  return source_->Ask(key.namespace_, options, std::move(stop));
}

Reflector::Next Reflector::OpenInitialStream() {
  meta::v1::ListOptions options = WatchOptions();
  options.sendInitialEvents = true;
  options.resourceVersionMatch = "NotOlderThan";
  auto watch = source_->Watch(options, stop_.get_token());
  if (!watch) {
    if (!IsStreamRefused(watch.error())) return ReadFailed(watch.error());
    deps_.log.V(2).Info("WatchList is not supported, falling back to regular list",
                        {{"err", watch.error()}});
    watch_list_ = false;
    return Next::kGoOn;
  }
  initial_.emplace(source_->accessor());
  phase_ = Phase::kReadStream;
  Attach(*std::move(watch));
  return Next::kGoOn;
}

void Reflector::Attach(std::unique_ptr<EventSource> watch) {
  watch_ = std::move(watch);
  watch_started_ = deps_.executor.clock().SteadyNow();
  watch_was_quiet_ = true;
  watch_->OnReadable([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->WakeUp();
  });
}

Reflector::Next Reflector::ReadStream() {
  auto event = watch_->TryNext();
  if (!event) return ReadFailed(event.error());
  if (!*event) {
    if (!watch_->ended()) return Next::kWait;
    return ReadFailed({ErrorCode::kIo, "the stream ended before all was read"});
  }
  ObjectEvent& told = **event;
  if (!told.initial_events_end) {
    Collect(std::move(told));
    return Next::kGoOn;
  }
  resource_version_ = std::move(told.resource_version);
  phase_ = Phase::kReplace;
  return Next::kGoOn;
}

Reflector::Next Reflector::Replace() {
  std::vector<Object> objects = initial_->Take();
  initial_.reset();
  Synced(std::move(objects), resource_version_);
  return Next::kGoOn;
}

bool Reflector::HasName(const Object& object) const {
  if (!source_->accessor().NameOf(object.get()).second.empty()) return true;
  const std::string* const reason = client::UnreadableReason(object);
  deps_.log.Error({ErrorCode::kMalformed, reason == nullptr ? "it has no name" : *reason},
                  "Skipping object, unable to decode its metadata", {{"resource", options_.name}});
  return false;
}

void Reflector::Collect(ObjectEvent event) {
  if (event.object && !HasName(event.object)) return;
  switch (event.type) {
    case client::EventType::kAdded:
      return initial_->Add(std::move(event.object));
    case client::EventType::kModified:
      return initial_->Put(std::move(event.object));
    case client::EventType::kDeleted:
      return initial_->Remove(event.object);
    case client::EventType::kBookmark:
      return;
  }
}

Reflector::Next Reflector::ReadInPages() {
  meta::v1::ListOptions options = Selected();
  if (resource_version_.empty() || version_unavailable_) {
    options.limit = options_.page_size;
  } else {
    options.resourceVersion = resource_version_;
    options.resourceVersionMatch = "NotOlderThan";
  }
  std::vector<Object> objects;
  auto metadata = ListAll(options, objects);
  if (!metadata && metadata.error().code() == ErrorCode::kGone && options.limit > 0) {
    // Reading took longer than the server keeps a view of the past. One read of all needs none.
    options.limit = 0;
    metadata = ListAll(options, objects);
  }
  if (!metadata) return ReadFailed(metadata.error());
  Synced(std::move(objects), std::move(metadata->resourceVersion));
  return Next::kGoOn;
}

Result<meta::v1::ListMeta> Reflector::ListAll(meta::v1::ListOptions options,
                                              std::vector<Object>& objects) {
  objects.clear();
  for (;;) {
    FLYBALL_TRY(auto metadata, source_->List(options, stop_.get_token(), [&](Object object) {
      if (HasName(object)) objects.push_back(std::move(object));
    }));
    if (metadata.continue_.empty()) return metadata;
    options.continue_ = std::move(metadata.continue_);
  }
}

void Reflector::Synced(std::vector<Object> objects, std::string resource_version) {
  resource_version_ = resource_version;
  version_unavailable_ = false;
  phase_ = Phase::kFollow;
  sink_.OnState(std::nullopt);
  sink_.OnReplace(std::move(objects), std::move(resource_version));
}

Reflector::Next Reflector::ReadFailed(const Error& error) {
  watch_.reset();
  initial_.reset();
  phase_ = Phase::kRead;
  if (stop_.stop_requested()) return Next::kWait;
  if (IsVersionUnavailable(error)) version_unavailable_ = true;
  sink_.OnState(error);
  return BackOff();
}

Reflector::Next Reflector::Follow() {
  if (!watch_) return OpenWatch();
  auto event = watch_->TryNext();
  if (!event) return WatchFailed(event.error());
  if (*event) {
    watch_was_quiet_ = false;
    Apply(std::move(**event));
    return Next::kGoOn;
  }
  return watch_->ended() ? WatchEnded() : Next::kWait;
}

Reflector::Next Reflector::OpenWatch() {
  auto watch = source_->Watch(WatchOptions(), stop_.get_token());
  if (!watch) {
    watch_was_quiet_ = true;
    watch_started_ = deps_.executor.clock().SteadyNow();
    return WatchFailed(watch.error());
  }
  sink_.OnState(std::nullopt);
  Attach(*std::move(watch));
  return Next::kGoOn;
}

void Reflector::Apply(ObjectEvent event) {
  if (event.type == client::EventType::kBookmark) {
    resource_version_ = event.resource_version;
    return sink_.OnProgress(std::move(event.resource_version));
  }
  if (!HasName(event.object)) return;
  resource_version_ = source_->accessor().IdentityOf(event.object.get()).resource_version;
  if (event.type == client::EventType::kDeleted) {
    sink_.OnDelete(std::move(event.object));
  } else {
    sink_.OnPut(std::move(event.object));
  }
}

Reflector::Next Reflector::WatchEnded() {
  const nanoseconds lasted = deps_.executor.clock().SteadyNow() - watch_started_;
  watch_.reset();
  return watch_was_quiet_ && lasted < kShortWatch ? BackOff() : Next::kGoOn;
}

Reflector::Next Reflector::WatchFailed(const Error& error) {
  if (stop_.stop_requested()) return Next::kWait;
  const bool gone = error.code() == ErrorCode::kGone;
  if (!gone && !MayPass(error)) return ReadFailed(error);
  deps_.log.V(2).Info(gone ? "Watch expired, relisting" : "Watch closed, resuming",
                      {{"err", error}});
  if (gone) phase_ = Phase::kRead;
  // What could not even be opened is out of reach for now; what broke may be back at once.
  if (!watch_ && !gone) sink_.OnState(error);
  return WatchEnded();
}

Reflector::Next Reflector::BackOff() {
  const SteadyTime now = deps_.executor.clock().SteadyNow();
  if (last_failure_ && now - *last_failure_ > kForgetFailuresAfter) failures_ = 0;
  last_failure_ = now;
  const nanoseconds base =
      std::min(kLongestDelay, kFirstDelay * (std::int64_t{1} << std::min(failures_, 10)));
  ++failures_;
  const auto delay = std::chrono::duration<double, std::nano>(base) * (1 + deps_.random());
  wait_until_ = now + std::chrono::duration_cast<nanoseconds>(delay);
  timer_.FireBy(wait_until_);
  return Next::kWait;
}

}  // namespace flyball::cache

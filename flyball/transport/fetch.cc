#include "flyball/transport/fetch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "flyball/base/mutex.h"

namespace flyball::transport {

/// Gathers a whole response. It asks for more as fast as it comes, since someone wants all of it.
class PendingResponse::Collector final : public ResponseHandler {
 public:
  explicit Collector(Clock& clock) : clock_(clock) {}

  /// The exchange is not known before the first bytes may come.
  void Attach(const std::shared_ptr<Exchange>& exchange) {
    std::size_t missed = 0;
    {
      MutexLock lock(mutex_);
      exchange_ = exchange;
      missed = std::exchange(unreported_, 0);
    }
    if (missed > 0) exchange->Consumed(missed);
  }

  void OnHead(ResponseHead head) override {
    MutexLock lock(mutex_);
    static_cast<ResponseHead&>(response_) = std::move(head);
    if (const auto size = FindHeader(response_.headers, "content-length"); !size.empty()) {
      response_.body.reserve(
          std::min<std::size_t>(std::strtoull(size.data(), nullptr, 10), kEager));
    }
  }

  void OnData(std::string_view bytes) override {
    std::shared_ptr<Exchange> exchange;
    {
      MutexLock lock(mutex_);
      response_.body += bytes;
      exchange = exchange_.lock();
      if (!exchange) unreported_ += bytes.size();
    }
    if (exchange) exchange->Consumed(bytes.size());
  }

  void OnEnd(Result<> how) override {
    const SteadyTime now = clock_.SteadyNow();
    {
      MutexLock lock(mutex_);
      end_ = std::move(how);
      ended_at_ = now;
    }
    ended_.NotifyAll();  // without the lock, which whoever wakes wants at once
  }

  bool Ready() {
    MutexLock lock(mutex_);
    return end_.has_value();
  }

  SteadyTime ended_at() {
    MutexLock lock(mutex_);
    return ended_at_;
  }

  Result<Response> Take() {
    MutexLock lock(mutex_);
    clock_.Wait(lock, ended_, [this]() FLYBALL_REQUIRES(mutex_) { return end_.has_value(); });
    FLYBALL_TRY(*end_);
    return std::move(response_);
  }

 private:
  static constexpr std::size_t kEager = 16 << 20;

  Clock& clock_;
  Mutex mutex_;
  CondVar ended_;
  std::weak_ptr<Exchange> exchange_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t unreported_ FLYBALL_GUARDED_BY(mutex_) = 0;
  Response response_ FLYBALL_GUARDED_BY(mutex_);
  std::optional<Result<>> end_ FLYBALL_GUARDED_BY(mutex_);
  SteadyTime ended_at_ FLYBALL_GUARDED_BY(mutex_);
};

PendingResponse::PendingResponse(Transport& transport, Clock& clock, Request request)
    : collector_(std::make_shared<Collector>(clock)),
      exchange_(transport.Send(std::move(request), collector_)) {
  collector_->Attach(exchange_);
}

PendingResponse::~PendingResponse() {
  if (exchange_) exchange_->Cancel();
}

bool PendingResponse::Ready() const { return collector_->Ready(); }

SteadyTime PendingResponse::ended_at() const { return collector_->ended_at(); }

Result<Response> PendingResponse::Wait() {
  auto response = collector_->Take();
  exchange_.reset();  // there is nothing left to cancel
  return response;
}

Result<Response> Fetch(Transport& transport, Clock& clock, Request request) {
  return PendingResponse(transport, clock, std::move(request)).Wait();
}

class ResponseStream::Buffer final : public ResponseHandler {
 public:
  explicit Buffer(Clock& clock) : clock_(clock) {}

  void OnHead(ResponseHead head) override {
    {
      MutexLock lock(mutex_);
      head_ = std::move(head);
    }
    changed_.NotifyAll();
  }

  void OnData(std::string_view bytes) override {
    std::shared_ptr<const std::function<void()>> readable;
    {
      MutexLock lock(mutex_);
      unread_ += bytes;
      if (unread_.size() < wanted_) return;
      readable = readable_;
    }
    Announce(readable);
  }

  void OnEnd(Result<> how) override {
    std::shared_ptr<const std::function<void()>> readable;
    {
      MutexLock lock(mutex_);
      end_ = std::move(how);
      readable = readable_;
    }
    Announce(readable);
  }

  Result<ResponseHead> Head() {
    MutexLock lock(mutex_);
    clock_.Wait(lock, changed_, [this]() FLYBALL_REQUIRES(mutex_) { return head_ || end_; });
    if (!head_) FLYBALL_TRY(*end_);
    return head_.value_or(ResponseHead());
  }

  Result<std::string> Read(std::size_t at_least) {
    MutexLock lock(mutex_);
    wanted_ = at_least;
    clock_.Wait(lock, changed_,
                [&]() FLYBALL_REQUIRES(mutex_) { return unread_.size() >= at_least || end_; });
    if (unread_.empty()) FLYBALL_TRY(*end_);
    return std::exchange(unread_, {});
  }

  Result<std::optional<std::string>> TryRead() {
    MutexLock lock(mutex_);
    if (unread_.empty()) {
      if (!end_) return std::nullopt;
      FLYBALL_TRY(*end_);
    }
    return std::exchange(unread_, {});
  }

  void OnReadable(std::function<void()> readable) {
    auto shared = std::make_shared<const std::function<void()>>(std::move(readable));
    bool already = false;
    {
      MutexLock lock(mutex_);
      readable_ = shared;
      already = !unread_.empty() || end_;
    }
    if (already) (*shared)();
  }

 private:
  /// Without the lock, which whoever is told wants at once.
  void Announce(const std::shared_ptr<const std::function<void()>>& readable) {
    changed_.NotifyAll();
    if (readable) (*readable)();
  }

  Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  std::optional<ResponseHead> head_ FLYBALL_GUARDED_BY(mutex_);
  std::string unread_ FLYBALL_GUARDED_BY(mutex_);
  std::size_t wanted_ FLYBALL_GUARDED_BY(mutex_) = 1;  // by who reads
  std::optional<Result<>> end_ FLYBALL_GUARDED_BY(mutex_);
  std::shared_ptr<const std::function<void()>> readable_ FLYBALL_GUARDED_BY(mutex_);
};

void ResponseStream::CancelExchange::operator()() const {
  // Who destroys the callback meanwhile waits for this to return, and not by the clock. So no other
  // task may have its turn before, as it might where this starts one: a lock sees to that.
  Mutex undisturbed;
  const MutexLock lock(undisturbed);
  exchange->Cancel();
}

ResponseStream::ResponseStream(Transport& transport, Clock& clock, Request request,
                               std::stop_token stop)
    : buffer_(std::make_shared<Buffer>(clock)),
      exchange_(transport.Send(std::move(request), buffer_)) {
  if (!stop.stop_possible()) return;
  on_stop_ = std::make_unique<std::stop_callback<CancelExchange>>(std::move(stop),
                                                                  CancelExchange{exchange_});
}

ResponseStream::~ResponseStream() {
  if (exchange_) exchange_->Cancel();
}

Result<ResponseHead> ResponseStream::Head() {
  auto head = buffer_->Head();
  if (head && FindHeader(head->headers, "content-encoding") == "gzip") gunzip_.emplace();
  return head;
}

Result<std::optional<std::string>> ResponseStream::Unpacked(std::string bytes) {
  if (!gunzip_) return bytes;
  if (bytes.empty()) {
    if (!gunzip_->AtBoundary()) return Fail(ErrorCode::kIo, "unexpected EOF in gzip stream");
    return bytes;
  }
  FLYBALL_TRY(std::string text, gunzip_->Feed(bytes));
  if (text.empty()) return std::nullopt;
  return text;
}

Result<std::optional<std::string>> ResponseStream::TryRead() {
  for (;;) {
    FLYBALL_TRY(auto bytes, buffer_->TryRead());
    if (!bytes) return std::nullopt;
    if (!bytes->empty()) exchange_->Consumed(bytes->size());
    FLYBALL_TRY(auto text, Unpacked(*std::move(bytes)));
    if (text) return text;
  }
}

void ResponseStream::OnReadable(std::function<void()> readable) {
  buffer_->OnReadable(std::move(readable));
}

Result<std::string> ResponseStream::Read(std::size_t at_least) {
  for (;;) {
    FLYBALL_TRY(auto bytes, buffer_->Read(std::clamp<std::size_t>(at_least, 1, kMostAtOnce)));
    if (!bytes.empty()) exchange_->Consumed(bytes.size());
    FLYBALL_TRY(auto text, Unpacked(std::move(bytes)));
    if (text) return *std::move(text);
  }
}

}  // namespace flyball::transport

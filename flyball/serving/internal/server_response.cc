#include "flyball/serving/internal/server_response.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "flyball/serving/internal/connection_headers.h"
#include "flyball/serving/internal/session.h"

namespace flyball::serving {
namespace {

int StatusOf(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kTimeout:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

void ResponseNotifier::Tell(std::shared_ptr<ServerResponse> answer) {
  MutexLock lock(mutex_);
  if (closed_) return;
  told_.push_back(std::move(answer));
  // Under the lock, so that after Close() the network is not touched.
  if (told_.size() == 1) {
    boost::asio::post(network_, [self = shared_from_this()] { self->Deliver(); });
  }
}

void ResponseNotifier::Close() {
  std::vector<std::shared_ptr<ServerResponse>> dropped;
  MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(told_);
}

void ResponseNotifier::Deliver() {
  std::vector<std::shared_ptr<ServerResponse>> told;
  {
    MutexLock lock(mutex_);
    told.swap(told_);
  }
  for (const auto& answer : told) answer->Deliver();
}

ServerResponse::ServerResponse(std::shared_ptr<ResponseNotifier> notifier,
                               std::weak_ptr<Session> session, bool wants_body)
    : notifier_(std::move(notifier)), session_(std::move(session)), wants_body_(wants_body) {}

void ServerResponse::OnHead(transport::ResponseHead head) {
  MutexLock lock(mutex_);
  if (dropped_) return;
  pending_.head = std::move(head);
  TellIfNew(lock);
}

void ServerResponse::OnData(std::string_view bytes) {
  MutexLock lock(mutex_);
  if (dropped_) return;
  pending_.data.append(bytes);
  TellIfNew(lock);
}

void ServerResponse::OnEnd(Result<> how) {
  MutexLock lock(mutex_);
  pending_.end = std::move(how);
  TellIfNew(lock);
}

// The analysis does not see that `lock` holds the mutex.
void ServerResponse::TellIfNew(MutexLock& lock) FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
  if (std::exchange(told_, true)) return;
  lock.Unlock();
  notifier_->Tell(shared_from_this());
}

void ServerResponse::Ask(transport::Transport& answers, transport::Request request) {
  exchange_ = answers.Send(std::move(request), shared_from_this());
  Receive();
}

void ServerResponse::AnswerWith(int status, std::string text) {
  head_ = {status, {{"content-type", "text/plain; charset=utf-8"}}};
  body_ = std::move(text);
  ended_ = true;
  PrepareHead();
}

void ServerResponse::Drop() {
  if (ended_) return;
  std::string dropped;
  {
    MutexLock lock(mutex_);
    dropped_ = true;
    dropped.swap(pending_.data);
  }
  body_.clear();
  taken_ = 0;
  // It holds this as its handler: from here on, this does not hold it.
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->Cancel();
}

void ServerResponse::Deliver() {
  Receive();
  if (const auto session = session_.lock()) session->OnResponseProgress(*this);
}

void ServerResponse::Receive() {
  Pending pending;
  {
    MutexLock lock(mutex_);
    told_ = false;
    std::swap(pending, pending_);
  }
  if (body_.empty()) {
    body_.swap(pending.data);
  } else {
    body_.append(pending.data);
  }
  if (pending.end) {
    ended_ = true;
    failed_ = !pending.end->has_value();
  }
  if (pending.head && !head_) {
    head_ = std::move(pending.head);
    PrepareHead();
  } else if (failed_ && !head_) {
    // The reason is for those who answer: it may name what is no client's business.
    failed_ = false;
    AnswerWith(StatusOf(pending.end->error()), "the server could not answer\n");
  } else if (ended_ && !head_) {
    AnswerWith(500, "the server gave no answer\n");
  }
  if (!wants_body_) DropBody();
  LetGoAtTheEnd();
}

/// Without what the connection decides, and with the size of the body where that is known: what
/// whoever answers says of it is not believed, since the next answer begins where this one ends.
void ServerResponse::PrepareHead() {
  transport::Headers& headers = head_->headers;
  const std::string claimed(transport::FindHeader(headers, "content-length"));
  std::erase_if(headers, [](const auto& header) {
    return BelongsToConnection(header.first) || !IsHeaderText(header.first, header.second);
  });
  if (head_->status < 200 || head_->status > 999) head_->status = 500;
  const bool never_has_one = head_->status == 204 || head_->status == 304;
  if (never_has_one) {
    wants_body_ = false;
  } else if (ended_ && !failed_ && (wants_body_ || !body_.empty())) {
    headers.emplace_back("content-length", std::to_string(body_.size()));
  } else if (!wants_body_ && !claimed.empty() && IsHeaderText("content-length", claimed)) {
    headers.emplace_back("content-length", claimed);
  }
}

void ServerResponse::DropBody() {
  if (body_.empty()) return;
  Sent(std::exchange(body_, {}).size());
  taken_ = 0;
}

void ServerResponse::Take(std::size_t bytes) {
  constexpr std::size_t kWorthMoving = 64 << 10;
  unsent_ += bytes;
  taken_ += bytes;
  moved = true;
  if (taken_ == body_.size()) {
    body_.clear();
    taken_ = 0;
  } else if (taken_ >= kWorthMoving && taken_ >= body_.size() / 2) {
    body_.erase(0, taken_);
    taken_ = 0;
  }
}

void ServerResponse::Sent(std::size_t bytes) {
  unsent_ -= std::min(unsent_, bytes);
  if (exchange_ && bytes > 0) exchange_->Consumed(bytes);
  LetGoAtTheEnd();
}

void ServerResponse::LetGoAtTheEnd() {
  // It may hold this as its handler.
  if (ended_ && unsent_ == 0 && body().empty()) exchange_.reset();
}

}  // namespace flyball::serving

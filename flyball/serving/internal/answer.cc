#include "flyball/serving/internal/answer.h"

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

void News::Tell(std::shared_ptr<Answer> answer) {
  MutexLock lock(mutex_);
  if (closed_) return;
  told_.push_back(std::move(answer));
  // Under the lock, so that after Close() the network is not touched.
  if (told_.size() == 1) {
    boost::asio::post(network_, [self = shared_from_this()] { self->Deliver(); });
  }
}

void News::Close() {
  std::vector<std::shared_ptr<Answer>> dropped;
  MutexLock lock(mutex_);
  closed_ = true;
  dropped.swap(told_);
}

void News::Deliver() {
  std::vector<std::shared_ptr<Answer>> told;
  {
    MutexLock lock(mutex_);
    told.swap(told_);
  }
  for (const auto& answer : told) answer->Deliver();
}

Answer::Answer(std::shared_ptr<News> news, std::weak_ptr<Session> session, bool wants_body)
    : news_(std::move(news)), session_(std::move(session)), wants_body_(wants_body) {}

void Answer::OnHead(transport::ResponseHead head) {
  MutexLock lock(mutex_);
  if (dropped_) return;
  inbox_.head = std::move(head);
  TellIfNew(lock);
}

void Answer::OnData(std::string_view bytes) {
  MutexLock lock(mutex_);
  if (dropped_) return;
  inbox_.data.append(bytes);
  TellIfNew(lock);
}

void Answer::OnEnd(Result<> how) {
  MutexLock lock(mutex_);
  inbox_.end = std::move(how);
  TellIfNew(lock);
}

// The analysis does not see that `lock` holds the mutex.
void Answer::TellIfNew(MutexLock& lock) FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
  if (std::exchange(told_, true)) return;
  lock.Unlock();
  news_->Tell(shared_from_this());
}

void Answer::Ask(transport::Transport& answers, transport::Request request) {
  exchange_ = answers.Send(std::move(request), shared_from_this());
  Receive();
}

void Answer::AnswerWith(int status, std::string text) {
  head_ = {status, {{"content-type", "text/plain; charset=utf-8"}}};
  body_ = std::move(text);
  ended_ = true;
  PrepareHead();
}

void Answer::Drop() {
  if (ended_) return;
  std::string dropped;
  {
    MutexLock lock(mutex_);
    dropped_ = true;
    dropped.swap(inbox_.data);
  }
  body_.clear();
  taken_ = 0;
  // It holds this as its handler: from here on, this does not hold it.
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->Cancel();
}

void Answer::Deliver() {
  Receive();
  if (const auto session = session_.lock()) session->OnNews(*this);
}

void Answer::Receive() {
  Inbox news;
  {
    MutexLock lock(mutex_);
    told_ = false;
    std::swap(news, inbox_);
  }
  if (body_.empty()) {
    body_.swap(news.data);
  } else {
    body_.append(news.data);
  }
  if (news.end) {
    ended_ = true;
    failed_ = !news.end->has_value();
  }
  if (news.head && !head_) {
    head_ = std::move(news.head);
    PrepareHead();
  } else if (failed_ && !head_) {
    // The reason is for those who answer: it may name what is no client's business.
    failed_ = false;
    AnswerWith(StatusOf(news.end->error()), "the server could not answer\n");
  } else if (ended_ && !head_) {
    AnswerWith(500, "the server gave no answer\n");
  }
  if (!wants_body_) DropBody();
  LetGoAtTheEnd();
}

/// Without what the connection decides, and with the size of the body where that is known: what
/// whoever answers says of it is not believed, since the next answer begins where this one ends.
void Answer::PrepareHead() {
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

void Answer::DropBody() {
  if (body_.empty()) return;
  Sent(std::exchange(body_, {}).size());
  taken_ = 0;
}

void Answer::Take(std::size_t bytes) {
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

void Answer::Sent(std::size_t bytes) {
  unsent_ -= std::min(unsent_, bytes);
  if (exchange_ && bytes > 0) exchange_->Consumed(bytes);
  LetGoAtTheEnd();
}

void Answer::LetGoAtTheEnd() {
  // It may hold this as its handler.
  if (ended_ && unsent_ == 0 && body().empty()) exchange_.reset();
}

}  // namespace flyball::serving

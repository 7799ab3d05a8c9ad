#include "flyball/transport/internal/call.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace flyball::transport {

Call::Call(boost::asio::io_context& network, Deadlines& deadlines, Request request,
           std::shared_ptr<ResponseHandler> handler, Requeue requeue)
    : network_(network),
      deadlines_(deadlines),
      request_(std::move(request)),
      requeue_(std::move(requeue)),
      handler_(std::move(handler)) {}

void Call::Begin() {
  if (request_.timeout.count() > 0) StartTimer();
}

void Call::StartTimer() {
  progressed_ = false;
  deadline_ = deadlines_.Add(request_.timeout, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->deadline_.reset();
    self->TimeIsUp();
  });
}

void Call::StopTimer() {
  if (deadline_) deadlines_.Remove(*std::exchange(deadline_, std::nullopt));
}

void Call::TimeIsUp() {
  // So silence may last for up to twice the time, but what comes costs no work with timers.
  if (progressed_ && request_.timeout_scope == TimeoutScope::kIdle) return StartTimer();
  EndHere({ErrorCode::kTimeout,
           answered_ ? "timed out reading the response" : "timed out waiting for the response"});
}

void Call::Cancel() {
  boost::asio::post(network_, [self = shared_from_this()] {
    self->EndHere({ErrorCode::kCancelled, "request cancelled"});
  });
}

void Call::Consumed(std::size_t bytes) {
  if (network_.get_executor().running_in_this_thread()) return ConsumedHere(bytes);
  boost::asio::post(network_, [self = shared_from_this(), bytes] { self->ConsumedHere(bytes); });
}

void Call::ConsumedHere(std::size_t bytes) {
  progressed_ = true;  // if the server is silent, then because we did not read
  if (connection_ != nullptr) connection_->Consumed(*this, bytes);
}

void Call::EndHere(Error why) {
  if (ended()) return;
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->Abandon(*this);
  OnEnd(std::unexpected(std::move(why)));
}

void Call::OnHead(ResponseHead head) {
  progressed_ = answered_ = true;
  // A refusal has a body too, for which nobody would wait for ever.
  if (request_.timeout_scope == TimeoutScope::kHeaders && head.status / 100 == 2) StopTimer();
  if (handler_) handler_->OnHead(std::move(head));
}

void Call::OnData(std::string_view bytes) {
  progressed_ = true;
  if (handler_) handler_->OnData(bytes);
}

void Call::OnFenceClosed() {
  OnEnd(Fail(ErrorCode::kUnavailable, "request not sent: " + request_.fence->WhyClosed()));
}

void Call::OnRefused(Error why) {
  constexpr int kMostTimes = 5;
  connection_ = nullptr;
  // Whatever the server says now, it has acted; and whoever asked has part of the answer.
  if (answered_) {
    return OnEnd(Fail(ErrorCode::kIo, why.message() + " in the middle of the response"));
  }
  if (++refused_ > kMostTimes) return OnEnd(std::unexpected(std::move(why)));
  sent_ = false;
  complete = false;
  partial_head = {};
  body_sent = 0;
  left = false;
  requeue_(shared_from_this());
}

void Call::OnEnd(Result<> how) {
  connection_ = nullptr;
  StopTimer();
  // The handler may be the last owner of whoever asked, and asks anew: it is let go of first.
  if (const auto handler = std::exchange(handler_, nullptr)) handler->OnEnd(std::move(how));
}

}  // namespace flyball::transport

#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/transport/transport.h"

namespace flyball::serving {

class ServerResponse;
class Session;

/// Hands responses that have something new to the network thread, which is woken once for all that
/// come before it looks: an event for a thousand watches wakes it once.
class ResponseNotifier : public std::enable_shared_from_this<ResponseNotifier> {
 public:
  explicit ResponseNotifier(boost::asio::io_context& network) : network_(network) {}

  /// Any thread.
  void Tell(std::shared_ptr<ServerResponse> answer);
  /// Nothing is handed over from now on: handlers may live longer than the network.
  void Close();

 private:
  void Deliver();

  boost::asio::io_context& network_;
  Mutex mutex_;
  std::vector<std::shared_ptr<ServerResponse>> told_ FLYBALL_GUARDED_BY(mutex_);
  bool closed_ FLYBALL_GUARDED_BY(mutex_) = false;
};

/// A response on its way from its handler, on any thread, to the session that writes it, on the
/// network thread. What has come and is not taken yet waits here; it is bounded by what the other
/// side sends without Exchange::Consumed().
class ServerResponse final : public transport::ResponseHandler,
                             public std::enable_shared_from_this<ServerResponse> {
 public:
  /// `wants_body` is false for the answer to a HEAD: what comes of a body is dropped.
  ServerResponse(std::shared_ptr<ResponseNotifier> notifier, std::weak_ptr<Session> session,
                 bool wants_body);

  void OnHead(transport::ResponseHead head) override;
  void OnData(std::string_view bytes) override;
  void OnEnd(Result<> how) override;

  // All that follows: the network thread.

  /// Hands the request over. What is answered at once is here when it returns; for what comes
  /// later, the session is told.
  void Ask(transport::Transport& answers, transport::Request request);
  /// An answer of our own, instead.
  void AnswerWith(int status, std::string text);
  /// Nobody waits for it any more.
  void Drop();

  /// Takes what has come, and tells the session.
  void Deliver();

  /// As it is to be written but for what each version of HTTP has of its own; null until it came.
  const transport::ResponseHead* head() const { return head_ ? &*head_ : nullptr; }
  /// Whether anything but the head belongs on the wire.
  bool has_body() const { return wants_body_; }
  std::string_view body() const { return std::string_view(body_).substr(taken_); }
  void Take(std::size_t bytes);
  /// That many bytes have gone out.
  void Sent(std::size_t bytes);
  /// Everything is here.
  bool ended() const { return ended_; }
  /// It ended, but not well: what is missing will not come.
  bool failed() const { return failed_; }

  std::int32_t stream = 0;  ///< HTTP/2's number for it
  bool begun = false;       ///< its head has been written
  bool moved = false;       ///< something of its body was taken since that was looked at last

 private:
  struct Pending {
    std::optional<transport::ResponseHead> head;
    std::string data;
    std::optional<Result<>> end;
  };

  void Put(Pending&& more);
  void TellIfNew(MutexLock& lock);
  void Receive();
  void DropBody();
  void PrepareHead();
  void LetGoAtTheEnd();

  const std::shared_ptr<ResponseNotifier> notifier_;
  const std::weak_ptr<Session> session_;

  // The network thread's.
  std::shared_ptr<transport::Exchange> exchange_;
  std::optional<transport::ResponseHead> head_;
  std::string body_;
  std::size_t taken_ = 0;   // of `body_`
  std::size_t unsent_ = 0;  // taken, and not gone out yet
  bool wants_body_;
  bool ended_ = false;
  bool failed_ = false;

  Mutex mutex_;
  Pending pending_ FLYBALL_GUARDED_BY(mutex_);
  bool told_ FLYBALL_GUARDED_BY(mutex_) = true;  // the network thread is going to look
  bool dropped_ FLYBALL_GUARDED_BY(mutex_) = false;
};

}  // namespace flyball::serving

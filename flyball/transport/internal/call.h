#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "flyball/transport/internal/deadlines.h"
#include "flyball/transport/transport.h"

namespace flyball::transport {

class Call;

/// A connection that carries calls. On the network thread only.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Whether it will take calls once the server has spoken.
  virtual bool opening() const = 0;
  /// Whether it takes another call now.
  virtual bool HasRoom() const = 0;
  /// Takes it over. What there is to send may wait for Flush(), to go out together.
  virtual void Start(std::shared_ptr<Call> call) = 0;
  virtual void Flush() = 0;
  /// Drops a call that has ended on our side.
  virtual void Abandon(Call& call) = 0;
  virtual void Consumed(Call& call, std::size_t bytes) = 0;
  /// Takes no more calls, and closes when the last one has ended.
  virtual void Drain() = 0;
  /// Ends all calls with this error.
  virtual void Close(const Error& why) = 0;
  virtual bool closed() const = 0;
};

/// A request from Send() to its end: waits for a connection, then belongs to one. What Exchange
/// offers may be called by any thread; all else is the network thread's.
class Call final : public Exchange, public std::enable_shared_from_this<Call> {
 public:
  /// `requeue` is given the call if its connection did not deliver it.
  using Requeue = std::move_only_function<void(std::shared_ptr<Call>)>;
  Call(boost::asio::io_context& network, Deadlines& deadlines, Request request,
       std::shared_ptr<ResponseHandler> handler, Requeue requeue);

  void Cancel() override;
  void Consumed(std::size_t bytes) override;

  /// Starts the time that the request has. Once, first.
  void Begin();

  const Request& request() const { return request_; }
  bool ended() const { return handler_ == nullptr; }
  /// Whether the server may have seen it.
  bool sent() const { return sent_; }
  void MarkSent() { sent_ = true; }
  /// Whether its fence, if it has one, lets it out now.
  bool MayLeave() const { return !request_.fence || request_.fence->IsOpen(); }
  void Attach(Connection* connection) { connection_ = connection; }

  // From the connection.
  void OnHead(ResponseHead head);
  void OnData(std::string_view bytes);
  void OnEnd(Result<> how);
  /// Its fence closed before all of it was sent, so the server cannot act on it.
  void OnFenceClosed();
  /// The server has not acted on it, and says so or never saw it: it goes over another connection,
  /// unless that has happened too often.
  void OnRefused(Error why);

  std::int32_t stream = 0;    ///< HTTP/2's number for it
  ResponseHead partial_head;  ///< what has come of it
  bool complete = false;      ///< the server has said that this is the end of its answer
  std::size_t body_sent = 0;  ///< of the request
  bool left = false;          ///< all of the request is in what is sent

 private:
  void ConsumedHere(std::size_t bytes);
  void EndHere(Error why);
  void StartTimer();
  void StopTimer();
  void TimeIsUp();

  boost::asio::io_context& network_;
  Deadlines& deadlines_;
  const Request request_;
  Requeue requeue_;
  std::shared_ptr<ResponseHandler> handler_;  // null after the end
  std::optional<Deadlines::Entry> deadline_;
  Connection* connection_ = nullptr;
  bool sent_ = false;
  bool progressed_ = false;  // something came or was read, since the timer was started
  bool answered_ = false;    // the head is there
  int refused_ = 0;
};

}  // namespace flyball::transport

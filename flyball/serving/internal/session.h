#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/logging.h"
#include "flyball/serving/http_server.h"
#include "flyball/serving/internal/date_text.h"
#include "flyball/serving/internal/peer.h"
#include "flyball/serving/internal/server_response.h"
#include "flyball/transport/internal/byte_stream.h"
#include "flyball/transport/internal/deadlines.h"
#include "flyball/transport/transport.h"

namespace flyball::serving {

/// What all sessions of a server share.
struct SessionDeps {
  boost::asio::io_context& network;
  transport::Deadlines& deadlines;
  transport::Transport& answers;
  std::shared_ptr<ResponseNotifier> notifier;
  std::shared_ptr<DateText> date;
  Limits limits;
  Logger log;
};

/// A connection that has shaken hands, in one of the two versions of HTTP. On the network thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `closed` is called once, when it is over.
  using Closed = std::function<void(Session&)>;

  Session(SessionDeps deps, std::unique_ptr<transport::ByteStream> stream, Peer peer, Closed closed)
      : deps_(std::move(deps)),
        stream_(std::move(stream)),
        peer_(std::move(peer)),
        closed_callback_(std::move(closed)) {}
  virtual ~Session() = default;

  /// Begins with what has been read from the connection already.
  virtual void Open(std::string received) = 0;
  /// An answer that was given to this session has more to write.
  virtual void OnResponseProgress(ServerResponse& answer) = 0;
  /// Takes no more requests, and closes when the last one is answered.
  virtual void Drain() = 0;
  /// Cancels what is under way.
  virtual void Close() = 0;

 protected:
  /// How much is written at once: a few TLS records.
  static constexpr std::size_t kOutputSize = 64 << 10;
  /// After so many writes in a row that the socket took at once it is the others' turn.
  static constexpr int kWritesATurn = 16;

  const SessionDeps deps_;
  const std::unique_ptr<transport::ByteStream> stream_;
  const Peer peer_;
  Closed closed_callback_;
};

std::shared_ptr<Session> MakeHttp1Session(SessionDeps deps,
                                          std::unique_ptr<transport::ByteStream> stream, Peer peer,
                                          Session::Closed closed);
std::shared_ptr<Session> MakeHttp2Session(SessionDeps deps,
                                          std::unique_ptr<transport::ByteStream> stream, Peer peer,
                                          Session::Closed closed);

}  // namespace flyball::serving

#include "flyball/transport/http_transport.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <deque>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/transport/internal/call.h"
#include "flyball/transport/internal/dial.h"
#include "flyball/transport/internal/http1_connection.h"
#include "flyball/transport/internal/http2_connection.h"
#include "flyball/transport/internal/network_loop.h"

namespace flyball::transport {

namespace asio = boost::asio;

namespace {

HttpTransport::Options WithoutRest(HttpTransport::Options options) {
  options.batch_interval = {};
  return options;
}

}  // namespace

/// Matches calls with connections. On the network thread only, but for Add() and the count.
class HttpTransport::Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(asio::io_context& network, Options options)
      : options_(std::move(options)), network_(network) {}

  /// Wakes the network thread once for all calls that come before it looks.
  void Add(std::shared_ptr<Call> call) {
    {
      MutexLock lock(mutex_);
      added_.push_back(std::move(call));
      if (added_.size() > 1) return;
    }
    asio::post(network_, [self = shared_from_this()] { self->TakeAdded(); });
  }

  /// Behind the others; on a turn of its own, since a connection is at work that gives it back.
  void Requeue(std::shared_ptr<Call> call) {
    asio::post(network_, [self = shared_from_this(), call = std::move(call)] {
      if (call->ended()) return;
      if (self->closed_) return call->OnEnd(Fail(ErrorCode::kCancelled, "HTTP client is closed"));
      self->waiting_.push_back(call);
      self->Pump();
    });
  }

  void Renew() {
    ++generation_;
    for (const auto& connection : std::vector(connections_)) connection->Drain();
    Pump();
  }

  void Close() {
    closed_ = true;
    if (give_up_dialing_) give_up_dialing_();
    const Error why(ErrorCode::kCancelled, "HTTP client is closed");
    for (const auto& connection : std::exchange(connections_, {})) connection->Close(why);
    for (const auto& call : std::exchange(waiting_, {})) {
      if (!call->ended()) call->OnEnd(std::unexpected(why));
    }
  }

  std::size_t size() const { return size_; }

 private:
  void TakeAdded() {
    std::vector<std::shared_ptr<Call>> added;
    {
      MutexLock lock(mutex_);
      added.swap(added_);
    }
    for (auto& call : added) {
      if (closed_) {
        call->OnEnd(Fail(ErrorCode::kCancelled, "HTTP client is closed"));
        continue;
      }
      call->Begin();
      waiting_.push_back(std::move(call));
    }
    Pump();
  }

  /// Gives waiting calls to connections with room, and makes a connection if there are not enough.
  void Pump() {
    std::erase_if(waiting_, [](const auto& call) { return call->ended(); });
    while (!waiting_.empty()) {
      const auto found =
          std::ranges::find_if(connections_, [](const auto& c) { return c->HasRoom(); });
      if (found == connections_.end()) break;
      // A copy, since starting a call may change the list.
      // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
      const std::shared_ptr<Connection> connection = *found;
      while (!waiting_.empty() && connection->HasRoom()) {
        auto call = std::move(waiting_.front());
        waiting_.pop_front();
        connection->Start(std::move(call));
      }
      connection->Flush();
    }
    if (!waiting_.empty()) DialMore();
  }

  void DialMore() {
    const bool opening =
        std::ranges::any_of(connections_, [](const auto& c) { return c->opening(); });
    if (dialing_ || opening || closed_) return;
    if (http1_ && connections_.size() >= options_.max_http1_connections) return;
    auto tls = options_.tls();
    if (!tls) return FailWaiting(tls.error());
    dialing_ = true;
    DialOptions dial{options_.server, options_.proxy, *std::move(tls), options_.connect_timeout};
    give_up_dialing_ = Dial(network_, std::move(dial),
                            [self = shared_from_this(), generation = generation_](auto stream) {
                              self->dialing_ = false;
                              self->Dialed(std::move(stream), generation);
                            });
  }

  void Dialed(Result<std::unique_ptr<ByteStream>> stream, int generation) {
    if (closed_) return;
    if (!stream) return FailWaiting(stream.error());
    if (generation != generation_) return Pump();  // made with what has been replaced meanwhile
    http1_ = (*stream)->Protocol() != "h2";
    const auto changed = [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->Changed();
    };
    const std::string authority = options_.server.Authority();
    if (http1_) {
      Adopt(std::make_shared<Http1Connection>(network_, *std::move(stream), authority, changed));
    } else {
      const Http2Options http2{authority,
                               options_.ping_after,
                               options_.ping_timeout,
                               options_.idle_timeout,
                               options_.batch_interval,
                               options_.batching_pause};
      Adopt(std::make_shared<Http2Connection>(network_, *std::move(stream), http2, changed));
    }
  }

  template <typename SomeConnection>
  void Adopt(const std::shared_ptr<SomeConnection>& connection) {
    connections_.push_back(connection);
    size_ = connections_.size();
    connection->Open();
    Pump();
  }

  void Changed() {
    if (closed_) return;
    std::erase_if(connections_, [](const auto& connection) { return connection->closed(); });
    size_ = connections_.size();
    Pump();
  }

  void FailWaiting(const Error& why) {
    for (const auto& call : std::exchange(waiting_, {})) {
      if (!call->ended()) call->OnEnd(std::unexpected(why));
    }
  }

  const Options options_;
  asio::io_context& network_;
  std::deque<std::shared_ptr<Call>> waiting_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::function<void()> give_up_dialing_;
  int generation_ = 0;
  bool dialing_ = false;
  bool http1_ = false;
  bool closed_ = false;
  std::atomic<std::size_t> size_ = 0;
  Mutex mutex_;
  std::vector<std::shared_ptr<Call>> added_ FLYBALL_GUARDED_BY(mutex_);  // not yet taken notice of
};

HttpTransport::HttpTransport(Network& network, Options options)
    : metrics_(options.metrics),
      loop_(network.loop()),
      pool_(std::make_shared<Pool>(network.loop()->context, WithoutRest(options))),
      allow_batching_(std::make_shared<Pool>(network.loop()->context, std::move(options))) {
  metrics_.Made();
}

HttpTransport::~HttpTransport() {
  metrics_.Gone();
  asio::post(loop_->context, [pool = pool_, allow_batching = allow_batching_] {
    pool->Close();
    allow_batching->Close();
  });
}

std::shared_ptr<Exchange> HttpTransport::Send(Request request,
                                              std::shared_ptr<ResponseHandler> handler) {
  const auto& chosen = request.allow_batching ? allow_batching_ : pool_;
  auto requeue = [weak = std::weak_ptr(chosen)](std::shared_ptr<Call> call) {
    if (const auto pool = weak.lock()) return pool->Requeue(std::move(call));
    call->OnEnd(Fail(ErrorCode::kCancelled, "HTTP client is closed"));
  };
  auto call = std::make_shared<Call>(loop_->context, loop_->deadlines, std::move(request),
                                     std::move(handler), std::move(requeue));
  chosen->Add(call);
  return call;
}

void HttpTransport::Renew() {
  asio::post(loop_->context, [pool = pool_, allow_batching = allow_batching_] {
    pool->Renew();
    allow_batching->Renew();
  });
}

std::size_t HttpTransport::connections() const { return pool_->size() + allow_batching_->size(); }

}  // namespace flyball::transport

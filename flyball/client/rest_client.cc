#include "flyball/client/rest_client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "flyball/client/status_error.h"

namespace flyball::client {
namespace {

constexpr int kMaxRetries = 10;

/// How long the server asks to wait, if it asks at all.
std::optional<std::chrono::seconds> AskedToWait(const transport::ResponseHead& head) {
  if (head.status != 429 && head.status < 500) return std::nullopt;
  const std::string_view text = transport::FindHeader(head.headers, "retry-after");
  std::int32_t seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || parsed.ptr != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// Of what is left of a fence, the server is not given the last second, or the last quarter if that
/// is less: it is for the way there, and for the queues of this process. With the lease of 15 s
/// that leaves it more than 10 s, for which a webhook may take by default before it is ignored.
constexpr std::chrono::nanoseconds kLongestWay = std::chrono::seconds(1);

/// What the transport's contract says of a request that ended with an error (transport.h).
RequestFate FateOf(const Error& of_transport) {
  switch (of_transport.code()) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kMalformed:
      return RequestFate::kNotSent;
    default:
      return RequestFate::kUnknown;
  }
}

/// Closes when less is left of the client's fence than the server was told it may take for a
/// request. So a request that has waited, for a connection or behind others, is not sent with a
/// promise of time that is no longer there.
class RequestFence final : public transport::WriteFence {
 public:
  RequestFence(std::shared_ptr<const WriteFence> fence, std::chrono::nanoseconds promised)
      : fence_(std::move(fence)), promised_(promised) {}

  std::chrono::nanoseconds Left() const override { return fence_->Left() - promised_; }
  std::string WhyClosed() const override {
    return fence_->IsOpen() ? "it has waited for too long" : fence_->WhyClosed();
  }

 private:
  const std::shared_ptr<const WriteFence> fence_;
  const std::chrono::nanoseconds promised_;
};

}  // namespace

/// Decides, after each attempt, whether there is another one, and waits for it.
class RestClient::Attempts {
 public:
  Attempts(const RestClient& client, const RestRequest& request)
      : client_(client), request_(request) {}

  std::uint64_t credentials_version = 0;

  bool AnotherAfter(const transport::ResponseHead& head, SteadyTime answered) {
    const Deps& deps = client_.deps_;
    if (head.status == 401 && deps.credentials != nullptr && !std::exchange(reauthorized_, true)) {
      return deps.credentials->Rejected(credentials_version);
    }
    // DIVERGES: client-go sends a POST again after any 5xx with Retry-After, and makes two objects
    // where the first was carried out. Only 429 says that it was not.
    if (request_.method != "GET" && head.status != 429) return false;
    const auto wait = AskedToWait(head);
    return wait && Wait(*wait, answered, "the server asks for it");
  }

  bool AnotherAfter(const Error& error, SteadyTime ended) {
    const bool broke = error.code() == ErrorCode::kIo && request_.method == "GET";
    return broke && Wait(std::chrono::seconds(1), ended, error.message());
  }

 private:
  /// Counted from the answer: of many that were refused at once, and are waited for one after the
  /// other, only the first is waited for.
  bool Wait(std::chrono::nanoseconds delay, SteadyTime since, std::string_view why) {
    if (request_.once || ++retries_ > kMaxRetries) return false;
    waited_ += delay;
    if (waited_ > kLongestWait) return false;
    client_.deps_.log.V(4).Info("Retrying request", {{"request", request_.asked},
                                                     {"attempt", retries_ + 1},
                                                     {"delay", delay},
                                                     {"reason", why}});
    return client_.deps_.clock.SleepUntil(since + delay, request_.stop);
  }

  const RestClient& client_;
  const RestRequest& request_;
  std::chrono::nanoseconds waited_ = {};
  int retries_ = 0;
  bool reauthorized_ = false;
};

Result<RestClient::Prepared> RestClient::Prepare(const RestRequest& request,
                                                 RequestMetrics::Call& call) {
  if (deps_.limiter != nullptr) {
    const SteadyTime start = deps_.clock.SteadyNow();
    deps_.limiter->Acquire();
    call.Throttled(start);
  }
  call.AttemptBegins(request.body.size());
  Prepared prepared;
  transport::Request& wire = prepared.wire;
  wire.method = request.method;
  wire.target = options_.path_prefix + request.path;
  if (!request.query.empty()) wire.target.append("?").append(request.query);
  wire.headers.reserve(5);
  wire.headers.emplace_back("accept", request.accept);
  wire.headers.emplace_back("user-agent", options_.user_agent);
  if (!request.content_type.empty())
    wire.headers.emplace_back("content-type", request.content_type);
  if (deps_.credentials != nullptr) {
    FLYBALL_TRY(prepared.credentials_version, deps_.credentials->AddTo(wire.headers));
  }
  wire.body = request.body;
  wire.timeout = request.timeout.count() > 0 ? request.timeout : options_.timeout;
  if (request.method == "GET") return prepared;
  if (auto limited = LimitWrite(prepared); !limited) {
    return std::unexpected(limited.error().Wrap(request.asked));
  }
  return prepared;
}

Result<> RestClient::LimitWrite(Prepared& prepared) const {
  using std::chrono::milliseconds;

  transport::Request& wire = prepared.wire;
  std::chrono::nanoseconds most = std::min(wire.timeout, kLongestWrite);
  if (deps_.fence) {
    const std::chrono::nanoseconds left = deps_.fence->Left();
    wire.timeout = std::min(wire.timeout, left);
    most = std::min(most, left - std::min(left / 4, kLongestWay));
  }
  const auto promised = std::chrono::floor<milliseconds>(most);
  // Nor may it be zero milliseconds: to an API server that means as long as it likes.
  if (promised.count() <= 0) {
    return Fail(
        ErrorCode::kUnavailable,
        "request not sent: " + (deps_.fence ? deps_.fence->WhyClosed() : "no time is left"));
  }
  if (!wire.target.contains("?timeout=") && !wire.target.contains("&timeout=")) {
    wire.target += wire.target.contains('?') ? "&" : "?";
    wire.target += "timeout=" + std::to_string(promised.count()) + "ms";
  }
  if (deps_.fence) wire.fence = std::make_shared<RequestFence>(deps_.fence, promised);
  prepared.promised = promised;
  return {};
}

PendingAnswer::PendingAnswer(RestClient& client, RestRequest request)
    : client_(&client),
      request_(std::move(request)),
      call_(client.deps_.metrics, RequestMetrics::Call::Kind::kWhole, request_.method,
            client.clock()) {
  Send();
}

void PendingAnswer::Send() {
  auto prepared = client_->Prepare(request_, call_);
  if (!prepared) {
    sent_ = std::unexpected(std::move(prepared).error());
    return;
  }
  if (request_.method == "GET" && !request_.once)
    prepared->wire.timeout_scope = transport::TimeoutScope::kIdle;
  credentials_version_ = prepared->credentials_version;
  promised_ = prepared->promised;
  sent_at_ = client_->clock().SteadyNow();
  response_.emplace(client_->deps_.transport, client_->clock(), std::move(prepared->wire));
}

bool PendingAnswer::Ready() const { return !response_ || response_->Ready(); }

Result<transport::Response> PendingAnswer::Receive() {
  auto response = response_->Wait();
  call_.AttemptEnded(response ? response->status : 0, response_->ended_at());
  if (RequestLimiter* const limiter = client_->deps_.limiter) {
    limiter->Observe(response ? response->status : 0, response_->ended_at() - sent_at_);
  }
  return response;
}

Result<transport::Response> PendingAnswer::Wait() {
  RestClient::Attempts attempts(*client_, request_);
  for (;;) {
    FLYBALL_TRY(sent_);
    auto response = Receive();
    if (response && response->status / 100 == 2) {
      call_.Answered(*response);
      return response;
    }
    attempts.credentials_version = credentials_version_;
    const SteadyTime ended = response_->ended_at();
    const bool another = response ? attempts.AnotherAfter(*response, ended)
                                  : attempts.AnotherAfter(response.error(), ended);
    if (another) {
      Send();
    } else if (response) {
      call_.Answered(*response);
      return std::unexpected(InDoubt(ErrorOf(*response, request_)));
    } else {
      return std::unexpected(
          InDoubt(response.error().Wrap(request_.asked).With(FateOf(response.error()))));
    }
  }
}

/// An error whose fate is unknown says until when it is; and the fence has to know, too.
Error PendingAnswer::InDoubt(Error error) const {
  if (error.fate() != RequestFate::kUnknown || request_.method == "GET") return error;
  // It may have waited for a connection, or among others for a stream, before it left.
  const SteadyTime settled = response_->ended_at() + promised_;
  const auto left = settled - client_->clock().SteadyNow();
  ErrorDetail detail = error.detail();
  detail.unsettled_for = std::max(left, left.zero());
  error.set_detail(std::move(detail));
  if (client_->deps_.fence) client_->deps_.fence->Unsettled(settled);
  return error;
}

Result<transport::ResponseStream> RestClient::Open(const RestRequest& request,
                                                   transport::TimeoutScope timeout_scope) {
  RequestMetrics::Call call(deps_.metrics, RequestMetrics::Call::Kind::kStream, request.method,
                            deps_.clock);
  Attempts attempts(*this, request);
  for (;;) {
    FLYBALL_TRY(Prepared prepared, Prepare(request, call));
    attempts.credentials_version = prepared.credentials_version;
    transport::Request& wire = prepared.wire;
    wire.timeout_scope = timeout_scope;
    wire.allow_batching = request.allow_batching;
    if (options_.takes_gzip) wire.headers.emplace_back("accept-encoding", "gzip");
    transport::ResponseStream stream(deps_.transport, deps_.clock, std::move(wire), request.stop);
    auto head = stream.Head();
    const SteadyTime ended = deps_.clock.SteadyNow();
    call.AttemptEnded(head ? head->status : 0, ended);
    if (!head) {
      if (attempts.AnotherAfter(head.error(), ended)) continue;
      return std::unexpected(head.error().Wrap(request.asked).With(FateOf(head.error())));
    }
    if (head->status / 100 == 2) return stream;
    if (attempts.AnotherAfter(*head, ended)) continue;
    transport::Response refusal;
    static_cast<transport::ResponseHead&>(refusal) = *std::move(head);
    for (;;) {
      auto bytes = stream.Read();
      if (!bytes || bytes->empty()) break;
      refusal.body += *bytes;
    }
    return std::unexpected(ErrorOf(refusal, request));
  }
}

}  // namespace flyball::client

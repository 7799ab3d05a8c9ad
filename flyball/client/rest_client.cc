#include "flyball/client/rest_client.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "flyball/client/status_error.h"

namespace flyball::client {
namespace {

constexpr int kMostRetries = 10;

/// How long the server asks to wait, if it asks at all.
std::optional<std::chrono::seconds> AskedToWait(const transport::ResponseHead& head) {
  if (head.status != 429 && head.status < 500) return std::nullopt;
  const std::string_view text = transport::FindHeader(head.headers, "retry-after");
  std::int32_t seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || parsed.ptr != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

/// Closes when less is left of the client's gate than the server was told it may take for a
/// request. So a request that has waited, for a connection or behind others, is not sent with a
/// promise of time that is no longer there.
class RequestGate final : public transport::SendGate {
 public:
  RequestGate(std::shared_ptr<const SendGate> gate, std::chrono::nanoseconds promised)
      : gate_(std::move(gate)), promised_(promised) {}

  std::chrono::nanoseconds Left() const override { return gate_->Left() - promised_; }
  std::string WhyClosed() const override {
    return gate_->IsOpen() ? "it has waited for too long" : gate_->WhyClosed();
  }

 private:
  const std::shared_ptr<const SendGate> gate_;
  const std::chrono::nanoseconds promised_;
};

}  // namespace

/// Decides, after each attempt, whether there is another one, and waits for it.
class RestClient::Attempts {
 public:
  Attempts(const RestClient& client, const RestRequest& request)
      : client_(client), request_(request) {}

  std::uint64_t credentials_version = 0;

  bool AnotherAfter(const transport::ResponseHead& head) {
    const Deps& deps = client_.deps_;
    if (head.status == 401 && deps.credentials != nullptr && !std::exchange(reauthorized_, true)) {
      return deps.credentials->Rejected(credentials_version);
    }
    const auto wait = AskedToWait(head);
    return wait && Wait(*wait, "the server asks for it");
  }

  bool AnotherAfter(const Error& error) {
    const bool broke = error.code() == ErrorCode::kIo && request_.method == "GET";
    return broke && Wait(std::chrono::seconds(1), error.message());
  }

 private:
  bool Wait(std::chrono::seconds delay, std::string_view why) {
    if (request_.once || ++retries_ > kMostRetries) return false;
    client_.deps_.log.V(4).Info("Sending a request again", {{"request", request_.asked},
                                                            {"attempt", retries_ + 1},
                                                            {"delay", delay},
                                                            {"reason", why}});
    return client_.deps_.clock.SleepFor(delay, request_.stop);
  }

  const RestClient& client_;
  const RestRequest& request_;
  int retries_ = 0;
  bool reauthorized_ = false;
};

Result<transport::Request> RestClient::Prepare(const RestRequest& request,
                                               std::uint64_t& credentials_version,
                                               RequestMetrics::Call& call) {
  if (deps_.limiter != nullptr) {
    const SteadyTime start = deps_.clock.SteadyNow();
    deps_.limiter->Acquire();
    call.Throttled(start);
  }
  call.AttemptBegins(request.body.size());
  transport::Request wire;
  wire.method = request.method;
  wire.target = options_.path_prefix + request.path;
  if (!request.query.empty()) wire.target.append("?").append(request.query);
  wire.headers.reserve(5);
  wire.headers.emplace_back("accept", request.accept);
  wire.headers.emplace_back("user-agent", options_.user_agent);
  if (!request.content_type.empty())
    wire.headers.emplace_back("content-type", request.content_type);
  if (deps_.credentials != nullptr) {
    FLYBALL_TRY(credentials_version, deps_.credentials->AddTo(wire.headers));
  }
  wire.body = request.body;
  wire.timeout = request.timeout.count() > 0 ? request.timeout : options_.timeout;
  if (!deps_.gate || request.method == "GET") return wire;
  if (auto open = PutBehindGate(wire); !open) {
    return std::unexpected(open.error().Wrap(request.asked));
  }
  return wire;
}

Result<> RestClient::PutBehindGate(transport::Request& wire) const {
  const std::chrono::nanoseconds left = deps_.gate->Left();
  // A quarter is for the way to the server, queues of ours included.
  const auto promised = std::chrono::floor<std::chrono::milliseconds>(left * 3 / 4);
  // Nor may it be zero milliseconds: to an API server that means as long as it likes.
  if (promised.count() <= 0) {
    return Fail(ErrorCode::kUnavailable, "not sent: " + deps_.gate->WhyClosed());
  }
  wire.target += wire.target.contains('?') ? "&" : "?";
  wire.target += "timeout=" + std::to_string(promised.count()) + "ms";
  wire.timeout = std::min(wire.timeout, left);
  wire.gate = std::make_shared<RequestGate>(deps_.gate, promised);
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
  auto wire = client_->Prepare(request_, credentials_version_, call_);
  if (!wire) {
    sent_ = std::unexpected(std::move(wire).error());
    return;
  }
  if (request_.method == "GET" && !request_.once) wire->patience = transport::Patience::kSilence;
  sent_at_ = client_->clock().SteadyNow();
  response_.emplace(client_->deps_.transport, client_->clock(), *std::move(wire));
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
    const bool another =
        response ? attempts.AnotherAfter(*response) : attempts.AnotherAfter(response.error());
    if (another) {
      Send();
    } else if (response) {
      call_.Answered(*response);
      return std::unexpected(ErrorOf(*response, request_.method, request_.asked));
    } else {
      return std::unexpected(response.error().Wrap(request_.asked));
    }
  }
}

Result<transport::ResponseStream> RestClient::Open(const RestRequest& request,
                                                   transport::Patience patience) {
  RequestMetrics::Call call(deps_.metrics, RequestMetrics::Call::Kind::kStream, request.method,
                            deps_.clock);
  Attempts attempts(*this, request);
  for (;;) {
    FLYBALL_TRY(transport::Request wire, Prepare(request, attempts.credentials_version, call));
    wire.patience = patience;
    wire.unhurried = request.unhurried;
    if (options_.takes_gzip) wire.headers.emplace_back("accept-encoding", "gzip");
    transport::ResponseStream stream(deps_.transport, deps_.clock, std::move(wire), request.stop);
    auto head = stream.Head();
    call.AttemptEnded(head ? head->status : 0, deps_.clock.SteadyNow());
    if (!head) {
      if (attempts.AnotherAfter(head.error())) continue;
      return std::unexpected(head.error().Wrap(request.asked));
    }
    if (head->status / 100 == 2) return stream;
    if (attempts.AnotherAfter(*head)) continue;
    transport::Response refusal;
    static_cast<transport::ResponseHead&>(refusal) = *std::move(head);
    for (;;) {
      auto bytes = stream.Read();
      if (!bytes || bytes->empty()) break;
      refusal.body += *bytes;
    }
    return std::unexpected(ErrorOf(refusal, request.method, request.asked));
  }
}

}  // namespace flyball::client

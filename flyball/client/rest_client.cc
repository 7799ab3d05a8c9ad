#include "flyball/client/rest_client.h"

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
    if (++retries_ > kMostRetries) return false;
    client_.deps_.log.V(4).Info("Sending a request again", {{"request", request_.asked},
                                                            {"attempt", retries_ + 1},
                                                            {"delay", delay},
                                                            {"reason", why}});
    client_.deps_.clock.SleepFor(delay);
    return true;
  }

  const RestClient& client_;
  const RestRequest& request_;
  int retries_ = 0;
  bool reauthorized_ = false;
};

Result<transport::Request> RestClient::Prepare(const RestRequest& request,
                                               std::uint64_t& credentials_version) {
  if (deps_.limiter != nullptr) deps_.limiter->Acquire();
  transport::Request wire;
  wire.method = request.method;
  wire.target = options_.path_prefix + request.path;
  if (!request.query.empty()) wire.target += "?" + request.query;
  wire.headers = {{"accept", request.accept}, {"user-agent", options_.user_agent}};
  if (!request.content_type.empty())
    wire.headers.emplace_back("content-type", request.content_type);
  if (deps_.credentials != nullptr) {
    FLYBALL_TRY(credentials_version, deps_.credentials->AddTo(wire.headers));
  }
  wire.body = request.body;
  wire.timeout = options_.timeout;
  return wire;
}

Result<transport::Response> RestClient::Do(const RestRequest& request) {
  Attempts attempts(*this, request);
  for (;;) {
    FLYBALL_TRY(transport::Request wire, Prepare(request, attempts.credentials_version));
    if (request.method == "GET") wire.patience = transport::Patience::kSilence;
    const SteadyTime start = deps_.clock.SteadyNow();
    auto response = Fetch(deps_.transport, deps_.clock, std::move(wire));
    if (deps_.limiter != nullptr) {
      deps_.limiter->Observe(response ? response->status : 0, deps_.clock.SteadyNow() - start);
    }
    if (!response) {
      if (attempts.AnotherAfter(response.error())) continue;
      return std::unexpected(response.error().Wrap(request.asked));
    }
    if (response->status / 100 == 2) return response;
    if (attempts.AnotherAfter(*response)) continue;
    return std::unexpected(ErrorOf(*response, request.method, request.asked));
  }
}

Result<transport::ResponseStream> RestClient::Open(const RestRequest& request) {
  Attempts attempts(*this, request);
  for (;;) {
    FLYBALL_TRY(transport::Request wire, Prepare(request, attempts.credentials_version));
    wire.patience = transport::Patience::kHead;
    transport::ResponseStream stream(deps_.transport, deps_.clock, std::move(wire));
    auto head = stream.Head();
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

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/credentials.h"
#include "flyball/client/request_limiter.h"
#include "flyball/client/request_metrics.h"
#include "flyball/transport/fetch.h"
#include "flyball/transport/transport.h"

namespace flyball::client {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kJsonType = "application/json";

/// A request to an API server, before anything of the connection is known.
struct RestRequest {
  std::string method = "GET";
  std::string path;        ///< "/api/v1/pods"
  std::string query = {};  ///< "limit=500", without the question mark
  std::string body = {};
  std::string content_type = {};
  std::string accept = std::string(kJsonType);
  std::string asked = {};  ///< for people: "get pods web-0"
  /// The object that it is about; empty: a collection. A 404 that does not name it is kNotServed.
  std::string name = {};
  /// Of Open(): ends the request and the response that it returned, with kCancelled.
  std::stop_token stop = {};
  /// Zero: as much as the client gives any.
  std::chrono::nanoseconds timeout = {};
  /// No waiting and sending again: for who has a rhythm and a deadline of its own.
  bool once = false;
  /// Of a watch: see transport::Request.
  bool allow_batching = false;
};

class RestClient;

/// The answer to a request that is under way. Many may be, from one caller. Destroying it gives the
/// request up. One thread at a time.
class PendingAnswer {
 public:
  /// Whether Wait() would not block, unless there is a retry to make.
  bool Ready() const;
  /// The response, if it is a success; sends the request again where that is called for. Once.
  Result<transport::Response> Wait();
  /// For people: "get pods web-0".
  const std::string& asked() const { return request_.asked; }

 private:
  friend class RestClient;

  PendingAnswer(RestClient& client, RestRequest request);
  void Send();
  Result<transport::Response> Receive();
  Error InDoubt(Error error) const;

  RestClient* client_;
  RestRequest request_;
  RequestMetrics::Call call_;
  std::uint64_t credentials_version_ = 0;
  SteadyTime sent_at_;
  std::chrono::nanoseconds promised_ = {};
  std::optional<transport::PendingResponse> response_;  // or none, and
  Result<> sent_;                                       // why it could not be sent
};

/// Requests with what every one of them needs: credentials, the user agent, retries, errors as
/// errors. Many of these, each with its own identity, may share a transport.
///
/// Retries are client-go's, but for writes: a GET is sent again up to ten times if the server says
/// Retry-After with 429 or 5xx, or if the connection breaks; anything else only if it says
/// Retry-After with 429; and both once after a 401 if there are newer credentials. The waits of a
/// request come to kLongestWait together: who is to come back later than that gets the error, with
/// `retry_after`, and no thread sits there until then.
///
/// An error says what became of the request (RequestFate). A request that changes something carries
/// `timeout=`, so that the server ends it by then, and an error whose fate is unknown says how much
/// of that is left (`unsettled_for`).
///
/// With a fence, such requests leave only while it is open, and the server is to end them before it
/// closes; each attempt anew. One that is not sent for it fails with kUnavailable and kNotSent.
/// What only reads passes.
///
/// Any thread may call it.
class RestClient {
 public:
  struct Deps {
    transport::Transport& transport;
    Clock& clock;
    Credentials* credentials = nullptr;
    RequestLimiter* limiter = nullptr;
    Logger log = {};
    RequestMetrics metrics = {};
    std::shared_ptr<const transport::WriteFence> fence = {};
  };
  struct Options {
    std::string user_agent = "flyball";
    std::string path_prefix = {};  ///< of a server that is not at the root of its host
    /// How long a server may take. One that changes something has to be done by then. One that
    /// reads has to say something, again and again: API servers themselves end a list after a
    /// minute, or after as long as their administrator thinks right, and a long list over a slow
    /// line is better than none. (DIVERGES: upstream waits for ever.) A watch has to begin.
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);
    /// What is read as it comes, lists and watches, may come packed. API servers pack what is long,
    /// and a watch that begins with all there is: a third of the bytes, for some CPU on both sides.
    bool takes_gzip = false;
  };
  /// For all retries of a request together, waiting for servers that ask for it.
  static constexpr std::chrono::nanoseconds kLongestWait = std::chrono::seconds(5);
  /// The most that a server is given to carry out a write.
  static constexpr std::chrono::nanoseconds kLongestWrite = std::chrono::seconds(30);

  RestClient(Deps deps, Options options) : deps_(std::move(deps)), options_(std::move(options)) {}

  /// The response, if it is a success.
  Result<transport::Response> Do(RestRequest request) { return Start(std::move(request)).Wait(); }

  /// Sends a request and does not wait for the answer.
  PendingAnswer Start(RestRequest request) { return {*this, std::move(request)}; }

  /// The response as it comes, if it is a success: a watch, or with kSilence a list.
  Result<transport::ResponseStream> Open(
      const RestRequest& request,
      transport::TimeoutScope timeout_scope = transport::TimeoutScope::kHeaders);

  Clock& clock() const { return deps_.clock; }

 private:
  friend class PendingAnswer;
  class Attempts;

  struct Prepared {
    transport::Request wire;
    std::uint64_t credentials_version = 0;
    std::chrono::nanoseconds promised = {};  ///< of a write: `timeout=`
  };
  Result<Prepared> Prepare(const RestRequest& request, RequestMetrics::Call& call);
  /// Tells the server how long it may take for a write, and the write when it may leave.
  Result<> LimitWrite(Prepared& prepared) const;

  const Deps deps_;
  const Options options_;
};

}  // namespace flyball::client

#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/credentials.h"
#include "flyball/client/request_limiter.h"
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
};

/// Requests with what every one of them needs: credentials, the user agent, retries, errors as
/// errors. Many of these, each with its own identity, may share a transport.
///
/// Retries are client-go's: up to ten times if the server says Retry-After with 429 or 5xx, or if
/// the connection breaks under a GET; and once after a 401 if there are newer credentials.
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
  };
  struct Options {
    std::string user_agent = "flyball";
    std::string path_prefix = {};  ///< of a server that is not at the root of its host
    /// How long a server may take. One that changes something has to be done by then. One that
    /// reads has to say something, again and again: API servers themselves end a list after a
    /// minute, or after as long as their administrator thinks right, and a long list over a slow
    /// line is better than none. (DIVERGES: upstream waits for ever.) A watch has to begin.
    std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  };

  RestClient(Deps deps, Options options) : deps_(std::move(deps)), options_(std::move(options)) {}

  /// The response, if it is a success.
  Result<transport::Response> Do(const RestRequest& request);

  /// The response as it comes, if it is a success: a watch.
  Result<transport::ResponseStream> Open(const RestRequest& request);

  Clock& clock() const { return deps_.clock; }

 private:
  class Attempts;

  Result<transport::Request> Prepare(const RestRequest& request,
                                     std::uint64_t& credentials_version);

  const Deps deps_;
  const Options options_;
};

}  // namespace flyball::client

#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/result.h"
#include "flyball/client/client.h"
#include "flyball/endpoints/access_metrics.h"

namespace flyball::endpoints {

/// What those need who ask the API server about a request that has come.
struct ReviewDeps {
  client::Client client;
  Clock& clock;
  std::function<double()> random;  ///< between 0 and 1
  ReviewMetrics metrics = {};
  Logger log = {};
  std::stop_token stop = {};  ///< ends waits between attempts
};

/// The part of Review() that is the same for all kinds.
Result<transport::Response> SendReview(const ReviewDeps& deps, const client::RestRequest& request,
                                       SteadyTime deadline);

/// Has the API server fill in the status of a review, which nothing keeps. Asks again where it is
/// not known whether the server has looked, or where it asks for time: up to five times, over four
/// seconds, and not past the deadline. Blocks.
template <typename T>
Result<T> Review(const ReviewDeps& deps, const T& review, SteadyTime deadline) {
  client::RestRequest request =
      client::ResourceRequests(client::Resource::Of<T>()).Make("create", "POST", {});
  FLYBALL_TRY(auto body, client::ObjectCodec<T>::Encode(review, client::Encoding::kProtobuf));
  std::move(body).MoveInto(request);
  request.accept = client::ObjectCodec<T>::Accept(client::Encoding::kProtobuf);
  FLYBALL_TRY(const auto response, SendReview(deps, request, deadline));
  return client::ObjectCodec<T>::Decode(response.body);
}

}  // namespace flyball::endpoints

#include "flyball/runtime/lease_lock.h"

#include <algorithm>
#include <utility>

namespace flyball::runtime {

using Codec = client::ObjectCodec<Lease>;

Result<Lease> LeaseLock::Get(std::chrono::nanoseconds timeout) const {
  return Do(requests_.Make("get", "GET", key_), timeout);
}

Result<Lease> LeaseLock::Create(const Lease& lease, std::chrono::nanoseconds timeout) const {
  return Send(requests_.Make("create", "POST", {key_.namespace_, ""}), lease, timeout);
}

Result<Lease> LeaseLock::Update(const Lease& lease, std::chrono::nanoseconds timeout) const {
  return Send(requests_.Make("update", "PUT", key_), lease, timeout);
}

Result<Lease> LeaseLock::Send(client::RestRequest request, const Lease& lease,
                              std::chrono::nanoseconds timeout) const {
  FLYBALL_TRY(client::EncodedBody body, Codec::Encode(lease, client::Encoding::kProtobuf));
  std::move(body).MoveInto(request);
  return Do(std::move(request), timeout);
}

Result<Lease> LeaseLock::Do(client::RestRequest request, std::chrono::nanoseconds timeout) const {
  const auto whole = std::max(std::chrono::ceil<std::chrono::milliseconds>(timeout),
                              std::chrono::milliseconds(1));  // zero would mean no limit
  request.query = "timeout=" + std::to_string(whole.count()) + "ms";
  request.accept = Codec::Accept(client::Encoding::kProtobuf);
  request.timeout = whole;
  request.once = true;
  FLYBALL_TRY(const auto response, rest_.Do(std::move(request)));
  return Codec::Decode(response.body);
}

}  // namespace flyball::runtime

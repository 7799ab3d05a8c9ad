#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/transport/transport.h"

namespace flyball::transport {

/// The target of a write without the `timeout=` that each one carries, last, which says nothing of
/// what is written.
inline std::string WithoutTimeout(std::string target) {
  const std::size_t at = target.rfind("timeout=");
  if (at != std::string::npos && at > 0) target.resize(at - 1);
  return target;
}

/// Answers requests as a test says, at once and without a network. The requests are kept, for the
/// test to look at.
class FakeTransport final : public Transport {
 public:
  struct Answer {
    ResponseHead head = {};
    std::vector<std::string> pieces = {};  ///< of the body
    Result<> end = {};                     ///< an error without a status comes instead of a head

    static Answer Of(int status, std::string body, Headers headers = {}) {
      return {{status, std::move(headers)}, {std::move(body)}, {}};
    }
    static Answer Broken(Error error) { return {{}, {}, std::unexpected(std::move(error))}; }
  };
  using Script = std::function<Answer(const Request& request)>;

  explicit FakeTransport(Script script) : script_(std::move(script)) {}

  std::shared_ptr<Exchange> Send(Request request,
                                 std::shared_ptr<ResponseHandler> handler) override {
    Answer answer = script_(request);
    {
      MutexLock lock(mutex_);
      requests_.push_back(std::move(request));
    }
    if (answer.head.status != 0) {
      handler->OnHead(std::move(answer.head));
      for (const std::string& piece : answer.pieces) handler->OnData(piece);
    }
    handler->OnEnd(std::move(answer.end));
    return std::make_shared<Over>();
  }

  std::vector<Request> requests() {
    MutexLock lock(mutex_);
    return requests_;
  }

 private:
  class Over final : public Exchange {
    void Cancel() override {}
    void Consumed(std::size_t) override {}
  };

  const Script script_;
  Mutex mutex_;
  std::vector<Request> requests_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::transport

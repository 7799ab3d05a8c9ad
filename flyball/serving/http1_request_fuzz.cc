/// Input: a byte that says where to cut, and what a client sends.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "flyball/base/check.h"
#include "flyball/serving/internal/http1_request.h"

namespace flyball::serving {
namespace {

/// What became of a request.
struct Outcome {
  bool done = false;
  int refusal = 0;
  std::optional<transport::Request> request = {};

  bool SameAs(const Outcome& other) const {
    // Which of several faults is seen first is no matter.
    if (refusal != 0 || other.refusal != 0) return refusal != 0 && other.refusal != 0;
    if (done != other.done) return false;
    if (!request) return true;
    const auto parts = [](const transport::Request& each) {
      return std::tie(each.method, each.target, each.headers, each.body);
    };
    return parts(*request) == parts(*other.request);
  }
};

/// Feeds it in pieces, as a connection does: what it has no use for yet comes again with the rest.
Outcome Read(std::string_view input, std::size_t piece) {
  Http1Request request(Limits{.request_body = 2048, .request_head = 1024});
  std::string waiting;
  while (!request.done() && request.refusal() == 0 && !input.empty()) {
    waiting += input.substr(0, piece);
    input.remove_prefix(std::min(piece, input.size()));
    for (;;) {
      const std::size_t used = request.Put(waiting);
      FLYBALL_CHECK(used <= waiting.size(), "it used more than there was");
      waiting.erase(0, used);
      if (used == 0 || waiting.empty() || request.done() || request.refusal() != 0) break;
    }
  }
  Outcome outcome{request.done(), request.refusal()};
  if (outcome.done && outcome.refusal == 0) {
    (void)request.keep_alive();
    outcome.request = request.TakeRequest();
    FLYBALL_CHECK(!outcome.request->method.empty(), "a request without a method");
    FLYBALL_CHECK(outcome.request->body.size() <= 2048, "a body beyond the limit");
  }
  return outcome;
}

}  // namespace
}  // namespace flyball::serving

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // With enough behind it for the reader to make up its mind: how early it sees that something is
  // wrong may depend on how the bytes arrive.
  std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  input += "\r\n\r\n" + std::string(4096, 'x');
  const auto whole = flyball::serving::Read(input, input.size() + 1);
  const auto in_pieces = flyball::serving::Read(input, std::size_t{data[0]} + 1);
  FLYBALL_CHECK(whole.SameAs(in_pieces), "it matters how the bytes arrive");
  return 0;
}

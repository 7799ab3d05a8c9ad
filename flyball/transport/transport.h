#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "flyball/base/result.h"
#include "flyball/transport/http.h"

/// The seam between those who ask and the network. HttpTransport is the real thing; the embedded
/// server answers in process; tests break what they like in between.
namespace flyball::transport {

/// What becomes of one request. The calls come from a thread of the transport, one at a time: the
/// head once, then data, then the end, which always comes and comes last. They must not block.
class ResponseHandler {
 public:
  virtual ~ResponseHandler() = default;
  virtual void OnHead(ResponseHead head) = 0;
  /// Part of the body. When the handler is done with so many bytes, it says so with
  /// Exchange::Consumed(); until then they count against what the server may send.
  virtual void OnData(std::string_view bytes) = 0;
  /// Without an error the response is complete. The codes say whether the server may have acted:
  ///   kUnavailable  there is no connection to it, it would not take the request, or the request's
  ///                 fence closed before all of it was sent: it has not acted
  ///   kTimeout      the time is up
  ///   kCancelled    by us
  ///   kIo           the connection broke, or what came was not HTTP: it may have acted
  ///   kUnauthorized, kMalformed  the server's certificate, or our own, is not what it must be
  virtual void OnEnd(Result<> how) = 0;
};

/// A request under way. Any thread may call it, at any time, also after the end.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Ends it with kCancelled, soon; a handler that is at work meanwhile finishes first.
  virtual void Cancel() = 0;
  virtual void Consumed(std::size_t bytes) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// Starts a request. The handler is kept until the end.
  virtual std::shared_ptr<Exchange> Send(Request request,
                                         std::shared_ptr<ResponseHandler> handler) = 0;
};

}  // namespace flyball::transport

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "flyball/serving/http_server.h"
#include "flyball/transport/http.h"

namespace flyball::serving {

/// A request as HTTP/1.1 has it, from its bytes.
class Http1Request {
 public:
  explicit Http1Request(const Limits& limits);
  ~Http1Request();
  Http1Request(Http1Request&&) noexcept;
  Http1Request& operator=(Http1Request&&) noexcept;

  /// Reads from `bytes`, and says how many of them it has no more need of; the others are to come
  /// again, with what follows them.
  std::size_t Put(std::string_view bytes);

  /// All of it is here.
  bool done() const;
  /// The status that says what is wrong with it, or zero.
  int refusal() const;
  /// Once: whether the client waits to be told that it may send the body.
  bool TakeWantsContinue();

  // When it is done.
  int version() const;  ///< 10 or 11
  bool keep_alive() const;
  transport::Request TakeRequest();

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace flyball::serving

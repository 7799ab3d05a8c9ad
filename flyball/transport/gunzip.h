#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flyball/base/result.h"

struct z_stream_s;

namespace flyball::transport {

/// Unpacks what gzip has packed, piece by piece as it comes: one packed part after the other, as an
/// API server sends a watch. Between two of them it keeps nothing, so that streams that are silent
/// most of the time cost no memory. One thread at a time.
class Gunzip {
 public:
  Gunzip();
  Gunzip(Gunzip&&) noexcept;
  Gunzip& operator=(Gunzip&&) noexcept;
  ~Gunzip();

  /// All that can be told from the bytes so far; maybe nothing yet. After an error it is of no use.
  Result<std::string> Feed(std::string_view packed);
  /// Whether the last part is whole.
  bool AtBoundary() const { return state_ == nullptr; }

 private:
  struct End {
    void operator()(z_stream_s* state) const;
  };

  std::unique_ptr<z_stream_s, End> state_;  // of the part that has begun
};

}  // namespace flyball::transport

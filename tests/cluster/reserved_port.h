#pragma once

#include <cstdint>

#include "flyball/base/result.h"
#include "tests/cluster/file_descriptor.h"

namespace flyball::cluster {

/// A TCP port on 127.0.0.1 that is nobody else's for as long as this lives. It is bound here and
/// not listened on: a program that asks for SO_REUSEPORT can take it, end, and take it again, and
/// while none listens, connections to it are refused. So there is no race for a "free" port.
class ReservedPort {
 public:
  static Result<ReservedPort> Take();

  std::uint16_t number() const { return number_; }

 private:
  ReservedPort(FileDescriptor socket, std::uint16_t number)
      : socket_(std::move(socket)), number_(number) {}

  FileDescriptor socket_;
  std::uint16_t number_;
};

}  // namespace flyball::cluster

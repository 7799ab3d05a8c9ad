#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flyball/base/executor.h"

namespace flyball::scripted {

struct ProxyOptions {
  bool socks = false;  ///< else HTTP CONNECT
  std::string user = {};
  std::string password = {};
  bool refuses = false;
};

/// A proxy that opens tunnels to anywhere, on loopback.
class Proxy {
 public:
  explicit Proxy(Executor& executor, ProxyOptions options = {});
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// "http://user:password@127.0.0.1:41234".
  std::string url() const;
  /// How many tunnels it has opened, and where the last one led: "127.0.0.1:6443".
  int tunnels() const;
  std::string target() const;

  /// Breaks all tunnels that are open, as a network does.
  void Cut();
  /// The same, and whoever asks for a new one finds the door shut, until it is opened again.
  void Shut();
  void Open();

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace flyball::scripted

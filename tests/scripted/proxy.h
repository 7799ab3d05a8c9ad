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
  /// Where all tunnels lead, "127.0.0.1:6443": who connects is not asked, and need not know. Empty:
  /// it has to say.
  std::string target = {};
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
  /// "127.0.0.1:41234".
  std::string address() const;
  /// How many tunnels it has opened, and where the last one led: "127.0.0.1:6443".
  int tunnels() const;
  std::string target() const;
  /// How many bytes it has passed on to those who asked for tunnels.
  std::uint64_t received() const;

  /// Breaks all tunnels that are open, as a network does.
  void Cut();
  /// The same, and whoever asks for a new one finds the door shut, until it is opened again.
  void Shut();
  /// Tunnels stay, new ones are granted, and nothing comes through, either way, for ever: a network
  /// that loses all there is. What it held when it is opened again is lost.
  void Swallow();
  /// As it was at first. Tunnels that lost something are broken.
  void Open();

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace flyball::scripted

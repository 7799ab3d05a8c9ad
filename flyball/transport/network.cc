#include "flyball/transport/network.h"

#include "flyball/transport/internal/network_loop.h"

namespace flyball::transport {

Network::Network(Executor& executor) : executor_(executor), loop_(std::make_shared<NetworkLoop>()) {
  executor.Start("transport/network", [loop = loop_] { loop->Run(); });
}

Network::~Network() { loop_->StopAndWait(executor_.clock()); }

}  // namespace flyball::transport

#include "flyball/transport/network.h"

#include <utility>

#include "flyball/transport/internal/network_loop.h"

namespace flyball::transport {

Network::Network(Executor& executor, std::string name)
    : executor_(executor), loop_(std::make_shared<NetworkLoop>()) {
  executor.Start(std::move(name), [loop = loop_] { loop->Run(); });
}

Network::~Network() { loop_->StopAndWait(executor_.clock()); }

}  // namespace flyball::transport

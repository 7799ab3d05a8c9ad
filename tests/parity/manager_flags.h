#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flyball/base/result.h"
#include "tests/cluster/control_plane.h"

namespace flyball::parity {

/// The controllers that both managers run: those that ours has.
std::string ControllersFlag();

/// The flags that kubeadm gives to a manager, for one of a test's control planes; on a port that is
/// nobody else's, and with less patience where that is all a scenario waits for.
Result<std::vector<std::string>> ManagerFlags(const cluster::ControlPlane& plane,
                                              std::uint16_t port);

}  // namespace flyball::parity

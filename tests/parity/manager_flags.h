#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace flyball::parity {

/// What managers say of what they did comes a while after it, so a checkpoint waits for so long.
inline constexpr std::chrono::nanoseconds kLeastSettle = std::chrono::seconds(2);
/// Of nodes: often, so that scenarios may have the manager miss a node soon.
inline constexpr std::chrono::nanoseconds kLeaseRenewal = std::chrono::seconds(2);

/// The flags that a manager is given to play a scenario, beside those that kubeadm writes: `more`
/// are those that the scenario restarts it with, which stand in place of ours.
std::vector<std::string> ManagerFlags(const std::vector<std::string>& without,
                                      const std::vector<std::string>& more);

/// Flags with others in place of those of the same name: a list that is given twice would be both
/// lists.
std::vector<std::string> WithFlags(std::vector<std::string> flags,
                                   const std::vector<std::string>& others);

}  // namespace flyball::parity

#include "flyball/controllers/common/endpoint_subsets.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "flyball/api/fnv.h"
#include "flyball/api/hash_dump.h"

namespace flyball::controllers::common {
namespace {

using core::v1::EndpointAddress;
using core::v1::EndpointPort;
using core::v1::EndpointSubset;

enum class State : std::uint8_t { kNone, kReady, kNotReady };

std::string_view OwnerOf(const EndpointAddress& address) {
  return address.targetRef ? std::string_view(address.targetRef->uid) : std::string_view();
}

/// In the order in which upstream has them: one of nobody before those of somebody.
bool Before(const EndpointAddress& a, const EndpointAddress& b) {
  if (a.ip != b.ip) return a.ip < b.ip;
  return OwnerOf(a) < OwnerOf(b);
}

/// Taken apart: each address once, and at each port what it is there.
class Unpacked {
 public:
  explicit Unpacked(const std::vector<EndpointSubset>& subsets) {
    for (const EndpointSubset& subset : subsets) {
      if (subset.ports.empty()) Add(subset, nullptr);
      for (const EndpointPort& port : subset.ports) Add(subset, &port);
    }
  }

  std::vector<EndpointSubset> Pack() {
    // The same addresses in the same state, and the ports that have them so.
    std::map<std::vector<State>, std::vector<EndpointPort>> groups;
    for (Port& port : ports_) {
      port.states.resize(addresses_.size());
      auto& group = groups[std::move(port.states)];
      if (port.port.port > 0) group.push_back(std::move(port.port));
    }
    std::vector<EndpointSubset> packed;
    for (auto& [states, ports] : groups) {
      EndpointSubset& subset = packed.emplace_back();
      subset.ports = std::move(ports);
      for (std::size_t i = 0; i < states.size(); ++i) {
        if (states[i] == State::kReady) subset.addresses.push_back(*addresses_[i]);
        if (states[i] == State::kNotReady) subset.notReadyAddresses.push_back(*addresses_[i]);
      }
    }
    return packed;
  }

 private:
  struct Port {
    EndpointPort port;
    std::vector<State> states = {};  ///< of each address that there is so far
  };

  void Add(const EndpointSubset& subset, const EndpointPort* port) {
    if (subset.addresses.empty() && subset.notReadyAddresses.empty()) return;
    Port& at = PortLike(port);
    for (const EndpointAddress& address : subset.addresses) Add(address, at, State::kReady);
    for (const EndpointAddress& address : subset.notReadyAddresses) {
      Add(address, at, State::kNotReady);
    }
  }
  void Add(const EndpointAddress& address, Port& port, State state) {
    std::string name = address.ip + '\n';
    name += OwnerOf(address);
    const auto [found, is_new] = places_.try_emplace(std::move(name), addresses_.size());
    if (is_new) addresses_.push_back(&address);
    if (port.states.size() <= found->second) port.states.resize(addresses_.size());
    State& now = port.states[found->second];
    now = std::max(now, state);
  }
  /// Null is where there is no port at all.
  Port& PortLike(const EndpointPort* port) {
    EndpointPort none;
    none.port = -1;
    if (port == nullptr) port = &none;
    const auto found = std::ranges::find(ports_, *port, &Port::port);
    return found != ports_.end() ? *found : ports_.emplace_back(Port{*port});
  }

  std::vector<const EndpointAddress*> addresses_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Port> ports_;
};

template <typename T>
void SortByHash(std::vector<T>& things) {
  if (things.size() < 2) return;
  std::vector<std::pair<api::Fnv128Sum, std::size_t>> order;
  order.reserve(things.size());
  for (const T& thing : things) {
    order.emplace_back(api::Fnv128a(api::DumpForHash(thing)), order.size());
  }
  std::ranges::sort(order);
  std::vector<T> sorted;
  sorted.reserve(things.size());
  for (const auto& [sum, place] : order) sorted.push_back(std::move(things[place]));
  things = std::move(sorted);
}

}  // namespace

std::vector<EndpointSubset> Repacked(const std::vector<EndpointSubset>& subsets) {
  std::vector<EndpointSubset> packed = Unpacked(subsets).Pack();
  for (EndpointSubset& subset : packed) {
    std::ranges::sort(subset.addresses, Before);
    std::ranges::sort(subset.notReadyAddresses, Before);
    SortByHash(subset.ports);
  }
  SortByHash(packed);
  return packed;
}

}  // namespace flyball::controllers::common

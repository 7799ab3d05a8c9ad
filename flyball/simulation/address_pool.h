#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::simulation {

/// The addresses that a node gives to its pods: those of an IPv4 range, but for the first and the
/// last, and the one that is the node's own end of it. One that was given back is the last to be
/// given out again, as far as that goes.
///
/// One thread at a time.
class AddressPool {
 public:
  /// Nothing if it is not a range of IPv4 addresses with room for pods: "10.1.2.0/24".
  static std::optional<AddressPool> Of(std::string_view range);
  /// The range of the n-th node, where nobody gave it one. It has no address from the 65,537th on,
  /// for which 10.0.0.0/8 has no room.
  static AddressPool OfNode(std::size_t n);

  /// Empty when all are taken.
  std::string Take();
  /// One that is known to be taken already.
  void Reserve(std::string_view address);
  void Release(std::string_view address);

 private:
  AddressPool(std::uint32_t first, std::size_t size) : first_(first), taken_(size) {}
  std::optional<std::size_t> PlaceOf(std::string_view text) const;

  std::uint32_t first_;
  std::vector<bool> taken_;
  std::size_t next_ = 0;
};

/// The address of the n-th node itself.
std::string AddressOfNode(std::size_t n);

}  // namespace flyball::simulation

#include "flyball/simulation/address_pool.h"

#include <algorithm>
#include <charconv>

namespace flyball::simulation {
namespace {

constexpr std::size_t kLargestPool = 1 << 16;

std::string ToText(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (!text.empty()) text += '.';
    text += std::to_string((address >> shift) & 0xff);
  }
  return text;
}

std::optional<std::uint32_t> Parse(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), byte);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(end - text.data());
    address = address << 8 | byte;
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

}  // namespace

std::optional<AddressPool> AddressPool::Of(std::string_view range) {
  const auto slash = range.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = Parse(range.substr(0, slash));
  const std::string_view text = range.substr(slash + 1);
  std::uint32_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!address || !whole || bits < 8 || bits > 29) return std::nullopt;
  const std::size_t size = std::size_t{1} << (32 - bits);
  const std::uint32_t start = *address & ~static_cast<std::uint32_t>(size - 1);
  return AddressPool(start + 2, std::min(size - 3, kLargestPool));
}

AddressPool AddressPool::OfNode(std::size_t n) {
  constexpr std::size_t kRanges = 1 << 16;
  if (n >= kRanges) return AddressPool(0, 0);
  return *Of(ToText(10U << 24 | static_cast<std::uint32_t>(n) << 8) + "/24");
}

std::string AddressPool::Take() {
  for (std::size_t tried = 0; tried < taken_.size(); ++tried) {
    const std::size_t place = next_;
    next_ = (next_ + 1) % taken_.size();
    if (taken_[place]) continue;
    taken_[place] = true;
    return ToText(first_ + static_cast<std::uint32_t>(place));
  }
  return {};
}

std::optional<std::size_t> AddressPool::PlaceOf(std::string_view text) const {
  const auto address = Parse(text);
  if (!address || *address < first_ || *address - first_ >= taken_.size()) return std::nullopt;
  return *address - first_;
}

void AddressPool::Reserve(std::string_view address) {
  if (const auto place = PlaceOf(address)) taken_[*place] = true;
}

void AddressPool::Release(std::string_view address) {
  if (const auto place = PlaceOf(address)) taken_[*place] = false;
}

std::string AddressOfNode(std::size_t n) {
  return ToText((172U << 24 | 16U << 16) + 2 + static_cast<std::uint32_t>(n));
}

}  // namespace flyball::simulation

#include "flyball/sandbox/kinds/service_ranges.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace flyball::sandbox {
namespace {

/// By then a write has come through or failed.
constexpr auto kTrust = std::chrono::seconds(30);

struct Network {
  std::int64_t base = 0;
  int bits = 0;
  std::int64_t size() const { return std::int64_t{1} << (32 - bits); }
};

std::optional<Network> ParseNetwork(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto base = ParseAddress(text.substr(0, slash));
  const std::string_view length = text.substr(slash + 1);
  int bits = 0;
  const auto read = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (!base || read.ec != std::errc() || read.ptr != length.data() + length.size()) {
    return std::nullopt;
  }
  if (bits < 8 || bits > 30) return std::nullopt;
  const Network network{*base, bits};
  if (network.base % network.size() != 0) return std::nullopt;
  return network;
}

Network NetworkOf(const ServiceRanges::Options& options) {
  return ParseNetwork(options.cluster_ips).value_or(Network{ParseAddress("10.0.0.0").value(), 24});
}

/// Upstream's share of a range that is not given out by itself.
std::int64_t SetAside(std::int64_t size, std::int64_t part, std::int64_t most) {
  constexpr std::int64_t kLeast = 16;
  if (size < kLeast) return 0;
  return std::clamp(size / part, kLeast, most);
}

}  // namespace

bool NumberPool::IsFree(std::int64_t number, const Stored& stored, WallTime now) {
  const auto found = held_.find(number);
  if (found == held_.end()) return true;
  Holding& holding = found->second;
  const std::optional<bool> has = stored(holding.holder, number);
  if (has) {
    holding.on_trust_since.reset();
    return !*has;
  }
  return !holding.on_trust_since || now - *holding.on_trust_since > kTrust;
}

bool NumberPool::Take(std::int64_t number, const Holder& holder, const Stored& stored,
                      WallTime now) {
  const MutexLock lock(mutex_);
  const auto found = held_.find(number);
  const bool its_own = found != held_.end() && found->second.holder.uid == holder.uid;
  if (!its_own && !IsFree(number, stored, now)) return false;
  if (!holder.only_asks) held_[number] = {holder, now};
  return true;
}

std::optional<std::int64_t> NumberPool::TakeAny(const Holder& holder, const Stored& stored,
                                                WallTime now, const api::RandomBits& random) {
  const MutexLock lock(mutex_);
  const auto search = [&](std::int64_t first, std::int64_t last)
                          FLYBALL_REQUIRES(mutex_) -> std::optional<std::int64_t> {
    const std::int64_t size = last - first + 1;
    if (size <= 0) return std::nullopt;
    const auto start = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t number = first + (start + i) % size;
      if (IsFree(number, stored, now)) return number;
    }
    return std::nullopt;
  };
  auto number = search(first_ + set_aside_, last_);
  if (!number) number = search(first_, first_ + set_aside_ - 1);
  if (number && !holder.only_asks) held_[*number] = {holder, now};
  return number;
}

void NumberPool::Learn(std::int64_t number, Holder holder) {
  const MutexLock lock(mutex_);
  held_[number] = {std::move(holder), std::nullopt};
}

ServiceRanges::ServiceRanges(const Options& options)
    : cluster_ips_(options.cluster_ips),
      first_port_(options.first_node_port),
      last_port_(options.last_node_port),
      // Not the network itself, nor the first, which is the API server's own, nor the last.
      addresses_(NetworkOf(options).base + 2,
                 NetworkOf(options).base + NetworkOf(options).size() - 2,
                 SetAside(NetworkOf(options).size(), 16, 256) - 2),
      ports_(first_port_, last_port_, SetAside(last_port_ - first_port_ + 1, 32, 128)) {}

Result<> ServiceRanges::Check(const Options& options) {
  if (!ParseNetwork(options.cluster_ips)) {
    return Fail(ErrorCode::kInvalid, options.cluster_ips +
                                         " is no IPv4 network of between 8 and 30 bits, such as "
                                         "10.0.0.0/24");
  }
  if (options.first_node_port < 1 || options.last_node_port > 65535 ||
      options.first_node_port > options.last_node_port) {
    return Fail(ErrorCode::kInvalid, "the range of node ports is none");
  }
  return {};
}

std::string ServiceRanges::ports_text() const {
  return std::to_string(first_port_) + "-" + std::to_string(last_port_);
}

void ServiceRanges::LoadOnce(const std::function<void(ServiceRanges&)>& load) {
  const MutexLock lock(mutex_);
  if (std::exchange(loaded_, true)) return;
  load(*this);
}

std::optional<std::int64_t> ParseAddress(std::string_view text) {
  std::int64_t address = 0;
  for (int part = 0; part < 4; ++part) {
    int number = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || number < 0 || number > 255) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    if (part < 3) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    address = address * 256 + number;
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

std::string AddressText(std::int64_t address) {
  std::string text;
  for (const int shift : {24, 16, 8, 0}) {
    if (!text.empty()) text += '.';
    text += std::to_string((address >> shift) & 255);
  }
  return text;
}

}  // namespace flyball::sandbox

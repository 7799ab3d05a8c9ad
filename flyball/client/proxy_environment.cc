#include "flyball/client/proxy_environment.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/client/internal/header_text.h"

namespace flyball::client {
namespace {

/// An address of either family; those of IPv4 as IPv6 writes them, ::ffff:1.2.3.4.
class Address {
 public:
  static std::optional<Address> Parse(std::string_view text) {
    const std::string terminated(text);
    Address address;
    if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
    std::ranges::copy(kMapped, address.bytes_.begin());
    if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + kMapped.size()) == 1) {
      return address;
    }
    return std::nullopt;
  }

  bool IsV4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes_.begin()); }
  bool IsLoopback() const {
    if (IsV4()) return bytes_[kMapped.size()] == 127;
    return *this == *Parse("::1");
  }
  /// The first bits; the rest are zero.
  Address Prefix(unsigned bits) const {
    Address prefix;
    for (unsigned i = 0; 8 * i < bits; ++i) {
      const unsigned kept = std::min(bits - 8 * i, 8U);
      prefix.bytes_[i] = static_cast<unsigned char>(bytes_[i] & (0xff00U >> kept));
    }
    return prefix;
  }
  friend bool operator==(const Address&, const Address&) = default;

 private:
  static constexpr std::array<unsigned char, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  std::array<unsigned char, 16> bytes_ = {};
};

/// "10.0.0.0/8".
struct Range {
  Address network;
  unsigned bits = 0;  ///< of 128

  static std::optional<Range> Parse(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view host = text.substr(0, slash);
    const std::string_view size = text.substr(slash + 1);
    const auto address = Address::Parse(host);
    const bool v4 = host.find(':') == std::string_view::npos;
    unsigned bits = 0;
    const auto parsed = std::from_chars(size.data(), size.data() + size.size(), bits);
    const bool number = parsed.ec == std::errc() && parsed.ptr == size.data() + size.size();
    if (!address || !number || bits > (v4 ? 32U : 128U)) return std::nullopt;
    if (v4) bits += 96;
    return Range{address->Prefix(bits), bits};
  }

  bool Contains(const Address& address) const {
    return network.IsV4() == address.IsV4() && address.Prefix(bits) == network;
  }
};

struct HostAndPort {
  std::string_view host;
  std::string_view port;  ///< empty: any
};

/// "host:port" or "[address]:port". What is not of this form is a host as a whole.
HostAndPort Split(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return {text, {}};
  }
  return {host, text.substr(colon + 1)};
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// A server, as NO_PROXY looks at it.
struct Target {
  std::string host;
  std::string port;
  std::optional<Address> address;
};

/// Whether one entry of NO_PROXY, in lower case, is about the server.
bool Matches(std::string_view entry, const Target& target) {
  if (entry == "*") return true;
  if (const auto range = Range::Parse(entry)) {
    return target.address && range->Contains(*target.address);
  }
  const auto [host, port] = Split(entry);
  if (host.empty() || (!port.empty() && port != target.port)) return false;
  if (const auto address = Address::Parse(host)) return address == target.address;
  if (target.address) return false;
  const std::string_view domain = host.starts_with("*.") ? host.substr(1) : host;
  if (domain.starts_with('.')) return target.host.ends_with(domain);
  return target.host == domain || target.host.ends_with("." + std::string(domain));
}

/// The entries of a list, in lower case.
std::vector<std::string> Entries(std::string_view list) {
  std::vector<std::string> entries;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (const auto entry = TrimSpace(list.substr(0, comma)); !entry.empty()) {
      entries.push_back(ToLower(entry));
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return entries;
}

bool IsExempt(const Environment& environment, const transport::Url& server) {
  const Target target{ToLower(server.host), std::to_string(server.port),
                      Address::Parse(server.host)};
  if (target.host == "localhost" || (target.address && target.address->IsLoopback())) return true;
  const auto upper = Entries(environment.variable("NO_PROXY"));
  auto entries = Entries(environment.variable("no_proxy"));
  if (entries.empty()) {
    entries = upper;
  } else {
    // PARITY: client-go looks for ranges by itself, in the other variable first.
    std::ranges::copy_if(upper, std::back_inserter(entries),
                         [](const auto& entry) { return Range::Parse(entry).has_value(); });
  }
  return std::ranges::any_of(entries, [&](const auto& entry) { return Matches(entry, target); });
}

}  // namespace

Result<std::optional<transport::Url>> ProxyFromEnvironment(const Environment& environment,
                                                           const transport::Url& server) {
  const bool secret = server.scheme == "https";
  std::string name = secret ? "https_proxy" : "http_proxy";
  std::string text = environment.variable(name);
  if (text.empty()) {
    name = secret ? "HTTPS_PROXY" : "HTTP_PROXY";
    text = environment.variable(name);
  }
  if (text.empty() || IsExempt(environment, server)) return std::nullopt;
  auto proxy = transport::Url::Parse(text, "http");
  if (!proxy) return Fail(proxy.error().code(), name, proxy.error().message());
  return *std::move(proxy);
}

}  // namespace flyball::client

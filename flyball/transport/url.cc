#include "flyball/transport/url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace flyball::transport {
namespace {

Result<std::string> Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    const char* const end = text.data() + std::min(i + 3, text.size());
    const auto parsed = std::from_chars(text.data() + i + 1, end, byte, 16);
    if (parsed.ptr != text.data() + i + 3) return Fail(ErrorCode::kMalformed, "invalid URL escape");
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

std::uint16_t DefaultPort(std::string_view scheme) {
  if (scheme == "https") return 443;
  if (scheme == "http") return 80;
  return 1080;  // SOCKS
}

Result<> ParseHostAndPort(std::string_view text, Url& url) {
  std::string_view port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return Fail(ErrorCode::kMalformed, "missing ']' in host");
    url.host = text.substr(1, close - 1);
    port = text.substr(close + 1);
    if (!port.empty() && port.front() != ':')
      return Fail(ErrorCode::kMalformed, "unexpected text after ']'");
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    url.host = text.substr(0, colon);
    port = text.substr(colon);
  }
  if (url.host.empty()) return Fail(ErrorCode::kMalformed, "missing host");
  const bool odd = std::ranges::any_of(
      url.host, [](unsigned char c) { return c <= ' ' || c == 0x7f || c == '@' || c == '%'; });
  if (odd) return Fail(ErrorCode::kMalformed, "invalid character in host name");
  url.port = DefaultPort(url.scheme);
  if (port.size() <= 1) return {};
  port.remove_prefix(1);
  const auto parsed = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (parsed.ec != std::errc() || parsed.ptr != port.data() + port.size() || url.port == 0) {
    // Not quoted: in a URL that lacks its '@' it is a password.
    return Fail(ErrorCode::kMalformed, "invalid port after ':'");
  }
  return {};
}

Result<Url> ParseParts(std::string_view text, std::string_view default_scheme) {
  Url url;
  if (const auto colon = text.find("://"); colon != std::string_view::npos) {
    url.scheme = text.substr(0, colon);
    std::ranges::transform(url.scheme, url.scheme.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    text.remove_prefix(colon + 3);
  } else if (!default_scheme.empty()) {
    url.scheme = default_scheme;
  } else {
    return Fail(ErrorCode::kMalformed, "missing scheme, for example https://");
  }
  if (url.scheme != "https" && url.scheme != "http" && url.scheme != "socks5" &&
      url.scheme != "socks5h") {
    return Fail(ErrorCode::kUnsupported, "scheme '" + url.scheme + "' is not supported");
  }
  const auto slash = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, slash);
  url.path = text.substr(slash);
  if (url.path.find_first_of("?#") != std::string::npos) {
    return Fail(ErrorCode::kMalformed, "query and fragment are not allowed");
  }
  while (url.path.ends_with('/')) url.path.pop_back();
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = authority.substr(0, at);
    const auto colon = std::min(user.find(':'), user.size());
    FLYBALL_TRY(url.user, Unescape(user.substr(0, colon)));
    FLYBALL_TRY(url.password, Unescape(user.substr(std::min(colon + 1, user.size()))));
    authority.remove_prefix(at + 1);
  }
  FLYBALL_TRY(ParseHostAndPort(authority, url));
  return url;
}

}  // namespace

std::string Url::Authority() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Url> Url::Parse(std::string_view text, std::string_view default_scheme) {
  auto url = ParseParts(text, default_scheme);
  // Not the whole text, which may hold a password.
  if (!url) return std::unexpected(url.error().Wrap("invalid URL"));
  return url;
}

}  // namespace flyball::transport

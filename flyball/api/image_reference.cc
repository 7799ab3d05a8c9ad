#include "flyball/api/image_reference.h"

#include <algorithm>

namespace flyball::api {
namespace {

/// Of the path, without the registry.
constexpr std::size_t kMaxPathSize = 255;
constexpr std::size_t kMaxTagSize = 128;
/// What a name without a folder gets in front in the default registry.
constexpr std::string_view kOfficialFolder = "library/";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || IsUpper(c) || IsDigit(c); }
bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsHex(char c) { return IsLowerHex(c) || (c >= 'A' && c <= 'F'); }

/// Whether every part of `text` between separators satisfies `check`.
template <typename Check>
bool AllParts(std::string_view text, char separator, Check check) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!check(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool IsDigest(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view algorithm = text.substr(0, colon);
  const std::string_view hash = text.substr(colon + 1);
  const std::size_t size = algorithm == "sha256"   ? 64
                           : algorithm == "sha384" ? 96
                           : algorithm == "sha512" ? 128
                                                   : 0;
  return size > 0 && hash.size() == size && std::ranges::all_of(hash, IsLowerHex);
}

bool IsTag(std::string_view text) {
  if (text.empty() || text.size() > kMaxTagSize) return false;
  const auto is_word = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  return is_word(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

/// Lower case and digits, with one period, one or two underscores or any number of dashes between.
bool IsPathComponent(std::string_view text) {
  const auto is_atom = [](char c) { return IsLower(c) || IsDigit(c); };
  if (text.empty() || !is_atom(text.front()) || !is_atom(text.back())) return false;
  for (std::size_t i = 0; i < text.size();) {
    if (is_atom(text[i])) {
      ++i;
      continue;
    }
    const auto next =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_atom);
    const std::string_view separator(text.begin() + static_cast<std::ptrdiff_t>(i), next);
    const bool dashes = separator.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
    i += separator.size();
  }
  return true;
}

bool IsHostLabel(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-'; });
}

/// A host name, an IPv4 address, or an IPv6 address in brackets, with or without a port.
bool IsRegistry(std::string_view text) {
  const std::size_t host_end = text.starts_with('[') ? text.find(']') : 0;
  if (host_end == std::string_view::npos) return false;
  const std::size_t colon = text.find(':', host_end);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, IsDigit)) return false;
    text = text.substr(0, colon);
  }
  if (!text.starts_with('[')) return AllParts(text, '.', IsHostLabel);
  if (text.size() < 3 || text.back() != ']') return false;
  return std::ranges::all_of(text.substr(1, text.size() - 2),
                             [](char c) { return IsHex(c) || c == ':'; });
}

/// What comes before tag and digest. The first part of several is the registry if it looks like a
/// host: a period, a port, capitals, or localhost.
bool IsName(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view first = text.substr(0, slash);
  const bool like_host =
      slash != std::string_view::npos &&
      (first == "localhost" || first.find_first_of(".:") != std::string_view::npos ||
       std::ranges::any_of(first, IsUpper));
  // A part that looks like a host and is none may still be a folder, such as "team_a.b".
  const bool registry = like_host && IsRegistry(first);
  const std::string_view path = registry ? text.substr(slash + 1) : text;
  const bool default_registry = !like_host || first == "docker.io" || first == "index.docker.io";
  const bool official = default_registry && path.find('/') == std::string_view::npos;
  return path.size() + (official ? kOfficialFolder.size() : 0) <= kMaxPathSize &&
         AllParts(path, '/', IsPathComponent);
}

}  // namespace

std::string_view ImageTag(std::string_view image) {
  // Upstream takes these for the id of an image, which is no reference.
  if (image.size() == 64 && std::ranges::all_of(image, IsLowerHex)) return {};
  const std::size_t at = image.find('@');
  const bool has_digest = at != std::string_view::npos;
  if (has_digest && !IsDigest(image.substr(at + 1))) return {};

  std::string_view name = image.substr(0, at);
  const std::size_t last_slash = name.rfind('/');
  const std::size_t colon =
      name.find(':', last_slash == std::string_view::npos ? 0 : last_slash + 1);
  std::string_view tag = has_digest ? "" : "latest";
  if (colon != std::string_view::npos) {
    tag = name.substr(colon + 1);
    if (!IsTag(tag)) return {};
    name = name.substr(0, colon);
  }
  return IsName(name) ? tag : std::string_view();
}

}  // namespace flyball::api

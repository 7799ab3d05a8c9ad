#include "flyball/manager/flags/flag_value.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "flyball/api/duration.h"
#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/gates/kube_version.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager::flags {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The canonical form, in which an IPv4 address within an IPv6 one is itself.
Result<std::string> CanonicalIp(std::string_view text) {
  const std::string trimmed(TrimSpace(text));
  in_addr v4{};
  in6_addr v6{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  const auto print = [&canonical](int family, const void* address) {
    return std::string(inet_ntop(family, address, canonical.data(), canonical.size()));
  };
  if (inet_pton(AF_INET, trimmed.c_str(), &v4) == 1) return print(AF_INET, &v4);
  if (inet_pton(AF_INET6, trimmed.c_str(), &v6) != 1) {
    return Refuse("failed to parse IP: " + Quote(text));
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return print(AF_INET, &v6.s6_addr[12]);
  return print(AF_INET6, &v6);
}

Result<NamedCertificate> ParseNamedCertificate(std::string_view text) {
  NamedCertificate named;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view names = TrimSpace(text.substr(colon + 1));
    if (names.empty()) return Refuse("empty names list is not allowed");
    for (const std::string_view name : Split(names, ',')) named.names.emplace_back(TrimSpace(name));
  }
  const auto files = Split(TrimSpace(text.substr(0, colon)), ',');
  if (files.size() != 2) {
    return Refuse("expected comma separated certificate and key file paths");
  }
  named.certificate_file = TrimSpace(files[0]);
  named.key_file = TrimSpace(files[1]);
  return named;
}

Result<std::pair<std::string, std::string>> ParsePair(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Refuse(std::string(text) + " must be formatted as key=value");
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

std::string_view TrimQuotes(std::string_view text) {
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  return text;
}

/// Puts `items` in the place of a list's default, or behind what has been given before.
template <typename T>
void Extend(std::vector<T>& list, std::vector<T> items, bool again) {
  if (!again) list.clear();
  list.insert(list.end(), std::make_move_iterator(items.begin()),
              std::make_move_iterator(items.end()));
}

}  // namespace

Result<> FlagValue<bool>::Set(bool& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(member, ParseBool(text));
  return {};
}

Result<> FlagValue<std::string>::Set(std::string& member, std::string_view text, bool /*again*/) {
  member = text;
  return {};
}

Result<> FlagValue<std::int32_t>::Set(std::int32_t& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(const std::int64_t value, ParseInt(text, 32));
  member = static_cast<std::int32_t>(value);
  return {};
}

Result<> FlagValue<std::int64_t>::Set(std::int64_t& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(member, ParseInt(text, 64));
  return {};
}

Result<> FlagValue<float>::Set(float& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(const double value, ParseFloat(text, 32));
  member = static_cast<float>(value);
  return {};
}

std::string FlagValue<float>::Text(float member) { return FormatFloat(member); }

Result<> FlagValue<double>::Set(double& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(member, ParseFloat(text, 64));
  return {};
}

std::string FlagValue<double>::Text(double member) { return FormatFloat(member); }

Result<> FlagValue<std::chrono::nanoseconds>::Set(std::chrono::nanoseconds& member,
                                                  std::string_view text, bool /*again*/) {
  FLYBALL_TRY(member, ParseDuration(text));
  return {};
}

std::string FlagValue<std::chrono::nanoseconds>::Text(std::chrono::nanoseconds member) {
  return api::FormatDuration(member);
}

Result<> FlagValue<std::vector<std::string>>::Set(std::vector<std::string>& member,
                                                  std::string_view text, bool again) {
  FLYBALL_TRY(std::vector<std::string> items, ReadCsv(text));
  Extend(member, std::move(items), again);
  return {};
}

std::string FlagValue<std::vector<std::string>>::Text(const std::vector<std::string>& member) {
  return "[" + WriteCsv(member) + "]";
}

Result<> FlagValue<std::vector<std::int32_t>>::Set(std::vector<std::int32_t>& member,
                                                   std::string_view text, bool again) {
  std::vector<std::int32_t> items;
  for (const std::string_view part : Split(text, ',')) {
    FLYBALL_TRY(const std::int64_t item, ParseInt(part, 32));
    items.push_back(static_cast<std::int32_t>(item));
  }
  Extend(member, std::move(items), again);
  return {};
}

std::string FlagValue<std::vector<std::int32_t>>::Text(const std::vector<std::int32_t>& member) {
  std::string text = "[";
  for (const std::int32_t item : member) {
    if (text.size() > 1) text.push_back(',');
    text.append(std::to_string(item));
  }
  return text + "]";
}

Result<> FlagValue<std::map<std::string, std::string>>::Set(
    std::map<std::string, std::string>& member, std::string_view text, bool again) {
  std::vector<std::string> pairs;
  // PARITY: one pair is taken as it is, commas and all; only of several is a comma the separator.
  if (std::ranges::count(text, '=') <= 1) {
    pairs.emplace_back(TrimQuotes(text));
  } else {
    FLYBALL_TRY(pairs, ReadCsv(text));
  }
  std::map<std::string, std::string> items;
  for (const std::string& pair : pairs) {
    FLYBALL_TRY(auto item, ParsePair(pair));
    items.insert_or_assign(std::move(item.first), std::move(item.second));
  }
  if (!again) member.clear();
  for (auto& [key, value] : items) member.insert_or_assign(key, std::move(value));
  return {};
}

std::string FlagValue<std::map<std::string, std::string>>::Text(
    const std::map<std::string, std::string>& member) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : member) pairs.push_back(key + "=" + value);
  return "[" + WriteCsv(pairs) + "]";
}

Result<> FlagValue<Multimap>::Set(Multimap& member, std::string_view text, bool again) {
  if (!again) member.clear();
  for (const std::string_view pair : Split(text, ',')) {
    if (pair.empty()) continue;
    const std::size_t colon = pair.find(':');
    const bool keyed = colon != std::string_view::npos;
    const std::string_view key = keyed ? TrimSpace(pair.substr(0, colon)) : std::string_view();
    member[std::string(key)].emplace_back(TrimSpace(keyed ? pair.substr(colon + 1) : pair));
  }
  return {};
}

std::string FlagValue<Multimap>::Text(const Multimap& member) {
  std::string text;
  for (const auto& [key, values] : member) {
    for (const std::string& value : values) {
      text.append(text.empty() ? "" : ",").append(key).append(":").append(value);
    }
  }
  return text;
}

Result<> FlagValue<IpAddress>::Set(IpAddress& member, std::string_view text, bool /*again*/) {
  if (text.empty()) return {};  // PARITY: which leaves what it was
  FLYBALL_TRY(member.text, CanonicalIp(text));
  return {};
}

Result<> FlagValue<std::vector<NamedCertificate>>::Set(std::vector<NamedCertificate>& member,
                                                       std::string_view text, bool again) {
  FLYBALL_TRY(NamedCertificate item, ParseNamedCertificate(text));
  Extend(member, {std::move(item)}, again);
  return {};
}

std::string FlagValue<std::vector<NamedCertificate>>::Text(
    const std::vector<NamedCertificate>& member) {
  std::string text = "[";
  for (const NamedCertificate& item : member) {
    if (text.size() > 1) text.push_back(';');
    text.append(item.certificate_file).append(",").append(item.key_file);
    char separator = ':';
    for (const std::string& name : item.names) {
      text.push_back(separator);
      text.append(name);
      separator = ',';
    }
  }
  return text + "]";
}

Result<> FlagValue<api::Quantity>::Set(api::Quantity& member, std::string_view text,
                                       bool /*again*/) {
  auto quantity = api::Quantity::Parse(text);
  if (!quantity) {
    return Refuse(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
  member = *std::move(quantity);
  return {};
}

Result<> FlagValue<Verbosity>::Set(Verbosity& member, std::string_view text, bool /*again*/) {
  FLYBALL_TRY(const std::uint64_t level, ParseUint(text, 31));
  member.level = static_cast<int>(level);
  return {};
}

Result<> FlagValue<std::vector<LogModule>>::Set(std::vector<LogModule>& member,
                                                std::string_view text, bool /*again*/) {
  for (const std::string_view item : Split(text, ',')) {
    if (item.empty()) continue;
    const auto parts = Split(item, '=');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return Refuse(Quote(item) + " does not have the pattern=N format");
    }
    const Result<std::uint64_t> level = ParseUint(parts[1], 31);
    if (!level) {
      return Refuse("parsing verbosity in " + Quote(item) + ": " + level.error().message());
    }
    member.push_back({std::string(parts[0]), static_cast<int>(*level)});
  }
  return {};
}

std::string FlagValue<std::vector<LogModule>>::Text(const std::vector<LogModule>& member) {
  std::string text;
  for (const LogModule& item : member) {
    if (!text.empty()) text.push_back(',');
    text.append(item.pattern).append("=").append(std::to_string(item.level));
  }
  return text;
}

Result<> FlagValue<VersionRequest>::Set(VersionRequest& member, std::string_view text,
                                        bool /*again*/) {
  if (text == "raw" || text.starts_with('v')) {
    if (text != "raw") FLYBALL_TRY(CheckReportedVersion(text));
    member.text = text;
    return {};
  }
  FLYBALL_TRY(const bool wanted, ParseBool(text));
  member.text = FlagValue<bool>::Text(wanted);
  return {};
}

}  // namespace flyball::manager::flags

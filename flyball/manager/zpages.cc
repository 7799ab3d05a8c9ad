#include "flyball/manager/zpages.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>

#include "flyball/api/json_writer.h"
#include "flyball/base/log_format.h"
#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

constexpr std::string_view kComponent = "kube-controller-manager";

// DIVERGES: upstream has Go's version here.
constexpr std::string_view kBuiltWith = "none (C++, " __VERSION__ ")";

std::string Header(std::string_view page) {
  return "\n" + std::string(kComponent) + " " + std::string(page) +
         "\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
         "compatibility guarantees and is for debugging purposes only.\n";
}

/// Begins the object that both JSON forms are.
void Begin(api::JsonWriter& json, std::string_view kind, std::string_view version) {
  json.BeginObject();
  json.Key("kind");
  json.String(kind);
  json.Key("apiVersion");
  json.String("config.k8s.io/" + std::string(version));
  json.Key("metadata");
  json.BeginObject();
  json.Key("name");
  json.String(kComponent);
  json.EndObject();
}

void Add(api::JsonWriter& json, std::string_view name, std::string_view value) {
  json.Key(name);
  json.String(value);
}

/// "/metrics" of "/metrics/slis", each once. What only an API server has is left out.
std::set<std::string> Folders(const std::vector<std::string>& paths) {
  constexpr std::array<std::string_view, 5> kNotForDebugging = {"/apis", "/api", "/openid",
                                                                "/openapi", "/.well-known"};
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.size() < 2 || path[0] != '/') continue;
    folders.insert(path.substr(0, path.find('/', 1)));
  }
  for (const std::string_view api : kNotForDebugging) folders.erase(std::string(api));
  folders.erase("/");
  return folders;
}

std::chrono::seconds Uptime(const StatusFacts& facts) {
  const auto up = std::chrono::floor<std::chrono::seconds>(facts.now - facts.started);
  return std::max(up, std::chrono::seconds(0));
}

/// "Sun Nov 15 08:10:59 UTC 2026", with a space before a day of one digit.
std::string UnixDate(WallTime time) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s %s %2u %02d:%02d:%02d UTC %d",
                kDays[std::chrono::weekday(day).c_encoding()],
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(date.year()));
  return text.data();
}

std::string UptimeText(std::chrono::seconds up) {
  const std::chrono::hh_mm_ss clock(up);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%lld hr %02d min %02d sec",
                static_cast<long long>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

/// What stands before the separator; what comes after it stays in `text`.
std::string_view TakeUntil(char separator, std::string_view& text) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = flags::TrimSpace(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::optional<ZpageForm> FormOf(std::string_view range, std::string_view kind) {
  const std::string_view type = TakeUntil(';', range);
  std::string as, version, group;
  while (!range.empty()) {
    std::string_view value = TakeUntil(';', range);
    const std::string_view name = TakeUntil('=', value);
    if (name == "as") as = value;
    if (name == "v") version = value;
    if (name == "g") group = value;
  }
  if (type == "*/*" || type == "text/*" || type == "text/plain") {
    return as.empty() ? std::optional(ZpageForm()) : std::nullopt;
  }
  const bool known =
      std::ranges::find(kZpageVersions, version) != std::end(kZpageVersions) && as == kind;
  if (type != "application/json" || group != "config.k8s.io" || !known) return std::nullopt;
  return ZpageForm{version};
}

}  // namespace

std::optional<ZpageForm> FindZpageForm(std::string_view accept, std::string_view kind) {
  if (flags::TrimSpace(accept).empty()) return ZpageForm();
  while (!accept.empty()) {
    if (auto form = FormOf(TakeUntil(',', accept), kind)) return form;
  }
  return std::nullopt;
}

std::string FlagzText(const flags::FlagSet& flags, std::string_view separator) {
  std::string text = Header("flagz");
  for (const flags::Flag* flag : flags.Sorted()) {
    text.append(flag->name()).append(separator).append(flag->Text()).append("\n");
  }
  return text;
}

std::string FlagzJson(const flags::FlagSet& flags, std::string_view version) {
  std::string text;
  api::JsonWriter json(text);
  Begin(json, "Flagz", version);
  json.Key("flags");
  json.BeginObject();
  for (const flags::Flag* flag : flags.Sorted()) Add(json, flag->name(), flag->Text());
  json.EndObject();
  json.EndObject();
  return text + "\n";
}

std::string StatuszText(const StatusFacts& facts, std::string_view separator) {
  std::string text = Header("statusz") + "\n";
  const auto line = [&text, separator](std::string_view name, std::string_view value) {
    text.append(name).append(separator).append(" ").append(value).append("\n");
  };
  line("Started", UnixDate(facts.started));
  line("Up", UptimeText(Uptime(facts)));
  line("Go version", kBuiltWith);
  line("Binary version", facts.binary_version);
  line("Emulation version", facts.emulated_version);
  std::string paths;
  for (const std::string& folder : Folders(facts.paths)) {
    paths.append(paths.empty() ? "" : " ").append(folder);
  }
  if (paths.empty()) return text + "\n";
  line("Paths", paths);
  return text;
}

std::string StatuszJson(const StatusFacts& facts, std::string_view version) {
  std::string text;
  api::JsonWriter json(text);
  Begin(json, "Statusz", version);
  Add(json, "startTime", FormatWallTime(std::chrono::floor<std::chrono::seconds>(facts.started)));
  json.Key("uptimeSeconds");
  json.Number(std::to_string(Uptime(facts).count()));
  Add(json, "goVersion", kBuiltWith);
  Add(json, "binaryVersion", facts.binary_version);
  Add(json, "emulationVersion", facts.emulated_version);
  json.Key("paths");
  json.BeginArray();
  for (const std::string& folder : Folders(facts.paths)) json.String(folder);
  json.EndArray();
  json.EndObject();
  return text + "\n";
}

}  // namespace flyball::manager

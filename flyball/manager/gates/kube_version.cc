#include "flyball/manager/gates/kube_version.h"

#include <algorithm>
#include <map>
#include <optional>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager {
namespace {

constexpr std::string_view kDigits = "0123456789";

using flags::Quote;

/// "1.37.1" and what follows it.
struct VersionText {
  std::vector<unsigned> numbers;
  std::string extra;

  unsigned patch() const { return numbers.size() > 2 ? numbers[2] : 0; }
  std::string ToString() const {
    std::string text;
    for (const unsigned number : numbers) {
      text.append(text.empty() ? "" : ".").append(std::to_string(number));
    }
    return text;
  }
};

enum class Grammar { kSemantic, kGeneric };

/// "1.37.1" of "1.37.1-x": digits, with a point between each two runs of them.
std::string_view TakeNumbers(std::string_view text) {
  std::size_t end = text.find_first_not_of(kDigits);
  while (end != std::string_view::npos && text[end] == '.' && end + 1 < text.size() &&
         kDigits.find(text[end + 1]) != std::string_view::npos) {
    end = text.find_first_not_of(kDigits, end + 1);
  }
  return text.substr(0, end);
}

/// "", "-alpha.1", "+build.5" or both.
bool IsSemanticExtra(std::string_view extra) {
  const auto take_identifiers = [&extra](char mark) {
    if (!extra.starts_with(mark)) return true;
    const std::size_t end = std::min(extra.find('+', 1), extra.size());
    std::string_view part = extra.substr(1, end - 1);
    extra.remove_prefix(end);
    char before = '.';
    for (const char c : part) {
      const bool letter =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
      if (!letter && (c != '.' || before == '.')) return false;
      before = c;
    }
    return before != '.';
  };
  return take_identifiers('-') && take_identifiers('+') && extra.empty();
}

Result<VersionText> ParseVersion(std::string_view text, Grammar grammar) {
  std::string_view rest = text.substr(std::min(text.find_first_not_of(" \t\n\r"), text.size()));
  if (rest.starts_with('v')) rest.remove_prefix(1);
  std::string_view numbers = TakeNumbers(rest);
  if (numbers.empty()) return Refuse("could not parse " + Quote(text) + " as version");
  VersionText version = {{}, std::string(rest.substr(numbers.size()))};

  const auto count = static_cast<std::size_t>(std::ranges::count(numbers, '.')) + 1;
  const bool semantic = grammar == Grammar::kSemantic;
  if (semantic ? count != 3 : count < 2) return Refuse("illegal version string " + Quote(text));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view part = numbers.substr(0, numbers.find('.'));
    numbers.remove_prefix(std::min(part.size() + 1, numbers.size()));
    const std::string where = Quote(part) + " in " + Quote(text);
    if ((i == 0 || semantic) && part.size() > 1 && part.starts_with('0')) {
      return Refuse("illegal zero-prefixed version component " + where);
    }
    const Result<std::uint64_t> number = flags::ParseUint(part, 32);
    if (!number) {
      return Refuse("illegal non-numeric version component " + where + ": " +
                    number.error().message());
    }
    version.numbers.push_back(static_cast<unsigned>(*number));
  }
  if (semantic && !IsSemanticExtra(version.extra)) {
    return Refuse("could not parse pre-release/metadata (" + version.extra + ") in version " +
                  Quote(text));
  }
  return version;
}

/// The one version that a list of "kube=1.36" may have.
Result<std::optional<KubeVersion>> ParseList(const std::vector<std::string>& list) {
  std::map<std::string, VersionText, std::less<>> versions;
  for (const std::string& item : list) {
    const std::size_t equals = item.find('=');
    const bool named = equals != std::string::npos;
    const std::string component(named ? flags::TrimSpace(std::string_view(item).substr(0, equals))
                                      : kKubeComponent);
    const std::string text(named ? flags::TrimSpace(std::string_view(item).substr(equals + 1))
                                 : item);
    auto version = ParseVersion(text, Grammar::kSemantic);
    if (!version) version = ParseVersion(text, Grammar::kGeneric);
    if (!version) return std::unexpected(version.error());
    const std::string shown = component + "=" + version->ToString();
    if (version->patch() != 0) return Refuse("patch version not allowed, got: " + shown);
    const auto [at, added] = versions.try_emplace(component, *version);
    if (!added) {
      return Refuse("duplicate version flag, " + component + "=" + at->second.ToString() + " and " +
                    shown);
    }
  }
  for (const auto& [component, version] : versions) {
    if (component != kKubeComponent) return Refuse("component not registered: " + component);
  }
  const auto found = versions.find(kKubeComponent);
  if (found == versions.end()) return std::nullopt;
  return KubeVersion{found->second.numbers[0], found->second.numbers[1]};
}

KubeVersion OneBefore(KubeVersion version) {
  return {version.major, version.minor == 0 ? 0 : version.minor - 1};
}

}  // namespace

Result<EffectiveVersion> EffectiveVersion::Parse(
    const std::vector<std::string>& emulated, const std::vector<std::string>& min_compatibility) {
  EffectiveVersion version;
  FLYBALL_TRY(const auto chosen, ParseList(emulated));
  if (chosen) {
    version.emulated = *chosen;
    version.min_compatibility = std::max(OneBefore(*chosen), kOldestVersion);
  }
  FLYBALL_TRY(const auto least, ParseList(min_compatibility));
  if (least) version.min_compatibility = *least;
  return version;
}

std::vector<std::string> EffectiveVersion::Problems() const {
  std::vector<std::string> problems;
  if (emulated > kKubeVersion || emulated < kOldestVersion) {
    problems.push_back("emulation version " + emulated.ToString() + " is not between [" +
                       kOldestVersion.ToString() + ", " + kKubeVersion.ToString() + ".0]");
  }
  if (min_compatibility > emulated || min_compatibility < kOldestVersion) {
    problems.push_back("minCompatibilityVersion version " + min_compatibility.ToString() +
                       " is not between [" + kOldestVersion.ToString() + ", " +
                       emulated.ToString() + "]");
  }
  return problems;
}

Result<> CheckReportedVersion(std::string_view text) {
  if (text == kGitVersion) return {};
  FLYBALL_TRY(const VersionText reported, ParseVersion(text, Grammar::kSemantic));
  FLYBALL_TRY(const VersionText ours, ParseVersion(kGitVersion, Grammar::kSemantic));
  if (reported.numbers == ours.numbers) return {};
  return Refuse("version " + Quote(text) + " must match major/minor/patch of default version " +
                Quote(kGitVersion));
}

}  // namespace flyball::manager

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/manager/flags/flag_set.h"

/// /flagz and /statusz: upstream's pages for people who look into a component. Their texts change
/// the separator from start to start, so that nobody comes to parse them; who wants to asks for
/// JSON. Pure functions; who serves them picks.
namespace flyball::manager {

/// Of which a server picks one when it starts.
inline constexpr std::string_view kZpageSeparators[] = {":", ": ", "=", " "};
/// Versions of config.k8s.io that the JSON forms have.
inline constexpr std::string_view kZpageVersions[] = {"v1beta1", "v1alpha1"};

/// In which form somebody wants a page of this kind ("Flagz"), by what the request accepts: as
/// text; or as JSON, which takes all of "application/json;as=Flagz;v=v1beta1;g=config.k8s.io".
struct ZpageForm {
  std::string version = {};  ///< of JSON; empty: text
};
/// None: there is no form that would do, which is 406.
std::optional<ZpageForm> FindZpageForm(std::string_view accept, std::string_view kind);

/// Every flag and what it is set to, by name.
std::string FlagzText(const flags::FlagSet& flags, std::string_view separator);
std::string FlagzJson(const flags::FlagSet& flags, std::string_view version);

struct StatusFacts {
  WallTime started = {};
  WallTime now = {};
  std::string binary_version = {};    ///< "1.37.1"
  std::string emulated_version = {};  ///< "1.37"
  std::vector<std::string> paths = {};
};

/// How long this has been running, as what, and which paths it serves, by their first parts.
std::string StatuszText(const StatusFacts& facts, std::string_view separator);
std::string StatuszJson(const StatusFacts& facts, std::string_view version);

}  // namespace flyball::manager

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"

namespace flyball::ctl {

/// What `--dry-run` says.
enum class DryRun : std::uint8_t {
  kNone,
  kClient,  ///< nothing is sent that would change something
  kServer,  ///< the server does all but keep it
};

Result<DryRun> ParseDryRun(std::string_view text);

/// "created (server dry run)".
std::string OperationText(std::string_view operation, DryRun dry_run);

/// As requests have it.
inline std::vector<std::string> DryRunOption(DryRun dry_run) {
  if (dry_run == DryRun::kServer) return {"All"};
  return {};
}

}  // namespace flyball::ctl

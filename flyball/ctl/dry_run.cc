#include "flyball/ctl/dry_run.h"

#include "flyball/ctl/error_text.h"

namespace flyball::ctl {

Result<DryRun> ParseDryRun(std::string_view text) {
  if (text == "none") return DryRun::kNone;
  if (text == "client") return DryRun::kClient;
  if (text == "server") return DryRun::kServer;
  return std::unexpected(UsageError("Invalid dry-run value (" + std::string(text) +
                                    "). Must be \"none\", \"server\", or \"client\"."));
}

std::string OperationText(std::string_view operation, DryRun dry_run) {
  std::string text(operation);
  if (dry_run == DryRun::kClient) text += " (dry run)";
  if (dry_run == DryRun::kServer) text += " (server dry run)";
  return text;
}

}  // namespace flyball::ctl

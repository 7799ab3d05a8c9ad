#include "tests/faults/manager_setup.h"

#include <utility>

#include "flyball/manager/controller_settings.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/options.h"

namespace flyball::faults {

ManagerSetup ManagerSetup::OfAll(controllers::Settings settings) {
  ManagerSetup setup{.settings = std::move(settings)};
  for (const controllers::Entry& entry : controllers::All()) setup.controllers.push_back(&entry);
  return setup;
}

Result<ManagerSetup> ManagerSetup::FromFlags(const std::vector<std::string>& flags) {
  manager::Options options;
  manager::flags::FlagSet set;
  options.AddFlags(set);
  FLYBALL_TRY(const auto others, set.Parse(flags));
  if (!others.empty()) return Fail(ErrorCode::kInvalid, others.front() + ": it is no flag");
  FLYBALL_TRY(options.versions.Resolve());
  if (const manager::Problems problems = options.Check(); !problems.empty()) {
    return Fail(ErrorCode::kInvalid, problems.Text());
  }
  client::AccessConfig access;
  access.certificate_authority.data = kRootCa;
  ManagerSetup setup{.controllers = manager::EnabledControllers(options)};
  FLYBALL_TRY(setup.settings, manager::SettingsFrom(options, access));
  setup.settings.service_account_token.private_key = kSigningKey;
  return setup;
}

}  // namespace flyball::faults

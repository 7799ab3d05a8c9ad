#include "flyball/manager/options/generic_options.h"

#include <algorithm>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/known_controllers.h"

namespace flyball::manager {
namespace {

/// The lines of --help that list the controllers.
std::string ControllerLists() {
  std::vector<std::string_view> all;
  std::vector<std::string_view> off;
  for (const KnownController& controller : KnownControllers()) {
    all.push_back(controller.name);
    if (!controller.on_by_default) off.push_back(controller.name);
  }
  const auto join = [](std::vector<std::string_view>& names) {
    std::ranges::sort(names);
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
  };
  return "\nAll controllers: " + join(all) + "\nDisabled-by-default controllers: " + join(off);
}

}  // namespace

void GenericOptions::AddFlags(flags::FlagSet& flags) {
  debugging.AddFlags(flags.Section("debugging"));
  leader_migration.AddFlags(flags.Section("leader-migration"));
  flags::FlagSection& section = flags.Section("generic");
  section.Add("min-resync-period", min_resync_period,
              "Lower bound of the random interval at which informers resync their objects to the "
              "controllers. Shown on /configz and otherwise ignored: the controllers of this "
              "program do not rely on a resync.");
  client.AddGenericFlags(section);
  section.Add("controller-start-interval", controller_start_interval,
              "Time to wait after the start of one controller before the next one is started. 0 "
              "starts all controllers at once.");
  section.Add(
      "controllers", controllers,
      "Controllers to run, as a comma-separated list: '*' stands for all controllers that are on "
      "by default, 'name' enables the controller with that name, '-name' disables it." +
          ControllerLists());
  leader_election.AddFlags(section);
  section.Add("controller-shutdown-timeout", controller_shutdown_timeout,
              "Longest time that the controllers have to shut down after SIGTERM, that is to "
              "finish their running syncs; then the process ends.");
}

void GenericOptions::Check(Problems& problems) const {
  leader_election.Check(problems);
  for (const std::string& name : UnknownControllers(controllers)) {
    problems.Add(flags::Quote(name) + " is not in the list of known controllers");
  }
}

void GenericOptions::Describe(ConfigWriter& config) const {
  config.Add("Port", 0);
  config.Add("Address", "0.0.0.0");
  config.Add("MinResyncPeriod", min_resync_period);
  config.AddObject("ClientConnection", [this](ConfigWriter& object) { client.Describe(object); });
  config.Add("ControllerStartInterval", controller_start_interval);
  config.AddObject("LeaderElection",
                   [this](ConfigWriter& object) { leader_election.Describe(object); });
  config.Add("Controllers", ControllerSelection(controllers).names());
  config.AddObject("Debugging", [this](ConfigWriter& object) { debugging.Describe(object); });
  leader_migration.Describe(config);
}

}  // namespace flyball::manager

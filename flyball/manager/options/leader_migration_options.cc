#include "flyball/manager/options/leader_migration_options.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>

#include "flyball/api/json.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/known_controllers.h"
#include "flyball/manager/problems.h"
#include "flyball/manager/refusal.h"

namespace flyball::manager {
namespace {

using api::Json;

constexpr std::string_view kGroup = "controllermanager.config.k8s.io/";

std::string Text(const Json& object, std::string_view member) {
  const Json* found = object.Find(member);
  const std::string* text = found != nullptr ? found->If<std::string>() : nullptr;
  return text != nullptr ? *text : std::string();
}

/// Nothing but these, as upstream decodes it strictly: a typo must not lose a controller.
Result<> CheckMembers(const Json& object, std::string_view path,
                      std::initializer_list<std::string_view> known) {
  const Json::Object* members = object.If<Json::Object>();
  if (members == nullptr)
    return Refuse("leader migration: " + std::string(path) + " is not an object");
  for (const auto& [name, value] : *members) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return Refuse("strict decoding error: unknown field " + flags::Quote(std::string(path) + name));
  }
  return {};
}

Result<std::vector<LeaderMigration::ControllerLeader>> ParseLeaders(const Json& document) {
  std::vector<LeaderMigration::ControllerLeader> leaders;
  const Json* found = document.Find("controllerLeaders");
  const Json::Array* items = found != nullptr ? found->If<Json::Array>() : nullptr;
  if (items == nullptr) return leaders;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::string path = "controllerLeaders[" + std::to_string(i) + "].";
    FLYBALL_TRY(CheckMembers((*items)[i], path, {"name", "component"}));
    leaders.push_back({Text((*items)[i], "name"), Text((*items)[i], "component")});
  }
  return leaders;
}

Problems Check(const LeaderMigration& migration) {
  Problems problems;
  if (migration.leader_name.empty()) {
    problems.Add(
        "leaderName: Required value: leaderName must be set for LeaderMigrationConfiguration");
  }
  if (migration.resource_lock != "leases" && migration.resource_lock != "endpoints") {
    problems.AddInvalid("resourceLock", flags::Quote(migration.resource_lock),
                        "resource Lock must be one of 'leases' or 'endpoints'");
  }
  for (std::size_t i = 0; i < migration.controllers.size(); ++i) {
    const std::string path = "controllerLeaders[" + std::to_string(i) + "].";
    if (migration.controllers[i].component.empty()) {
      problems.Add(path + "component: Required value");
    }
    if (migration.controllers[i].name.empty()) problems.Add(path + "name: Required value");
  }
  return problems;
}

}  // namespace

LeaderMigration LeaderMigration::Default() {
  return {"cloud-provider-extraction-migration",
          "leases",
          {{"route-controller", "*"},
           {"service-controller", "*"},
           {"cloud-node-lifecycle-controller", "*"}}};
}

Result<LeaderMigration> LeaderMigration::Parse(std::string_view text) {
  api::JsonTreeSink sink;
  FLYBALL_TRY(api::ReadYaml(text, sink));
  const Json document = sink.Take();
  const std::string version = Text(document, "apiVersion");
  const std::string kind = Text(document, "kind");
  const std::string_view number = std::string_view(version).substr(
      version.starts_with(kGroup) ? kGroup.size() : version.size());
  if (kind != "LeaderMigrationConfiguration" ||
      (number != "v1" && number != "v1beta1" && number != "v1alpha1")) {
    return Refuse("no kind " + flags::Quote(kind) + " is registered for version " +
                  flags::Quote(version));
  }
  const bool names_lock = number != "v1";  // v1 knows leases only
  FLYBALL_TRY(CheckMembers(document, "",
                           {"apiVersion", "kind", "leaderName", "controllerLeaders",
                            names_lock ? "resourceLock" : "kind"}));
  LeaderMigration migration;
  migration.leader_name = Text(document, "leaderName");
  migration.resource_lock = names_lock ? Text(document, "resourceLock") : "leases";
  FLYBALL_TRY(migration.controllers, ParseLeaders(document));
  if (const Problems problems = Check(migration); !problems.empty()) {
    return Refuse("failed to parse leader migration configuration: " + problems.Text());
  }
  return migration;
}

LeaderMigration::Owner LeaderMigration::OwnerOf(std::string_view controller) const {
  if (controller == kTokenController) return Owner::kMainLock;  // PARITY: it is not moved
  // Where a controller is named twice, the last counts.
  const auto named = std::ranges::find(controllers.rbegin(), controllers.rend(), controller,
                                       &ControllerLeader::name);
  if (named == controllers.rend()) return Owner::kMainLock;
  const bool ours = named->component == "kube-controller-manager" || named->component == "*";
  return ours ? Owner::kMigrationLock : Owner::kOthers;
}

void LeaderMigrationOptions::AddFlags(flags::FlagSection& section) {
  section.Add(
      "enable-leader-migration", enabled,
      "Run the controllers that --leader-migration-config names under a lease of their own, so "
      "that one controller manager can hand them over to another without a gap or an overlap.");
  section.Add(
      "leader-migration-config", config_file,
      "File with a LeaderMigrationConfiguration (API group controllermanager.config.k8s.io), which "
      "names the controllers that move and the component that runs each of them. Empty means the "
      "route, service and cloud node lifecycle controllers, on any component.");
}

Result<> LeaderMigrationOptions::Load() {
  if (!enabled) return {};
  if (config_file.empty()) {
    migration = LeaderMigration::Default();
    return {};
  }
  std::ifstream file(config_file, std::ios::binary);
  if (!file) {
    const int why = errno;
    return Fail(ErrorCode::kIo, "unable to read leader migration configuration from " +
                                    flags::Quote(config_file) + ": open " + config_file + ": " +
                                    flags::ErrnoText(why));
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  FLYBALL_TRY(migration, LeaderMigration::Parse(text));
  return {};
}

void LeaderMigrationOptions::Describe(ConfigWriter& config) const {
  config.Add("LeaderMigrationEnabled", enabled);
  config.AddObject("LeaderMigration", [this](ConfigWriter& object) {
    object.Add("leaderName", migration.leader_name);
    object.Add("resourceLock", migration.resource_lock);
    if (migration.controllers.empty()) return object.AddNull("controllerLeaders");
    object.AddObjects("controllerLeaders", migration.controllers,
                      [](ConfigWriter& item, const LeaderMigration::ControllerLeader& leader) {
                        item.Add("name", leader.name);
                        item.Add("component", leader.component);
                      });
  });
}

}  // namespace flyball::manager

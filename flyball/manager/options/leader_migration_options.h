#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

/// Which manager runs a controller while controllers move from one manager to another: a second
/// lock, beside the manager's own, guards those that move.
struct LeaderMigration {
  struct ControllerLeader {
    std::string name = {};
    std::string component = {};  ///< "kube-controller-manager"; "*" is any
    friend bool operator==(const ControllerLeader&, const ControllerLeader&) = default;
  };

  /// Who runs a controller, and under which lock.
  enum class Owner : std::uint8_t {
    kMainLock,       ///< it does not move: we, under the manager's own lock
    kMigrationLock,  ///< we, under the lock of those that move
    kOthers,
  };

  std::string leader_name = {};
  std::string resource_lock = {};
  std::vector<ControllerLeader> controllers = {};

  /// What there is without a file: the move out of cloud providers.
  static LeaderMigration Default();
  /// YAML or JSON, a LeaderMigrationConfiguration of controllermanager.config.k8s.io.
  static Result<LeaderMigration> Parse(std::string_view text);

  Owner OwnerOf(std::string_view controller) const;

  friend bool operator==(const LeaderMigration&, const LeaderMigration&) = default;
};

struct LeaderMigrationOptions {
  bool enabled = false;
  std::string config_file = {};
  LeaderMigration migration = {};  ///< empty until Load(), and unless enabled

  void AddFlags(flags::FlagSection& section);
  /// Reads the file, if there is one.
  Result<> Load();
  void Describe(ConfigWriter& config) const;
};

}  // namespace flyball::manager

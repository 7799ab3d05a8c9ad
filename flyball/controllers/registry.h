#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "flyball/base/result.h"
#include "flyball/controllers/attach_detach/controller.h"
#include "flyball/controllers/claim_protection/controller.h"
#include "flyball/controllers/cron_job/controller.h"
#include "flyball/controllers/daemon_set/controller.h"
#include "flyball/controllers/deployment/controller.h"
#include "flyball/controllers/disruption/controller.h"
#include "flyball/controllers/endpoint_slice/controller.h"
#include "flyball/controllers/endpoint_slice_mirroring/controller.h"
#include "flyball/controllers/endpoints/controller.h"
#include "flyball/controllers/ephemeral_volume/controller.h"
#include "flyball/controllers/garbage_collector/controller.h"
#include "flyball/controllers/job/controller.h"
#include "flyball/controllers/legacy_token_cleaner/controller.h"
#include "flyball/controllers/namespace_deletion/controller.h"
#include "flyball/controllers/node_ipam/controller.h"
#include "flyball/controllers/node_lifecycle/controller.h"
#include "flyball/controllers/pod_garbage_collector/controller.h"
#include "flyball/controllers/replica_set/controller.h"
#include "flyball/controllers/root_ca_publisher/controller.h"
#include "flyball/controllers/service_account_token/controller.h"
#include "flyball/controllers/stateful_set/controller.h"
#include "flyball/controllers/taint_eviction/controller.h"
#include "flyball/controllers/ttl_after_finished/controller.h"
#include "flyball/controllers/volume_binder/controller.h"
#include "flyball/runtime/controller.h"

namespace flyball::controllers {

/// What a person may set, by controller. The manager fills it from its flags, and from the files
/// that they name.
struct Settings {
  service_account_token::Options service_account_token = {};
  endpoints::Options endpoints = {};
  endpoint_slice::Options endpoint_slice = {};
  endpoint_slice_mirroring::Options endpoint_slice_mirroring = {};
  replica_set::Options replication_controller = {};
  pod_garbage_collector::Options pod_garbage_collector = {};
  namespace_deletion::Options namespace_deletion = {};
  daemon_set::Options daemon_set = {};
  job::Options job = {};
  deployment::Options deployment = {};
  replica_set::Options replica_set = {};
  disruption::Options disruption = {};
  cron_job::Options cron_job = {};
  stateful_set::Options stateful_set = {};
  node_ipam::Options node_ipam = {};
  garbage_collector::Options garbage_collector = {};
  node_lifecycle::Options node_lifecycle = {};
  volume_binder::Options volume_binder = {};
  attach_detach::Options attach_detach = {};
  claim_protection::Options claim_protection = {};
  ttl_after_finished::Options ttl_after_finished = {};
  root_ca_publisher::Options root_ca_publisher = {};
  ephemeral_volume::Options ephemeral_volume = {};
  legacy_token_cleaner::Options legacy_token_cleaner = {};
  taint_eviction::Options taint_eviction = {};
};

/// Null where the settings leave a controller nothing to run for. That is no error.
using Made = Result<std::unique_ptr<runtime::Controller>>;

/// A controller as the manager knows it.
struct Entry {
  std::string_view name;             ///< in --controllers, logs, metrics and service accounts
  std::string_view alias;            ///< its name in releases past; empty: it had none
  std::string_view service_account;  ///< in kube-system; empty: it runs as the manager itself
  Made (*make)(const runtime::Controller::Deps& deps, const Settings& settings);
  std::string_view needs = {};  ///< an API that not every server has: "resource.k8s.io/v1"
  /// How many times as many requests as others it may send where that is limited, and how many
  /// times as many at once.
  int rate_factor = 1;
  int burst_factor = 1;
};

/// All there are, in upstream's order.
std::span<const Entry> All();

}  // namespace flyball::controllers

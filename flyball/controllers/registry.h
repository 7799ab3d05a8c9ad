#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "flyball/controllers/namespace_deletion/controller.h"
#include "flyball/controllers/root_ca_publisher/controller.h"
#include "flyball/controllers/ttl_after_finished/controller.h"
#include "flyball/runtime/controller.h"

namespace flyball::controllers {

/// What a person may set, by controller. The manager fills it from its flags.
struct Settings {
  namespace_deletion::Options namespace_deletion = {};
  root_ca_publisher::Options root_ca_publisher = {};
  ttl_after_finished::Options ttl_after_finished = {};
};

/// A controller as the manager knows it.
struct Entry {
  std::string_view name;             ///< in --controllers, logs, metrics and service accounts
  std::string_view alias;            ///< its name in releases past
  std::string_view service_account;  ///< in kube-system
  std::unique_ptr<runtime::Controller> (*make)(const runtime::Controller::Deps& deps,
                                               const Settings& settings);
  std::string_view needs = {};  ///< an API that not every server has: "resource.k8s.io/v1"
};

/// All there are, in upstream's order.
std::span<const Entry> All();

}  // namespace flyball::controllers

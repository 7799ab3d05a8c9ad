#pragma once

#include <memory>
#include <string>

#include "flyball/runtime/controller.h"

/// Keeps a config map in every namespace, kube-root-ca.crt, with the authority that the API
/// server's certificate is to be verified by: pods mount it beside their token. Reads namespaces
/// and those config maps; creates and updates them.
namespace flyball::controllers::root_ca_publisher {

struct Options {
  std::string root_ca = {};  ///< PEM: --root-ca-file, else what the manager's own client trusts
};

std::unique_ptr<runtime::Controller> Make(const runtime::Controller::Deps& deps, Options options);

}  // namespace flyball::controllers::root_ca_publisher

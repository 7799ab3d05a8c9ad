#include "flyball/controllers/registry.h"

#include "flyball/controllers/cluster_role_aggregation/controller.h"
#include "flyball/controllers/service_account/controller.h"

namespace flyball::controllers {
namespace {

using Deps = runtime::Controller::Deps;

constexpr Entry kEntries[] = {
    {"namespace-controller", "namespace", "namespace-controller",
     [](const Deps& deps, const Settings& settings) {
       return namespace_deletion::Make(deps, settings.namespace_deletion);
     }},
    {"serviceaccount-controller", "serviceaccount", "service-account-controller",
     [](const Deps& deps, const Settings&) { return service_account::Make(deps); }},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation",
     "clusterrole-aggregation-controller",
     [](const Deps& deps, const Settings&) { return cluster_role_aggregation::Make(deps); }},
    {"ttl-after-finished-controller", "ttl-after-finished", "ttl-after-finished-controller",
     [](const Deps& deps, const Settings& settings) {
       return ttl_after_finished::Make(deps, settings.ttl_after_finished);
     }},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", "root-ca-cert-publisher",
     [](const Deps& deps, const Settings& settings) {
       return root_ca_publisher::Make(deps, settings.root_ca_publisher);
     }},
};

}  // namespace

std::span<const Entry> All() { return kEntries; }

}  // namespace flyball::controllers

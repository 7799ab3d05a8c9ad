#include "flyball/manager/known_controllers.h"

#include <algorithm>

namespace flyball::manager {
namespace {

constexpr bool kOn = true;
constexpr bool kOff = false;

constexpr KnownController kControllers[] = {
    {kTokenController, "serviceaccount-token"},
    {"endpoints-controller", "endpoint"},
    {"endpointslice-controller", "endpointslice"},
    {"endpointslice-mirroring-controller", "endpointslicemirroring"},
    {"replicationcontroller-controller", "replicationcontroller"},
    {"pod-garbage-collector-controller", "podgc"},
    {"resourcequota-controller", "resourcequota"},
    {"namespace-controller", "namespace"},
    {"serviceaccount-controller", "serviceaccount"},
    {"garbage-collector-controller", "garbagecollector"},
    {"daemonset-controller", "daemonset"},
    {"job-controller", "job"},
    {"podgroup-protection-controller", "", kOn, "GenericWorkload"},
    {"deployment-controller", "deployment"},
    {"replicaset-controller", "replicaset"},
    {"horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"},
    {"disruption-controller", "disruption"},
    {"statefulset-controller", "statefulset"},
    {"cronjob-controller", "cronjob"},
    {"certificatesigningrequest-signing-controller", "csrsigning"},
    {"certificatesigningrequest-approving-controller", "csrapproving"},
    {"certificatesigningrequest-cleaner-controller", "csrcleaner"},
    {"podcertificaterequest-cleaner-controller", "", kOn, "PodCertificateRequest"},
    {"ttl-controller", "ttl"},
    {"bootstrap-signer-controller", "bootstrapsigner", kOff},
    {"token-cleaner-controller", "tokencleaner", kOff},
    {"node-ipam-controller", "nodeipam"},
    {"node-lifecycle-controller", "nodelifecycle"},
    {"persistentvolume-binder-controller", "persistentvolume-binder"},
    {"persistentvolume-attach-detach-controller", "attachdetach"},
    {"persistentvolume-expander-controller", "persistentvolume-expander"},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation"},
    {"persistentvolumeclaim-protection-controller", "pvc-protection"},
    {"persistentvolume-protection-controller", "pv-protection"},
    {"volumeattributesclass-protection-controller", "", kOn, "VolumeAttributesClass"},
    {"ttl-after-finished-controller", "ttl-after-finished"},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher"},
    {"kube-apiserver-serving-clustertrustbundle-publisher-controller", "", kOn,
     "ClusterTrustBundle"},
    {"ephemeral-volume-controller", "ephemeral-volume"},
    {"storageversion-garbage-collector-controller", "storage-version-gc", kOn, "APIServerIdentity",
     "StorageVersionAPI"},
    {"resourceclaim-controller", "resource-claim-controller", kOn, "DynamicResourceAllocation"},
    {"resourcepoolstatusrequest-controller", "", kOn, "DRAResourcePoolStatus"},
    {"device-taint-eviction-controller", "", kOn, "DynamicResourceAllocation", "DRADeviceTaints"},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner"},
    {"validatingadmissionpolicy-status-controller", ""},
    {"taint-eviction-controller", "", kOn, "SeparateTaintEvictionController"},
    {"service-cidr-controller", "", kOn, "MultiCIDRServiceAllocator"},
    {"storage-version-migrator-controller", "svm"},
    {"selinux-warning-controller", "", kOff, "SELinuxChangePolicy"},
};

std::string_view WithoutMinus(std::string_view name) {
  return name.starts_with('-') ? name.substr(1) : name;
}

}  // namespace

std::span<const KnownController> KnownControllers() { return kControllers; }

std::string_view CanonicalName(std::string_view name) {
  for (const KnownController& controller : kControllers) {
    if (!controller.alias.empty() && controller.alias == name) return controller.name;
  }
  return name;
}

ControllerSelection::ControllerSelection(const std::vector<std::string>& flag) {
  for (const std::string& item : flag) {
    std::string name(CanonicalName(WithoutMinus(item)));
    names_.push_back(item.starts_with('-') ? "-" + name : std::move(name));
  }
}

bool ControllerSelection::Wanted(const KnownController& controller) const {
  bool all = false;
  for (const std::string_view item : names_) {
    if (item == controller.name) return true;
    if (item.starts_with('-') && item.substr(1) == controller.name) return false;
    all = all || item == "*";
  }
  return all && controller.on_by_default;
}

bool ControllerSelection::Enabled(const KnownController& controller,
                                  const FeatureGates& gates) const {
  if (controller.name == kTokenController) return true;  // PARITY: the list is not asked
  const auto on = [&gates](std::string_view gate) { return gate.empty() || gates.Enabled(gate); };
  return Wanted(controller) && on(controller.first_gate) && on(controller.second_gate);
}

std::vector<std::string> UnknownControllers(const std::vector<std::string>& flag) {
  std::vector<std::string> unknown;
  for (const std::string_view item : flag) {
    const std::string_view name = WithoutMinus(item);
    const bool known = std::ranges::find(kControllers, CanonicalName(name),
                                         &KnownController::name) != std::ranges::end(kControllers);
    if (item != "*" && !known) unknown.emplace_back(name);
  }
  return unknown;
}

}  // namespace flyball::manager

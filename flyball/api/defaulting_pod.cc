#include "flyball/api/core/v1.h"
#include "flyball/api/image_reference.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of pods and of all that holds a pod template. Volumes are in defaulting_volume.cc.
namespace flyball::api {
namespace {

namespace v1 = core::v1;

/// For history's sake in pods alone; a template keeps what it says.
void RaiseNegativeGracePeriod(v1::Pod& pod) {
  auto& seconds = pod.spec.terminationGracePeriodSeconds;
  if (seconds && *seconds < 0) seconds = 1;
}

/// A limit without a request is a request. In pods alone: a template that got it would keep its
/// requests when somebody changes its limits.
void RequestWhatIsLimited(v1::Pod& pod) {
  for (auto* containers : {&pod.spec.initContainers, &pod.spec.containers}) {
    for (v1::Container& container : *containers) {
      for (const auto& [name, quantity] : container.resources.limits) {
        if (container.resources.requests.contains(name)) continue;
        container.resources.requests.insert_or_assign(name, quantity);
      }
    }
  }
}

/// In the host's network a container's port is the host's.
void OpenPortsOnTheHost(v1::Pod& pod) {
  if (!pod.spec.hostNetwork) return;
  for (auto* containers : {&pod.spec.initContainers, &pod.spec.containers}) {
    for (v1::Container& container : *containers) {
      for (v1::ContainerPort& port : container.ports) {
        if (port.hostPort == 0) port.hostPort = port.containerPort;
      }
    }
  }
}

/// `serviceAccount` is the old name of `serviceAccountName`.
void SyncServiceAccount(v1::PodSpec& spec) {
  if (spec.serviceAccountName.empty()) spec.serviceAccountName = spec.serviceAccount;
  spec.serviceAccount = spec.serviceAccountName;
}

/// The single address and the first of the list are the same. The single one counts: an old kubelet
/// writes only that.
void SyncPodIPs(v1::PodStatus& status) {
  if (status.podIP.empty()) {
    if (!status.podIPs.empty()) status.podIP = status.podIPs.front().ip;
  } else if (status.podIPs.empty() || status.podIPs.front().ip != status.podIP) {
    status.podIPs.clear();
    status.podIPs.emplace_back().ip = status.podIP;
  }
}

/// A tag that moves is pulled each time.
template <typename T>
void PullByTag(T& container) {
  if (!container.imagePullPolicy.empty()) return;
  container.imagePullPolicy = ImageTag(container.image) == "latest" ? "Always" : "IfNotPresent";
}

constexpr const TypeInfo* kKinds[] = {&v1::Pod::kType, &v1::PodTemplate::kType};

constexpr DefaultRule kRules[] = {
    Compute<RaiseNegativeGracePeriod>(),
    Compute<RequestWhatIsLimited>(),
    // Gate PodLevelResourcesFixDefaulting, on since v1.37: the pod's own requests and limits are
    // completed from its containers' after admission, and no longer here.
    Default<&v1::Pod::spec, &v1::PodSpec::enableServiceLinks>(true),
    Compute<OpenPortsOnTheHost>(),
    // Gate H2CContainerProbe, off in v1.37: httpGet.protocol stays absent.

    Compute<SyncServiceAccount>(),
    Default<&v1::PodSpec::dnsPolicy>("ClusterFirst"),
    Default<&v1::PodSpec::restartPolicy>("Always"),
    Default<&v1::PodSpec::securityContext>(EmptyObject()),
    Default<&v1::PodSpec::terminationGracePeriodSeconds>(30),
    Default<&v1::PodSpec::schedulerName>("default-scheduler"),
    RoundUpToMilli<&v1::PodSpec::overhead>(),

    Compute<PullByTag<v1::Container>>(),
    Default<&v1::Container::terminationMessagePath>("/dev/termination-log"),
    Default<&v1::Container::terminationMessagePolicy>("File"),

    Compute<PullByTag<v1::EphemeralContainerCommon>>(),
    Default<&v1::EphemeralContainerCommon::terminationMessagePath>("/dev/termination-log"),
    Default<&v1::EphemeralContainerCommon::terminationMessagePolicy>("File"),

    Default<&v1::ContainerPort::protocol>("TCP"),
    Default<&v1::ObjectFieldSelector::apiVersion>("v1"),
    Default<&v1::FileKeySelector::optional>(false),

    Default<&v1::Probe::timeoutSeconds>(1),
    Default<&v1::Probe::periodSeconds>(10),
    Default<&v1::Probe::successThreshold>(1),
    Default<&v1::Probe::failureThreshold>(3),
    Default<&v1::HTTPGetAction::path>("/"),
    Default<&v1::HTTPGetAction::scheme>("HTTP"),
    Default<&v1::GRPCAction::service>(""),

    RoundUpToMilli<&v1::ResourceRequirements::limits>(),
    RoundUpToMilli<&v1::ResourceRequirements::requests>(),

    Compute<SyncPodIPs>(),
    RoundUpToMilli<&v1::PodStatus::allocatedResources>(),
    RoundUpToMilli<&v1::ContainerStatus::allocatedResources>(),
};

}  // namespace

constexpr DefaultTable kPodDefaults = {kKinds, kRules};

}  // namespace flyball::api

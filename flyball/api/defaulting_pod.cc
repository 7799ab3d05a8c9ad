#include "flyball/api/core/v1.h"
#include "flyball/api/image_reference.h"
#include "flyball/api/internal/default_rule.h"

/// Defaults of pods and of all that holds a pod template. Volumes are in defaulting_volume.cc.
namespace flyball::api {
namespace {

using namespace core::v1;

/// For history's sake in pods alone; a template keeps what it says.
void RaiseNegativeGracePeriod(Pod& pod) {
  auto& seconds = pod.spec.terminationGracePeriodSeconds;
  if (seconds && *seconds < 0) seconds = 1;
}

/// A limit without a request is a request. In pods alone: a template that got it would keep its
/// requests when somebody changes its limits.
void RequestWhatIsLimited(Pod& pod) {
  for (auto* containers : {&pod.spec.initContainers, &pod.spec.containers}) {
    for (Container& container : *containers) {
      for (const auto& [name, quantity] : container.resources.limits) {
        if (container.resources.requests.contains(name)) continue;
        container.resources.requests.insert_or_assign(name, quantity);
      }
    }
  }
}

/// In the host's network a container's port is the host's.
void OpenPortsOnTheHost(Pod& pod) {
  if (!pod.spec.hostNetwork) return;
  for (auto* containers : {&pod.spec.initContainers, &pod.spec.containers}) {
    for (Container& container : *containers) {
      for (ContainerPort& port : container.ports) {
        if (port.hostPort == 0) port.hostPort = port.containerPort;
      }
    }
  }
}

/// `serviceAccount` is the old name of `serviceAccountName`.
void SyncServiceAccount(PodSpec& spec) {
  if (spec.serviceAccountName.empty()) spec.serviceAccountName = spec.serviceAccount;
  spec.serviceAccount = spec.serviceAccountName;
}

/// The single address and the first of the list are the same. The single one counts: an old kubelet
/// writes only that.
void SyncPodIPs(PodStatus& status) {
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

constexpr const TypeInfo* kKinds[] = {&Pod::kType, &PodTemplate::kType};

constexpr DefaultRule kRules[] = {
    Compute<RaiseNegativeGracePeriod>(),
    Compute<RequestWhatIsLimited>(),
    // Gate PodLevelResourcesFixDefaulting, on since v1.37: the pod's own requests and limits are
    // completed from its containers' after admission, and no longer here.
    Default<&Pod::spec, &PodSpec::enableServiceLinks>(true),
    Compute<OpenPortsOnTheHost>(),
    // Gate H2CContainerProbe, off in v1.37: httpGet.protocol stays absent.

    Compute<SyncServiceAccount>(),
    Default<&PodSpec::dnsPolicy>("ClusterFirst"),
    Default<&PodSpec::restartPolicy>("Always"),
    Default<&PodSpec::securityContext>(EmptyObject()),
    Default<&PodSpec::terminationGracePeriodSeconds>(30),
    Default<&PodSpec::schedulerName>("default-scheduler"),
    RoundUpToMilli<&PodSpec::overhead>(),

    Compute<PullByTag<Container>>(),
    Default<&Container::terminationMessagePath>("/dev/termination-log"),
    Default<&Container::terminationMessagePolicy>("File"),

    Compute<PullByTag<EphemeralContainerCommon>>(),
    Default<&EphemeralContainerCommon::terminationMessagePath>("/dev/termination-log"),
    Default<&EphemeralContainerCommon::terminationMessagePolicy>("File"),

    Default<&ContainerPort::protocol>("TCP"),
    Default<&ObjectFieldSelector::apiVersion>("v1"),
    Default<&FileKeySelector::optional>(false),

    Default<&Probe::timeoutSeconds>(1),
    Default<&Probe::periodSeconds>(10),
    Default<&Probe::successThreshold>(1),
    Default<&Probe::failureThreshold>(3),
    Default<&HTTPGetAction::path>("/"),
    Default<&HTTPGetAction::scheme>("HTTP"),
    Default<&GRPCAction::service>(""),

    RoundUpToMilli<&ResourceRequirements::limits>(),
    RoundUpToMilli<&ResourceRequirements::requests>(),

    Compute<SyncPodIPs>(),
    RoundUpToMilli<&PodStatus::allocatedResources>(),
    RoundUpToMilli<&ContainerStatus::allocatedResources>(),
};

}  // namespace

constexpr DefaultTable kPodDefaults = {kKinds, kRules};

}  // namespace flyball::api

#include "flyball/api/core/v1.h"
#include "flyball/api/discovery/v1.h"
#include "flyball/api/internal/default_rule.h"
#include "flyball/api/networking/v1.h"

/// Defaults of Services, of the endpoints behind them, and of the network's policies.
namespace flyball::api {
namespace {

/// A session sticks for three hours.
constexpr std::int32_t kAffinitySeconds = 3 * 60 * 60;

/// The configuration is there if, and only if, there is an affinity to configure.
void ConfigureAffinity(core::v1::ServiceSpec& spec) {
  auto& config = spec.sessionAffinityConfig;
  if (spec.sessionAffinity == "None") config.reset();
  if (spec.sessionAffinity != "ClientIP") return;
  if (config && config->clientIP && config->clientIP->timeoutSeconds) return;
  config.emplace().clientIP.emplace().timeoutSeconds = kAffinitySeconds;
}

void RouteTraffic(core::v1::ServiceSpec& spec) {
  const bool load_balanced = spec.type == "LoadBalancer";
  const bool on_nodes = load_balanced || spec.type == "NodePort";
  const bool has_cluster_ip = on_nodes || spec.type == "ClusterIP";
  const bool from_outside = on_nodes || (has_cluster_ip && !spec.externalIPs.empty());
  if (from_outside && spec.externalTrafficPolicy.empty()) spec.externalTrafficPolicy = "Cluster";
  if (has_cluster_ip && !spec.internalTrafficPolicy) spec.internalTrafficPolicy = "Cluster";
  if (load_balanced && !spec.allocateLoadBalancerNodePorts) {
    spec.allocateLoadBalancerNodePorts = true;
  }
}

void SayHowIngressIsReached(core::v1::Service& service) {
  // The type may still be unset here, but then it is not this one.
  if (service.spec.type != "LoadBalancer") return;
  for (auto& ingress : service.status.loadBalancer.ingress) {
    if (!ingress.ip.empty() && !ingress.ipMode) ingress.ipMode = "VIP";
  }
}

void TargetSamePort(core::v1::ServicePort& port) {
  const bool unset = port.targetPort == IntOrString(0) || port.targetPort == IntOrString("");
  if (unset) port.targetPort = IntOrString(port.port);
}

/// A policy that does not say restricts what comes in, and what goes out if it has rules for that.
void NamePolicyTypes(networking::v1::NetworkPolicySpec& spec) {
  if (!spec.policyTypes.empty()) return;
  spec.policyTypes.emplace_back("Ingress");
  if (!spec.egress.empty()) spec.policyTypes.emplace_back("Egress");
}

constexpr const TypeInfo* kKinds[] = {
    &core::v1::Endpoints::kType,
    &discovery::v1::EndpointSlice::kType,
    &networking::v1::IngressClass::kType,
    &networking::v1::NetworkPolicy::kType,
    &core::v1::Service::kType,
};

constexpr DefaultRule kRules[] = {
    Compute<SayHowIngressIsReached>(),
    Default<&core::v1::ServiceSpec::sessionAffinity>("None"),
    Compute<ConfigureAffinity>(),
    Default<&core::v1::ServiceSpec::type>("ClusterIP"),
    Compute<RouteTraffic>(),
    Default<&core::v1::ServicePort::protocol>("TCP"),
    Compute<TargetSamePort>(),

    Default<&core::v1::EndpointPort::protocol>("TCP"),
    Default<&discovery::v1::EndpointPort::name>(""),
    Default<&discovery::v1::EndpointPort::protocol>("TCP"),

    Compute<NamePolicyTypes>(),
    Default<&networking::v1::NetworkPolicyPort::protocol>("TCP"),
    Default<&networking::v1::IngressClassParametersReference::scope>("Cluster"),
};

}  // namespace

constexpr DefaultTable kServiceDefaults = {kKinds, kRules};

}  // namespace flyball::api

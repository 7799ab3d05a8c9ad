#include <string>
#include <utility>

#include "flyball/api/discovery/v1.h"
#include "flyball/api/networking/v1.h"
#include "flyball/sandbox/kinds/checks.h"
#include "flyball/sandbox/kinds/default_class.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/service_ranges.h"
#include "flyball/sandbox/kinds/strategy_for.h"

namespace flyball::sandbox {
namespace {

using discovery::v1::EndpointSlice;
using networking::v1::Ingress;
using networking::v1::IngressBackend;
using networking::v1::NetworkPolicy;

void CheckBackend(const IngressBackend& backend, const std::string& path, FieldErrors& errors) {
  if (backend.service && backend.resource) {
    errors.push_back({FieldError::Kind::kInvalid, path, "\"\"",
                      "cannot set both resource and service backends"});
    return;
  }
  if (!backend.service && !backend.resource) {
    errors.push_back(FieldError::Invalid(path, "", "resource or service backend is required"));
    return;
  }
  if (!backend.service) return;
  if (backend.service->name.empty()) {
    errors.push_back(FieldError::Required(path + ".service.name", ""));
  }
  if (backend.service->port.name.empty() && backend.service->port.number == 0) {
    errors.push_back(FieldError::Required(path, "port name or number is required"));
  }
}

void CheckPaths(const networking::v1::IngressRule& rule, const std::string& path,
                FieldErrors& errors) {
  if (!rule.http) return;
  if (rule.http->paths.empty()) errors.push_back(FieldError::Required(path + ".http.paths", ""));
  for (std::size_t i = 0; i < rule.http->paths.size(); ++i) {
    const auto& each = rule.http->paths[i];
    const std::string at = At(path + ".http.paths", i);
    if (!each.pathType) {
      errors.push_back(FieldError::Required(at + ".pathType", "pathType must be specified"));
      continue;
    }
    CheckOneOf(*each.pathType, {"Exact", "ImplementationSpecific", "Prefix"}, at + ".pathType",
               errors);
    if (*each.pathType != "ImplementationSpecific" && !each.path.starts_with('/')) {
      errors.push_back(FieldError::Invalid(at + ".path", each.path, "must be an absolute path"));
    }
    CheckBackend(each.backend, at + ".backend", errors);
  }
}

void CheckHost(const std::string& host, const std::string& path, FieldErrors& errors) {
  if (host.empty()) return;
  if (ParseAddress(host)) {
    errors.push_back(FieldError::Invalid(path, host, "must be a DNS name, not an IP address"));
    return;
  }
  if (!host.contains('*')) CheckSubdomain(host, path, errors);
}

class IngressKind final : public StrategyFor<Ingress> {
  StatusOr<> AdmitNew(Ingress& ingress, const Write& write) const override {
    if (ingress.spec.ingressClassName ||
        ingress.metadata.annotations.contains("kubernetes.io/ingress.class")) {
      return {};
    }
    ingress.spec.ingressClassName = DefaultClass(write.context, "networking.k8s.io/ingressclasses",
                                                 {"ingressclass.kubernetes.io/is-default-class"});
    return {};
  }

  FieldErrors CheckNew(const Ingress& ingress, const Write&) const override {
    FieldErrors errors;
    const auto& spec = ingress.spec;
    if (spec.rules.empty() && !spec.defaultBackend) {
      errors.push_back(FieldError{FieldError::Kind::kInvalid, "spec", "null",
                                  "either `defaultBackend` or `rules` must be specified"});
    }
    if (spec.defaultBackend) CheckBackend(*spec.defaultBackend, "spec.defaultBackend", errors);
    for (std::size_t i = 0; i < spec.rules.size(); ++i) {
      const std::string at = At("spec.rules", i);
      CheckHost(spec.rules[i].host, at + ".host", errors);
      CheckPaths(spec.rules[i], at, errors);
    }
    return errors;
  }

  FieldErrors CheckChange(const Ingress& now, const Ingress&, const Write& write) const override {
    return write.subresource == "status" ? FieldErrors() : CheckNew(now, write);
  }
};

class NetworkPolicyKind final : public StrategyFor<NetworkPolicy> {
  FieldErrors CheckNew(const NetworkPolicy& policy, const Write&) const override {
    FieldErrors errors;
    CheckSelector(policy.spec.podSelector, "spec.podSelector", errors);
    if (policy.spec.policyTypes.size() > 2) {
      errors.push_back(FieldError{FieldError::Kind::kInvalid, "spec.policyTypes", "",
                                  "may not specify more than two policyTypes"});
      return errors;
    }
    for (std::size_t i = 0; i < policy.spec.policyTypes.size(); ++i) {
      CheckOneOf(policy.spec.policyTypes[i], {"Ingress", "Egress"}, At("spec.policyTypes", i),
                 errors);
    }
    return errors;
  }

  FieldErrors CheckChange(const NetworkPolicy& now, const NetworkPolicy&,
                          const Write& write) const override {
    return CheckNew(now, write);
  }
};

class EndpointSliceKind final : public StrategyFor<EndpointSlice> {
  void PrepareChange(EndpointSlice& now, const EndpointSlice& before, const Write&) const override {
    // PARITY: labels count as something that was asked for.
    if (now.metadata.labels == before.metadata.labels) return;
    now.metadata.generation = before.metadata.generation + 1;
  }

  FieldErrors CheckNew(const EndpointSlice& slice, const Write&) const override {
    FieldErrors errors;
    CheckOneOf(slice.addressType, {"FQDN", "IPv4", "IPv6"}, "addressType", errors);
    for (std::size_t i = 0; i < slice.endpoints.size(); ++i) {
      const std::string at = At("endpoints", i) + ".addresses";
      const auto& addresses = slice.endpoints[i].addresses;
      if (addresses.empty()) {
        errors.push_back(FieldError::Required(at, ""));
      }
      if (addresses.size() > 100) {
        errors.push_back({FieldError::Kind::kTooMany, at, std::to_string(addresses.size()),
                          "must have at most 100 items"});
      }
    }
    return errors;
  }

  FieldErrors CheckChange(const EndpointSlice& now, const EndpointSlice& before,
                          const Write& write) const override {
    FieldErrors errors = CheckNew(now, write);
    if (now.addressType != before.addressType) {
      errors.push_back({FieldError::Kind::kInvalid, "addressType", "null", "field is immutable"});
    }
    return errors;
  }
};

}  // namespace

const RestStrategy& IngressRestStrategy() {
  static const IngressKind kStrategy;
  return kStrategy;
}

const RestStrategy& NetworkPolicyRestStrategy() {
  static const NetworkPolicyKind kStrategy;
  return kStrategy;
}

const RestStrategy& EndpointSliceRestStrategy() {
  static const EndpointSliceKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

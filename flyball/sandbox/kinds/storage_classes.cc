#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flyball/api/storage/v1.h"
#include "flyball/sandbox/kinds/kinds.h"
#include "flyball/sandbox/kinds/storage_checks.h"
#include "flyball/sandbox/kinds/strategy_for.h"
#include "flyball/sandbox/name_rules.h"

namespace flyball::sandbox {
namespace {

using storage::v1::StorageClass;
using storage::v1::VolumeAttributesClass;

constexpr std::string_view kClassFinalizer = "kubernetes.io/vac-protection";

/// A term of allowedTopologies, as far as two may be the same.
using Topology = std::map<std::string, std::set<std::string>>;

Topology CheckTopology(const core::v1::TopologySelectorTerm& term, const std::string& path,
                       FieldErrors& errors) {
  Topology topology;
  for (std::size_t i = 0; i < term.matchLabelExpressions.size(); ++i) {
    const auto& label = term.matchLabelExpressions[i];
    const std::string at = At(path + ".matchLabelExpressions", i);
    if (label.values.empty()) errors.push_back(FieldError::Required(at + ".values", ""));
    std::set<std::string> values;
    for (std::size_t j = 0; j < label.values.size(); ++j) {
      if (!values.insert(label.values[j]).second) {
        errors.push_back(FieldError::Duplicate(At(at + ".values", j), label.values[j]));
      }
    }
    for (const std::string& each : QualifiedNameProblems(label.key)) {
      errors.push_back(FieldError::Invalid(at + ".key", label.key, each));
    }
    if (!topology.insert_or_assign(label.key, std::move(values)).second) {
      errors.push_back(FieldError::Duplicate(at + ".key", label.key));
    }
  }
  return topology;
}

void CheckTopologies(const std::vector<core::v1::TopologySelectorTerm>& terms,
                     FieldErrors& errors) {
  // PARITY: upstream compares with an empty one too, besides those before.
  std::vector<Topology> before(1);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string path = At("allowedTopologies", i);
    Topology topology = CheckTopology(terms[i], path, errors);
    if (std::ranges::find(before, topology) != before.end()) {
      errors.push_back(FieldError::Duplicate(path + ".matchLabelExpressions", ""));
    }
    before.push_back(std::move(topology));
  }
}

class StorageClassKind final : public StrategyFor<StorageClass> {
  FieldErrors CheckNew(const StorageClass& storage_class, const Write&) const override {
    FieldErrors errors = CheckContent(storage_class);
    // PARITY: what upstream declares is checked behind what it programs.
    if (storage_class.provisioner.empty()) {
      errors.push_back(FieldError::Required("provisioner", ""));
    }
    return errors;
  }

  FieldErrors CheckChange(const StorageClass& now, const StorageClass& before,
                          const Write&) const override {
    FieldErrors errors = CheckContent(now);
    if (now.provisioner != before.provisioner) {
      if (now.provisioner.empty()) errors.push_back(FieldError::Required("provisioner", ""));
      errors.push_back(DeclaredImmutable("provisioner"));
    }
    if (now.parameters != before.parameters) errors.push_back(DeclaredImmutable("parameters"));
    if (now.reclaimPolicy != before.reclaimPolicy) {
      errors.push_back(DeclaredImmutable("reclaimPolicy"));
    }
    if (now.volumeBindingMode != before.volumeBindingMode) {
      errors.push_back(DeclaredImmutable("volumeBindingMode"));
    }
    return errors;
  }

  static FieldErrors CheckContent(const StorageClass& storage_class) {
    FieldErrors errors;
    CheckProvisioner(storage_class.provisioner, "provisioner", errors);
    CheckParameters(storage_class.parameters, true, errors);
    if (!storage_class.reclaimPolicy.value_or("").empty()) {
      CheckOneOf(*storage_class.reclaimPolicy, {"Delete", "Retain"}, "reclaimPolicy", errors);
    }
    const auto& mode = storage_class.volumeBindingMode;
    if (mode != "Immediate" && mode != "WaitForFirstConsumer") {
      errors.push_back(FieldError::NotSupported("volumeBindingMode", mode.value_or(""),
                                                {"Immediate", "WaitForFirstConsumer"}));
    }
    CheckTopologies(storage_class.allowedTopologies, errors);
    return errors;
  }
};

class AttributesClassKind final : public StrategyFor<VolumeAttributesClass> {
  StatusOr<> AdmitNew(VolumeAttributesClass& attributes, const Write&) const override {
    Protect(attributes.metadata, kClassFinalizer);
    return {};
  }

  FieldErrors CheckNew(const VolumeAttributesClass& attributes, const Write&) const override {
    FieldErrors errors;
    CheckProvisioner(attributes.driverName, "driverName", errors);
    CheckParameters(attributes.parameters, false, errors);
    if (attributes.driverName.empty()) errors.push_back(FieldError::Required("driverName", ""));
    return errors;
  }

  FieldErrors CheckChange(const VolumeAttributesClass& now, const VolumeAttributesClass& before,
                          const Write& write) const override {
    FieldErrors errors;
    if (now.driverName != before.driverName) {
      errors.push_back(FieldError::Forbidden("driverName", "updates to driverName are forbidden."));
    }
    if (now.parameters != before.parameters) {
      errors.push_back(FieldError::Forbidden("parameters", "updates to parameters are forbidden."));
    }
    std::ranges::move(CheckNew(now, write), std::back_inserter(errors));
    return errors;
  }
};

}  // namespace

const RestStrategy& StorageClassRestStrategy() {
  static const StorageClassKind kStrategy;
  return kStrategy;
}

const RestStrategy& VolumeAttributesClassRestStrategy() {
  static const AttributesClassKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

#include <algorithm>
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

using storage::v1::CSIDriver;
using storage::v1::CSIDriverSpec;
using storage::v1::CSINode;
using storage::v1::CSINodeDriver;

constexpr std::int64_t kShortestToken = 600;
constexpr std::int64_t kLongestToken = std::int64_t{1} << 32;
constexpr std::size_t kLongestNodeId = 256;
constexpr std::int64_t kShortestUpdatePeriod = 10;

std::string Quoted(std::string_view text) { return api::Json(text).ToString(); }

std::string ShownList(const std::vector<std::string>& texts) {
  if (texts.empty()) return "null";
  std::string shown;
  for (const std::string& text : texts) shown += (shown.empty() ? "" : ",") + Quoted(text);
  return "[" + shown + "]";
}

void CheckTokenRequests(const std::vector<storage::v1::TokenRequest>& requests,
                        FieldErrors& errors) {
  std::set<std::string> audiences;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string at = At("spec.tokenRequests", i);
    if (!audiences.insert(requests[i].audience).second) {
      errors.push_back(FieldError::Duplicate(at + ".audience", requests[i].audience));
      continue;
    }
    const auto& seconds = requests[i].expirationSeconds;
    if (seconds && *seconds < kShortestToken) {
      errors.push_back(FieldError::InvalidNumber(
          at + ".expirationSeconds", *seconds, "may not specify a duration less than 10 minutes"));
    }
    if (seconds && *seconds > kLongestToken) {
      errors.push_back(
          FieldError::InvalidNumber(at + ".expirationSeconds", *seconds,
                                    "may not specify a duration larger than 2^32 seconds"));
    }
  }
}

class DriverKind final : public StrategyFor<CSIDriver> {
  FieldErrors CheckNew(const CSIDriver& driver, const Write&) const override {
    FieldErrors errors;
    const CSIDriverSpec& spec = driver.spec;
    const auto policy = spec.fsGroupPolicy.value_or("");
    if (policy != "File" && policy != "None" && policy != "ReadWriteOnceWithFSType") {
      errors.push_back(FieldError::NotSupported("spec.fsGroupPolicy", policy,
                                                {"File", "None", "ReadWriteOnceWithFSType"}));
    }
    CheckTokenRequests(spec.tokenRequests, errors);
    for (const std::string& mode : spec.volumeLifecycleModes) {
      if (mode == "Persistent" || mode == "Ephemeral") continue;
      errors.push_back(
          FieldError::NotSupported("spec.volumeLifecycleModes", mode, {"Persistent", "Ephemeral"}));
    }
    const auto& period = spec.nodeAllocatableUpdatePeriodSeconds;
    if (period && *period < kShortestUpdatePeriod) {
      errors.push_back(FieldError::InvalidNumber("spec.nodeAllocatableUpdatePeriodSeconds", *period,
                                                 "must be greater than or equal to 10 seconds"));
    }
    const auto& in_secrets = spec.serviceAccountTokenInSecrets;
    if (in_secrets && spec.tokenRequests.empty()) {
      errors.push_back({FieldError::Kind::kInvalid, "spec.serviceAccountTokenInSecrets",
                        *in_secrets ? "true" : "false",
                        "serviceAccountTokenInSecrets is set but no tokenRequests are specified"});
    }
    return errors;
  }

  FieldErrors CheckChange(const CSIDriver& now, const CSIDriver& before,
                          const Write& write) const override {
    FieldErrors errors = CheckNew(now, write);
    if (now.spec.attachRequired != before.spec.attachRequired) {
      // PARITY: by a name that the field does not have.
      errors.push_back(Immutable("spec.attachedRequired",
                                 now.spec.attachRequired.value_or(true) ? "true" : "false"));
    }
    if (now.spec.volumeLifecycleModes != before.spec.volumeLifecycleModes) {
      errors.push_back(
          Immutable("spec.volumeLifecycleModes", ShownList(now.spec.volumeLifecycleModes)));
    }
    return errors;
  }
};

void CheckTopologyKeys(const std::vector<std::string>& keys, const std::string& path,
                       FieldErrors& errors) {
  std::set<std::string> seen;
  for (const std::string& key : keys) {
    if (key.empty()) errors.push_back(FieldError::Required(path, ""));
    if (!seen.insert(key).second) errors.push_back(FieldError::Duplicate(path, key));
    for (const std::string& each : QualifiedNameProblems(key)) {
      errors.push_back(FieldError::Invalid(path, key, each));
    }
  }
}

/// PARITY: with the names that members have inside of upstream, and without what may change.
std::string ShownWithinUpstream(const CSINodeDriver& driver) {
  return "{\"Name\":" + Quoted(driver.name) + ",\"NodeID\":" + Quoted(driver.nodeID) +
         ",\"TopologyKeys\":" + ShownList(driver.topologyKeys) + ",\"Allocatable\":null}";
}

class NodeDriversKind final : public StrategyFor<CSINode> {
  FieldErrors CheckNew(const CSINode& node, const Write&) const override {
    FieldErrors errors;
    std::set<std::string> names;
    for (std::size_t i = 0; i < node.spec.drivers.size(); ++i) {
      const CSINodeDriver& driver = node.spec.drivers[i];
      const std::string at = At("spec.drivers", i);
      CheckDriverName(driver.name, at + ".name", errors);
      if (driver.nodeID.empty()) errors.push_back(FieldError::Required(at + ".nodeID", ""));
      if (driver.nodeID.size() > kLongestNodeId) {
        errors.push_back(
            FieldError::Invalid(at + ".nodeID", driver.nodeID, "must be 256 characters or less"));
      }
      if (driver.allocatable && driver.allocatable->count) {
        CheckNotNegative(*driver.allocatable->count, at + ".allocatable.count", errors);
      }
      if (!names.insert(driver.name).second) {
        errors.push_back(FieldError::Duplicate(at + ".name", driver.name));
      }
      CheckTopologyKeys(driver.topologyKeys, at, errors);
    }
    return errors;
  }

  void PrepareChange(CSINode& now, const CSINode& before, const Write&) const override {
    // What upstream has an alpha feature for, which is off.
    if (before.status.storageHealth.empty()) now.status.storageHealth.clear();
  }

  FieldErrors CheckChange(const CSINode& now, const CSINode& before,
                          const Write& write) const override {
    if (write.subresource == "status") return {};
    FieldErrors errors = CheckNew(now, write);
    for (const CSINodeDriver& old : before.spec.drivers) {
      for (const CSINodeDriver& driver : now.spec.drivers) {
        const bool same = old.nodeID == driver.nodeID && old.topologyKeys == driver.topologyKeys;
        if (old.name != driver.name || same) continue;
        errors.push_back(Immutable("spec.drivers", ShownWithinUpstream(driver)));
      }
    }
    return errors;
  }
};

}  // namespace

const RestStrategy& CsiDriverRestStrategy() {
  static const DriverKind kStrategy;
  return kStrategy;
}

const RestStrategy& CsiNodeRestStrategy() {
  static const NodeDriversKind kStrategy;
  return kStrategy;
}

}  // namespace flyball::sandbox

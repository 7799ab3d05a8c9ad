#include "tests/faults/slice_invariants.h"

#include <algorithm>

namespace flyball::faults {
namespace {

using discovery::v1::EndpointSlice;

std::string ServiceOf(const EndpointSlice& slice) {
  const std::string* const name = slice.metadata.labels.find("kubernetes.io/service-name");
  return name == nullptr ? "" : *name;
}

/// Slices that are kept by different managers are of different minds.
bool AreOfOneKind(const EndpointSlice& a, const EndpointSlice& b) {
  constexpr const char* kManager = "endpointslice.kubernetes.io/managed-by";
  const std::string* const of_a = a.metadata.labels.find(kManager);
  const std::string* const of_b = b.metadata.labels.find(kManager);
  return ServiceOf(a) == ServiceOf(b) && a.addressType == b.addressType && a.ports == b.ports &&
         of_a != nullptr && of_b != nullptr && *of_a == *of_b;
}

}  // namespace

void SliceInvariants::TellOfSlice(const std::string& uid, const std::optional<Slice>& slice) {
  const auto known = slices_.find(uid);
  const std::string before = known == slices_.end() ? "" : ServiceOf(known->second);
  if (slice) {
    slices_[uid] = *slice;
    JudgeDoubles(*slice);
    JudgeMissing(ServiceOf(*slice));
  } else {
    slices_.erase(uid);
    JudgeMissing(before);
  }
}

void SliceInvariants::JudgeDoubles(const Slice& written) {
  std::set<std::string> seen;
  for (const auto& [uid, slice] : slices_) {
    if (!AreOfOneKind(slice, written)) continue;
    for (const auto& endpoint : slice.endpoints) {
      for (const std::string& address : endpoint.addresses) {
        if (seen.insert(address).second) continue;
        violations_.push_back("slice " + written.metadata.name + " is written: service " +
                              ServiceOf(written) + " has " + address + " twice");
      }
    }
  }
}

void SliceInvariants::JudgeMissing(const std::string& service) {
  const auto quiet = quiet_.find(service);
  if (quiet == quiet_.end() || changed_services_.contains(service)) return;
  const auto now = PodsByService();
  const auto found = now.find(service);
  for (const std::string& pod : quiet->second) {
    const bool there = found != now.end() && found->second.contains(pod);
    if (there || changed_pods_.contains(pod)) continue;
    violations_.push_back("pod " + pod + " is in no slice of service " + service + " any more");
  }
}

void SliceInvariants::Checkpoint() {
  quiet_ = PodsByService();
  changed_pods_.clear();
  changed_services_.clear();
}

std::map<std::string, std::set<std::string>> SliceInvariants::PodsByService() const {
  std::map<std::string, std::set<std::string>> pods;
  for (const auto& [uid, slice] : slices_) {
    for (const auto& endpoint : slice.endpoints) {
      if (endpoint.targetRef) pods[ServiceOf(slice)].insert(endpoint.targetRef->name);
    }
  }
  return pods;
}

}  // namespace flyball::faults

#include "flyball/controllers/common/slice_packing.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace flyball::controllers::common {

using core::v1::ObjectReference;
using discovery::v1::Endpoint;
using discovery::v1::EndpointSlice;

namespace {

/// What a key's parts end with: a byte that is in none of them.
constexpr char kEnd = '\0';

bool LeadToTheSame(const api::Box<ObjectReference>& a, const api::Box<ObjectReference>& b) {
  if (!a || !b) return !a && !b;
  return a->kind == b->kind && a->namespace_ == b->namespace_ && a->name == b->name &&
         a->uid == b->uid && a->apiVersion == b->apiVersion && a->fieldPath == b->fieldPath;
}

}  // namespace

std::string EndpointKey(const Endpoint& endpoint) {
  std::string key;
  const auto add = [&key](const std::string& part) {
    key += part;
    key += kEnd;
  };
  if (endpoint.addresses.size() == 1) {
    add(endpoint.addresses.front());
  } else {
    std::vector<std::string> addresses = endpoint.addresses;
    std::ranges::sort(addresses);
    for (const std::string& address : addresses) add(address);
  }
  key += kEnd;
  add(endpoint.hostname.value_or(std::string()));
  if (endpoint.targetRef) {
    add(endpoint.targetRef->namespace_);
    add(endpoint.targetRef->name);
  }
  return key;
}

bool SayTheSame(const Endpoint& a, const Endpoint& b) {
  return a.nodeName == b.nodeName && a.zone == b.zone && a.conditions.ready == b.conditions.ready &&
         a.conditions.serving == b.conditions.serving &&
         a.conditions.terminating == b.conditions.terminating &&
         LeadToTheSame(a.targetRef, b.targetRef);
}

void EndpointSet::Insert(Endpoint endpoint) {
  const auto [at, is_new] = places_.try_emplace(EndpointKey(endpoint), endpoints_.size());
  if (is_new) {
    endpoints_.push_back(std::move(endpoint));
  } else {
    endpoints_[at->second] = std::move(endpoint);
  }
}

const Endpoint* EndpointSet::Find(const Endpoint& like) const {
  const auto found = places_.find(EndpointKey(like));
  return found == places_.end() ? nullptr : &endpoints_[found->second];
}

void SliceChanges::Append(SliceChanges more) {
  std::ranges::move(more.to_create, std::back_inserter(to_create));
  std::ranges::move(more.to_update, std::back_inserter(to_update));
  std::ranges::move(more.to_delete, std::back_inserter(to_delete));
}

/// One packing, from its first step to its last.
class Packer {
 public:
  Packer(const EndpointSet& desired, const EndpointSlice& fresh, const PackingRules& rules)
      : desired_(desired), fresh_(fresh), rules_(rules), placed_(desired.size(), false) {}

  Packed Pack(const std::vector<SliceRef>& existing) {
    for (const SliceRef& slice : existing) Revise(slice);
    left_ = static_cast<std::size_t>(std::ranges::count(placed_, false));
    packed_.endpoints_added = left_;
    FillWhatIsWritten();
    while (left_ > 0) FillOneMore();
    return std::move(packed_);
  }

 private:
  /// Keeps of a slice what ought to be there, as it ought to be.
  void Revise(const SliceRef& slice) {
    std::vector<const Endpoint*> kept;
    bool changed = false;
    for (const Endpoint& endpoint : slice->endpoints) {
      const auto found = desired_.places_.find(EndpointKey(endpoint));
      // One that is in two slices stays in the first.
      if (found == desired_.places_.end() || placed_[found->second]) continue;
      placed_[found->second] = true;
      kept.push_back(&desired_.endpoints_[found->second]);
      changed = changed || !SayTheSame(*kept.back(), endpoint);
    }
    const std::size_t removed = slice->endpoints.size() - kept.size();
    packed_.endpoints_removed += removed;
    if (removed > 0 && kept.empty()) {
      packed_.changes.to_delete.push_back(slice);
    } else if (changed || removed > 0) {
      EndpointSlice& update = Update(*slice);
      update.endpoints.clear();
      for (const Endpoint* const endpoint : kept) update.endpoints.push_back(*endpoint);
    } else if (!rules_.has_its_labels(*slice)) {
      Update(*slice);
    } else {
      untouched_.push_back(slice);
    }
  }

  EndpointSlice& Update(const EndpointSlice& slice) {
    EndpointSlice& update = packed_.changes.to_update.emplace_back(slice);
    update.metadata.labels = fresh_.metadata.labels;
    return update;
  }

  void FillWhatIsWritten() {
    if (left_ == 0) return;
    std::vector<EndpointSlice*> slices;
    for (EndpointSlice& slice : packed_.changes.to_update) slices.push_back(&slice);
    std::ranges::sort(slices, [](const EndpointSlice* a, const EndpointSlice* b) {
      if (a->endpoints.size() != b->endpoints.size()) {
        return a->endpoints.size() > b->endpoints.size();
      }
      return a->metadata.name < b->metadata.name;
    });
    for (EndpointSlice* const slice : slices) Fill(*slice);
  }

  void FillOneMore() {
    const auto fitting = BestFitting();
    if (fitting == untouched_.end()) {
      Fill(packed_.changes.to_create.emplace_back(fresh_));
      return;
    }
    // PARITY: its labels are as they ought to be but for those that are the manager's own, which
    // are set with the next change of what is in it already.
    Fill(packed_.changes.to_update.emplace_back(**fitting));
    untouched_.erase(fitting);
  }

  /// The slice that would have the least room left.
  std::vector<SliceRef>::iterator BestFitting() {
    auto best = untouched_.end();
    if (left_ >= rules_.most_in_a_slice) return best;
    for (auto at = untouched_.begin(); at != untouched_.end(); ++at) {
      const std::size_t size = (*at)->endpoints.size();
      if (size + left_ > rules_.most_in_a_slice) continue;
      if (best == untouched_.end() || size > (*best)->endpoints.size()) best = at;
    }
    return best;
  }

  void Fill(EndpointSlice& slice) {
    while (left_ > 0 && slice.endpoints.size() < rules_.most_in_a_slice) {
      while (placed_[next_]) ++next_;
      placed_[next_] = true;
      slice.endpoints.push_back(desired_.endpoints_[next_]);
      --left_;
    }
  }

  const EndpointSet& desired_;
  const EndpointSlice& fresh_;
  const PackingRules& rules_;
  Packed packed_;
  std::vector<bool> placed_;  // by the place in `desired_`
  std::size_t left_ = 0;      // not placed
  std::size_t next_ = 0;      // all before it are
  std::vector<SliceRef> untouched_;
};

Packed Pack(const std::vector<SliceRef>& existing, const EndpointSet& desired,
            const EndpointSlice& fresh, const PackingRules& rules) {
  return Packer(desired, fresh, rules).Pack(existing);
}

void Recycle(SliceChanges& changes, const std::function<bool(const EndpointSlice&)>& may_become) {
  std::erase_if(changes.to_delete, [&](const SliceRef& old) {
    if (changes.to_create.empty() || !may_become(*old) ||
        changes.to_create.back().addressType != old->addressType) {
      return false;
    }
    EndpointSlice fresh = std::move(changes.to_create.back());
    changes.to_create.pop_back();
    fresh.metadata.name = old->metadata.name;
    fresh.metadata.uid = old->metadata.uid;
    fresh.metadata.resourceVersion = old->metadata.resourceVersion;
    fresh.metadata.generation = old->metadata.generation;
    fresh.metadata.finalizers = old->metadata.finalizers;
    changes.to_update.push_back(std::move(fresh));
    return true;
  });
}

}  // namespace flyball::controllers::common

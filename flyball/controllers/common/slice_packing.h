#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "flyball/api/discovery/v1.h"
#include "flyball/cache/informer.h"

/// How endpoints come into slices with few writes, as pure functions of what there is and of what
/// there ought to be.
namespace flyball::controllers::common {

using SliceRef = cache::Ref<discovery::v1::EndpointSlice>;

/// What tells endpoints apart: their addresses, host name, and whom they lead to. Two of the same
/// key are one endpoint, of which one may say more recent things.
std::string EndpointKey(const discovery::v1::Endpoint& endpoint);

/// Whether two endpoints of the same key say the same. Hints are not looked at, since they are
/// given later, nor is the version of the object that is led to.
bool SayTheSame(const discovery::v1::Endpoint& a, const discovery::v1::Endpoint& b);

/// The endpoints that there ought to be behind one set of ports. Each is there once.
class EndpointSet {
 public:
  using Endpoint = discovery::v1::Endpoint;

  /// In place of one of the same key.
  void Insert(Endpoint endpoint);
  std::size_t size() const { return endpoints_.size(); }
  /// Null if there is none of this key.
  const Endpoint* Find(const Endpoint& like) const;
  const std::vector<Endpoint>& all() const { return endpoints_; }

 private:
  friend class Packer;
  std::vector<Endpoint> endpoints_;  // in the order in which they came
  std::unordered_map<std::string, std::size_t> places_;
};

/// What has to be written. Slices that are in none of these stay as they are.
struct SliceChanges {
  std::vector<discovery::v1::EndpointSlice> to_create;
  std::vector<discovery::v1::EndpointSlice> to_update;
  std::vector<SliceRef> to_delete;

  std::size_t count() const { return to_create.size() + to_update.size() + to_delete.size(); }
  void Append(SliceChanges more);
  friend bool operator==(const SliceChanges&, const SliceChanges&) = default;
};

/// What packing came to.
struct Packed {
  SliceChanges changes;
  std::size_t endpoints_added = 0;
  std::size_t endpoints_removed = 0;
  friend bool operator==(const Packed&, const Packed&) = default;
};

struct PackingRules {
  std::size_t most_in_a_slice = 100;
  /// Whether an existing slice has the labels that it ought to have, as `fresh` has them.
  std::function<bool(const discovery::v1::EndpointSlice& existing)> has_its_labels;
};

/// Packs the endpoints of one set of ports into its slices. An endpoint stays in the slice that it
/// is in. New ones go where something is written anyway, the fullest first; what is left goes to
/// the one slice that it fits in best, or to new ones that are made after `fresh`, which has
/// everything but endpoints. So slices that are half empty stay half empty: each of them would have
/// to be written, and read by every node, to fill them up.
///
/// `existing` are all of these ports.
Packed Pack(const std::vector<SliceRef>& existing, const EndpointSet& desired,
            const discovery::v1::EndpointSlice& fresh, const PackingRules& rules);

/// Has slices that would go become those that would be made, as far as `may_become` lets them.
// PARITY: of what others have noted on the old one nothing stays.
// DIVERGES: upstream also drops finalizers, and what has been written to the slice meanwhile.
void Recycle(SliceChanges& changes,
             const std::function<bool(const discovery::v1::EndpointSlice&)>& may_become);

}  // namespace flyball::controllers::common

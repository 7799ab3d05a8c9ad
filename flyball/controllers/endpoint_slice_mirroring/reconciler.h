#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/cache/informer.h"
#include "flyball/controllers/endpoint_slice_mirroring/metrics.h"
#include "flyball/controllers/endpoint_slice_mirroring/plan.h"
#include "flyball/runtime/reconcile_queue.h"

namespace flyball::controllers::endpoint_slice_mirroring {

/// Brings the mirrors of some Endpoints into line with them. Reads Endpoints, services and slices;
/// writes slices, its own alone. Any thread, never two for the same Endpoints.
class Reconciler {
 public:
  struct Deps {
    cache::Lister<Endpoints> endpoints;
    cache::Lister<Service> services;
    cache::Lister<EndpointSlice> slices;
    const Clock& clock;
    std::shared_ptr<Metrics> metrics;
  };
  Reconciler(Deps deps, std::size_t most_per_subset)
      : deps_(std::move(deps)), most_per_subset_(most_per_subset) {}

  Result<runtime::Outcome> operator()(runtime::Context& context, const api::ObjectKey& key) const;

 private:
  Result<> Reconcile(runtime::Context& context, const api::ObjectKey& key) const;
  /// Null if these are not to be mirrored.
  cache::Ref<Endpoints> ToMirror(const api::ObjectKey& key) const;
  Result<> Write(runtime::Context& context, const common::SliceChanges& changes) const;
  Result<> CleanUp(runtime::Context& context, const std::vector<SliceRef>& slices) const;

  const Deps deps_;
  const std::size_t most_per_subset_;
};

}  // namespace flyball::controllers::endpoint_slice_mirroring

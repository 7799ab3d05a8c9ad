#include "flyball/controllers/common/slice_index.h"

#include <algorithm>

namespace flyball::controllers::common {

std::vector<cache::Ref<discovery::v1::EndpointSlice>> SlicesOf(
    const api::ObjectKey& service, std::string_view manager,
    const cache::Lister<discovery::v1::EndpointSlice>& slices) {
  auto found = slices.ByIndex(kServiceIndex, service.ToString());
  std::erase_if(found, [&](const auto& slice) {
    return slice->metadata.deletionTimestamp || LabelOf(*slice, kManagedByLabel) != manager;
  });
  std::ranges::sort(found, {},
                    [](const auto& slice) -> const std::string& { return slice->metadata.name; });
  return found;
}

}  // namespace flyball::controllers::common

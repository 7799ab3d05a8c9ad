#include "flyball/controllers/common/shown_numbers.h"

#include <utility>

namespace flyball::controllers::common {
namespace {

/// What families take is a list that is written out.
GaugeCallback Shown(const GaugeFamily& family, const std::vector<std::string>& labels,
                    const auto& value) {
  if (labels.size() == 1) return family.WithCallback({labels[0]}, value);
  if (labels.size() == 2) return family.WithCallback({labels[0], labels[1]}, value);
  return family.WithCallback({labels[0], labels[1], labels[2]}, value);
}

}  // namespace

void ShownNumbers::Add(const std::vector<std::string>& labels, int amount) {
  const MutexLock lock(mutex_);
  auto found = numbers_.find(labels);
  if (found == numbers_.end()) {
    const auto value = std::make_shared<std::atomic<std::int64_t>>(0);
    auto shown = Shown(family_, labels, [value] { return static_cast<double>(value->load()); });
    found = numbers_.emplace(labels, Number{value, std::move(shown)}).first;
  }
  *found->second.value += amount;
  if (*found->second.value == 0) numbers_.erase(found);
}

}  // namespace flyball::controllers::common

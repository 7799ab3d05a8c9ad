#include "flyball/simulation/resource_amounts.h"

#include <algorithm>

#include "flyball/api/core/v1.h"
#include "flyball/api/protobuf_decode.h"
#include "flyball/api/quantity.h"
#include "flyball/base/wrapping.h"

namespace flyball::simulation {
namespace {

void Set(ResourceAmounts& amounts, std::string_view name, const api::Quantity& quantity) {
  if (name == "cpu") {
    amounts.milli_cpu = quantity.MilliValue();
  } else if (name != "pods") {
    amounts[name] = quantity.Value();
  }
}

ResourceAmounts AmountsOf(const core::v1::ResourceList& list) {
  ResourceAmounts amounts;
  for (const auto& [name, quantity] : list) Set(amounts, name, quantity);
  return amounts;
}

/// What a pod says for all of its containers counts instead of what they say.
void ApplyPodLevel(ResourceAmounts& total, const core::v1::ResourceList& requests) {
  for (const auto& [name, quantity] : requests) {
    if (name == "cpu" || name == "memory" || name.starts_with("hugepages-")) {
      Set(total, name, quantity);
    }
  }
}

}  // namespace

std::int64_t& ResourceAmounts::operator[](std::string_view name) {
  if (name == "cpu") return milli_cpu;
  if (name == "memory") return memory;
  if (name == "ephemeral-storage") return ephemeral_storage;
  const auto at = std::ranges::lower_bound(
      others, name, {}, [](const auto& other) { return std::string_view(other.first); });
  if (at != others.end() && at->first == name) return at->second;
  return others.emplace(at, std::string(name), 0)->second;
}

std::int64_t ResourceAmounts::Of(std::string_view name) const {
  const auto at = std::ranges::find(
      others, name, [](const auto& other) { return std::string_view(other.first); });
  return at == others.end() ? 0 : at->second;
}

// PARITY: sums wrap, as kube-scheduler's do: what was added can be subtracted again.
void ResourceAmounts::Add(const ResourceAmounts& more) {
  milli_cpu = WrappingAdd(milli_cpu, more.milli_cpu);
  memory = WrappingAdd(memory, more.memory);
  ephemeral_storage = WrappingAdd(ephemeral_storage, more.ephemeral_storage);
  for (const auto& [name, amount] : more.others) {
    std::int64_t& mine = (*this)[name];
    mine = WrappingAdd(mine, amount);
  }
}

void ResourceAmounts::Subtract(const ResourceAmounts& less) {
  milli_cpu = WrappingSubtract(milli_cpu, less.milli_cpu);
  memory = WrappingSubtract(memory, less.memory);
  ephemeral_storage = WrappingSubtract(ephemeral_storage, less.ephemeral_storage);
  for (const auto& [name, amount] : less.others) {
    std::int64_t& mine = (*this)[name];
    mine = WrappingSubtract(mine, amount);
  }
}

void ResourceAmounts::Raise(const ResourceAmounts& other) {
  milli_cpu = std::max(milli_cpu, other.milli_cpu);
  memory = std::max(memory, other.memory);
  ephemeral_storage = std::max(ephemeral_storage, other.ephemeral_storage);
  for (const auto& [name, amount] : other.others) {
    std::int64_t& mine = (*this)[name];
    mine = std::max(mine, amount);
  }
}

ResourceAmounts AmountsOf(const api::ViewMap& texts) {
  ResourceAmounts amounts;
  for (const api::ViewEntry& entry : texts) {
    if (const auto quantity = api::Quantity::Parse(entry.value)) Set(amounts, entry.key, *quantity);
  }
  return amounts;
}

ResourceAmounts RequestsOf(const views::KubeletPod& pod) {
  ResourceAmounts total;
  for (const auto& container : pod.spec.containers) {
    total.Add(AmountsOf(container.resources.requests));
  }
  // An init container runs beside the sidecars that were started before it.
  ResourceAmounts sidecars;
  ResourceAmounts most_at_start;
  for (const auto& container : pod.spec.initContainers) {
    ResourceAmounts at_its_time = AmountsOf(container.resources.requests);
    at_its_time.Add(sidecars);
    if (container.restartPolicy == "Always") sidecars = at_its_time;
    most_at_start.Raise(at_its_time);
  }
  total.Add(sidecars);
  total.Raise(most_at_start);
  if (pod.spec.rare.empty()) return total;
  if (const auto rare = api::DecodeProtobuf<core::v1::PodSpec>(pod.spec.rare.view())) {
    if (rare->resources) ApplyPodLevel(total, rare->resources->requests);
    total.Add(AmountsOf(rare->overhead));
  }
  return total;
}

}  // namespace flyball::simulation

#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "flyball/runtime/context.h"

namespace flyball::runtime {

/// Creates objects that differ, all under way at once, and remembers that as Context::CreateAll()
/// does for copies of one. The answers are in the order of the objects.
template <typename T>
std::vector<Result<Context::Stored>> CreateEach(Context& context, std::span<const T> objects) {
  const auto of = context.client().Brief<T>();
  std::vector<client::Pending<Context::Stored>> pending;
  pending.reserve(objects.size());
  for (const T& object : objects) pending.push_back(of.Async().Create(object));
  std::vector<Result<Context::Stored>> created(objects.size());
  // The last first: when that is there the others mostly are, and nobody was woken for them.
  for (std::size_t i = objects.size(); i-- > 0;) created[i] = pending[i].Wait();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto& stored = created[i];
    if (stored) {
      context.writes().Stored(of.resource(), stored->metadata.resourceVersion);
      context.notes().Wrote(TracedWrite::Verb::kCreate, of.resource(), stored->metadata.name, {},
                            nullptr);
    } else {
      context.writes().Failed(of.resource(), stored.error());
      context.notes().Wrote(TracedWrite::Verb::kCreate, of.resource(),
                            api::IdentityOf(objects[i]).name, {}, &stored.error());
    }
  }
  return created;
}

}  // namespace flyball::runtime

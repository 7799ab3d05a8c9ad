#include "flyball/sandbox/storage/history.h"

#include <algorithm>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::sandbox {
namespace {

/// What the object was at a moment; null if it was not there.
const History::Version* At(const History::Version* version, Revision at) {
  while (version != nullptr && version->revision > at) version = version->before.get();
  return version == nullptr || version->deleted ? nullptr : version;
}

Change ChangeOf(const History::Version& version) {
  const History::Version* const before = version.before.get();
  return {.key = version.key,
          .revision = version.revision,
          .deleted = version.deleted,
          .object = version.object,
          .before = before == nullptr || before->deleted ? nullptr : before->object};
}

}  // namespace

History::~History() {
  // One by one: a long chain of versions that destroyed each other would be as deep as it is long.
  while (!changes_.empty()) ForgetOldest(nullptr);
}

void History::Add(const KeyPtr& key, Revision revision, bool deleted, StoredPtr object) {
  const auto at = objects_.try_emplace(key).first;
  std::unique_ptr<Version>& newest = at->second;
  FLYBALL_CHECK(newest == nullptr || newest->revision < revision, "a change out of order");
  newest =
      std::make_unique<Version>(at->first, revision, deleted, std::move(object), std::move(newest));
  if (revision > compacted_) {
    changes_.push_back(newest.get());
  } else {
    newest->before.reset();
  }
}

void History::KeepNewest(std::size_t most, std::vector<Revision>* dropped) {
  while (changes_.size() > most) ForgetOldest(dropped);
}

void History::Compact(Revision up_to, std::vector<Revision>* dropped) {
  while (!changes_.empty() && changes_.front()->revision <= up_to) ForgetOldest(dropped);
  compacted_ = std::max(compacted_, up_to);
}

void History::ForgetOldest(std::vector<Revision>* dropped) {
  Version& version = *changes_.front();
  changes_.pop_front();
  compacted_ = version.revision;
  if (version.before != nullptr) {
    if (dropped != nullptr) dropped->push_back(version.before->revision);
    version.before.reset();
  }
  if (!version.deleted) return;
  const auto at = objects_.find(version.key);
  if (at->second.get() != &version) return;
  if (dropped != nullptr) dropped->push_back(version.revision);
  objects_.erase(at);
}

const History::Version* History::Newest(const Place& place) const {
  const auto at = objects_.find(place);
  return at == objects_.end() ? nullptr : at->second.get();
}

History::Listed History::List(std::string_view namespace_, Revision at,
                              const std::optional<Place>& after, std::size_t limit) const {
  Place from{.namespace_ = namespace_, .name = {}};
  if (after.has_value() && (namespace_.empty() || Compare(from, *after) < 0)) from = *after;
  auto next = namespace_.empty() && !after ? objects_.begin() : objects_.lower_bound(from);

  Listed listed;
  for (; next != objects_.end(); ++next) {
    if (!namespace_.empty() && next->first->namespace_ != namespace_) break;
    if (after.has_value() && PlaceOf(*next->first) == *after) continue;
    const Version* const version = At(next->second.get(), at);
    if (version == nullptr) continue;
    if (limit != 0 && listed.entries.size() == limit) {
      ++listed.remaining;
    } else {
      listed.entries.push_back({version->key, version->revision, version->object});
    }
  }
  return listed;
}

std::vector<Change> History::ChangesAfter(Revision& since, std::string_view namespace_,
                                          std::size_t max) const {
  std::vector<Change> taken;
  auto next = std::ranges::upper_bound(changes_, since, {}, &Version::revision);
  for (; next != changes_.end() && taken.size() < max; ++next) {
    const Version& version = **next;
    if (namespace_.empty() || version.key->namespace_ == namespace_) {
      taken.push_back(ChangeOf(version));
    }
    since = version.revision;
  }
  return taken;
}

}  // namespace flyball::sandbox

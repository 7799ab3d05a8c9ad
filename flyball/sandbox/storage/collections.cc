#include "flyball/sandbox/storage/collections.h"

#include <algorithm>
#include <utility>

namespace flyball::sandbox {
namespace {

std::unexpected<Error> NoLongerKept(const std::string& collection, Revision asked,
                                    Revision compacted) {
  return Fail(ErrorCode::kGone, "the history of " + collection + " at " + std::to_string(asked) +
                                    " is no longer kept: it begins at " +
                                    std::to_string(compacted));
}

}  // namespace

Revision Collections::revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

const History* Collections::Find(const std::string& collection) const {
  const auto found = by_name_.find(collection);
  return found == by_name_.end() ? nullptr : &found->second.history;
}

std::optional<Entry> Collections::Get(const StorageKey& key) const {
  const MutexLock lock(mutex_);
  const History* const history = Find(key.collection);
  const History::Version* const newest =
      history == nullptr ? nullptr : history->Newest(PlaceOf(key));
  if (newest == nullptr || newest->deleted) return std::nullopt;
  return Entry{newest->key, newest->revision, newest->object};
}

Result<Storage::Page> Collections::List(const Storage::Range& range) const {
  std::optional<Place> after;
  if (range.after) after = Place{range.after->first, range.after->second};

  const MutexLock lock(mutex_);
  const Revision at = range.at == 0 ? revision_ : range.at;
  if (at > revision_) {
    return Fail(ErrorCode::kInvalid, "revision " + std::to_string(at) +
                                         " has not been yet: now is " + std::to_string(revision_));
  }
  Storage::Page page{.at = at};
  const History* const history = Find(range.collection);
  if (history == nullptr) return page;
  if (at < history->compacted()) return NoLongerKept(range.collection, at, history->compacted());
  History::Listed listed = history->List(range.namespace_, at, after, range.limit);
  page.entries = std::move(listed.entries);
  page.more = listed.remaining > 0;
  page.remaining = listed.remaining;
  return page;
}

Woken Collections::Apply(std::span<const Change> changes, Forgotten* forgotten) {
  Woken woken;
  const MutexLock lock(mutex_);
  for (const Change& change : changes) {
    Collection& collection = At(change.key->collection);
    collection.history.Add(change.key, change.revision, change.deleted, change.object);
    if (collection.history.changes() > changes_kept_) {
      collection.history.KeepNewest(changes_kept_,
                                    forgotten == nullptr ? nullptr : &forgotten->versions);
      if (forgotten != nullptr) {
        forgotten->compacted[change.key->collection] = collection.history.compacted();
      }
    }
    if (!collection.waiting.empty()) {
      Rouse(collection, {}, change.revision, woken);
      if (!change.key->namespace_.empty()) {
        Rouse(collection, change.key->namespace_, change.revision, woken);
      }
    }
    revision_ = change.revision;
  }
  return woken;
}

void Collections::Rouse(Collection& collection, const std::string& namespace_, Revision revision,
                        Woken& woken) {
  const auto waiting = collection.waiting.find(namespace_);
  if (waiting == collection.waiting.end()) return;
  for (const auto& following : waiting->second) {
    following->waiting = false;
    // It wanted nothing of what came before, so it does not matter if that is forgotten.
    following->position = std::max(following->position, revision - 1);
    woken.push_back(following);
  }
  waiting->second.clear();
}

void Collections::Compact(const std::string& collection, Revision up_to, Forgotten* forgotten) {
  const MutexLock lock(mutex_);
  History& history = At(collection).history;
  history.Compact(std::min(up_to, revision_),
                  forgotten == nullptr ? nullptr : &forgotten->versions);
  if (forgotten != nullptr) forgotten->compacted[collection] = history.compacted();
}

void Collections::RestoreCompacted(const std::string& collection, Revision compacted) {
  const MutexLock lock(mutex_);
  At(collection).history.set_compacted(compacted);
}

void Collections::RestoreVersion(Change version) {
  const MutexLock lock(mutex_);
  At(version.key->collection)
      .history.Add(version.key, version.revision, version.deleted, std::move(version.object));
}

void Collections::RestoreRevision(Revision revision, Forgotten* forgotten) {
  const MutexLock lock(mutex_);
  revision_ = revision;
  for (auto& [name, collection] : by_name_) {
    if (collection.history.changes() <= changes_kept_) continue;
    collection.history.KeepNewest(changes_kept_, &forgotten->versions);
    forgotten->compacted[name] = collection.history.compacted();
  }
}

Result<std::shared_ptr<Following>> Collections::Follow(std::string collection,
                                                       std::string namespace_, Revision since,
                                                       std::function<void()> wake) {
  const MutexLock lock(mutex_);
  const Revision compacted = At(collection).history.compacted();
  if (since < compacted) return NoLongerKept(collection, since, compacted);
  return std::make_shared<Following>(std::move(collection), std::move(namespace_), std::move(wake),
                                     since);
}

void Collections::Unfollow(const std::shared_ptr<Following>& following) {
  const MutexLock lock(mutex_);
  auto& waiting = At(following->collection).waiting;
  const auto found = waiting.find(following->namespace_);
  if (found == waiting.end()) return;
  std::erase(found->second, following);
  if (found->second.empty()) waiting.erase(found);
}

Result<std::vector<Change>> Collections::Take(const std::shared_ptr<Following>& following,
                                              std::size_t max) {
  const MutexLock lock(mutex_);
  if (following->waiting) return std::vector<Change>();
  Collection& collection = At(following->collection);
  const Revision compacted = collection.history.compacted();
  if (following->position < compacted) {
    return NoLongerKept(following->collection, following->position, compacted);
  }
  std::vector<Change> taken =
      collection.history.ChangesAfter(following->position, following->namespace_, max);
  if (taken.size() < max) following->position = std::max(following->position, revision_);
  if (taken.empty() && max > 0) {
    following->waiting = true;
    collection.waiting[following->namespace_].push_back(following);
  }
  return taken;
}

Revision Collections::PositionOf(const Following& following) const {
  const MutexLock lock(mutex_);
  // Nothing that it follows has happened while it waits.
  return following.waiting ? std::max(following.position, revision_) : following.position;
}

}  // namespace flyball::sandbox

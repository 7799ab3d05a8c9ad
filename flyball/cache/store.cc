#include "flyball/cache/store.h"

#include <algorithm>
#include <utility>

#include "flyball/base/check.h"

namespace flyball::cache {

namespace {

std::uint32_t HashOf(const ObjectName& name) {
  const std::hash<std::string_view> of;
  const std::size_t hash = of(name.first) * 31 + of(name.second);
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

ObjectStore::ObjectStore(const ObjectAccessor& accessor) : accessor_(accessor) {
  AddIndex(std::string(kNamespaceIndex), [this](const void* object, IndexValues& values) {
    values.emplace_back(accessor_.NameOf(object).first);
  });
}

ObjectStore::~ObjectStore() = default;

void ObjectStore::AddIndex(std::string name, IndexFunction function) {
  MutexLock lock(mutex_);
  if (std::ranges::any_of(indexes_, [&](const auto& index) { return index->name == name; })) return;
  Index& index = *indexes_.emplace_back(
      std::make_unique<Index>(Index{std::move(name), std::move(function), {}}));
  for (Number number = 0; number < entries_.size(); ++number) {
    if (!entries_[number].object) continue;
    values_.clear();
    index.function(entries_[number].object.get(), values_);
    for (std::string& value : values_) Enter(number, index, std::move(value));
  }
}

ObjectStore::Number ObjectStore::Find(const ObjectName& name, std::uint32_t hash) const {
  // The analysis does not see that the table calls this at once, with the lock held.
  return by_name_.Find(hash, [&](Number number) FLYBALL_NO_THREAD_SAFETY_ANALYSIS {
    return accessor_.NameOf(entries_[number].object.get()) == name;
  });
}

ObjectStore::Number ObjectStore::TakeFree() {
  if (free_.empty()) {
    entries_.emplace_back();
    return static_cast<Number>(entries_.size() - 1);
  }
  const Number number = free_.back();
  free_.pop_back();
  return number;
}

Object ObjectStore::Put(Object object) {
  MutexLock lock(mutex_);
  const ObjectName name = accessor_.NameOf(object.get());
  const std::uint32_t hash = HashOf(name);
  Number number = Find(name, hash);
  if (number == NumberTable::kNone) {
    number = TakeFree();
    by_name_.Insert(hash, number);
  }
  Object old = std::exchange(entries_[number].object, std::move(object));
  IndexEntry(number);
  return old;
}

Object ObjectStore::Remove(std::string_view namespace_, std::string_view name) {
  MutexLock lock(mutex_);
  const std::uint32_t hash = HashOf({namespace_, name});
  const Number number = Find({namespace_, name}, hash);
  if (number == NumberTable::kNone) return nullptr;
  by_name_.Erase(hash, number);
  Entry& entry = entries_[number];
  while (!entry.slots.empty()) Leave(number, entry.slots.size() - 1);
  Object old = std::exchange(entry, {}).object;
  free_.push_back(number);
  return old;
}

/// Most changes of an object leave it under the same values, which then costs nothing but a look.
void ObjectStore::IndexEntry(Number number) {
  Entry& entry = entries_[number];
  if (entry.slots.empty()) entry.slots.reserve(indexes_.size());
  for (const auto& index : indexes_) {
    values_.clear();
    index->function(entry.object.get(), values_);
    for (std::size_t i = entry.slots.size(); i-- > 0;) {
      const auto& [value, bucket] = *entry.slots[i].bucket;
      if (bucket.index != index.get()) continue;
      const auto still = std::ranges::find(values_, value);
      if (still == values_.end()) {
        Leave(number, i);
      } else {
        values_.erase(still);
      }
    }
    for (std::string& value : values_) Enter(number, *index, std::move(value));
  }
}

void ObjectStore::Enter(Number number, Index& index, std::string value) {
  auto& found = *index.buckets.try_emplace(std::move(value), Bucket{&index}).first;
  std::vector<Number>& entries = found.second.entries;
  entries_[number].slots.push_back({&found, static_cast<std::uint32_t>(entries.size())});
  entries.push_back(number);
}

/// The last of a bucket takes the place of the one that leaves.
void ObjectStore::Leave(Number number, std::size_t slot) {
  std::vector<Slot>& slots = entries_[number].slots;
  const Slot left = slots[slot];
  slots[slot] = slots.back();
  slots.pop_back();
  Bucket& bucket = left.bucket->second;
  const Number last = bucket.entries.back();
  bucket.entries.pop_back();
  if (left.place != bucket.entries.size()) {
    bucket.entries[left.place] = last;
    const auto moved = std::ranges::find_if(entries_[last].slots, [&](const Slot& its) {
      return its.bucket == left.bucket && its.place == bucket.entries.size();
    });
    moved->place = left.place;
  }
  if (bucket.entries.empty()) {
    Buckets& buckets = bucket.index->buckets;
    buckets.erase(buckets.find(left.bucket->first));
  }
}

Object ObjectStore::Get(std::string_view namespace_, std::string_view name) const {
  const std::uint32_t hash = HashOf({namespace_, name});
  MutexLock lock(mutex_);
  const Number number = Find({namespace_, name}, hash);
  return number == NumberTable::kNone ? nullptr : entries_[number].object;
}

std::vector<Object> ObjectStore::List() const {
  MutexLock lock(mutex_);
  std::vector<Object> objects;
  objects.reserve(by_name_.size());
  for (const Entry& entry : entries_) {
    if (entry.object) objects.push_back(entry.object);
  }
  return objects;
}

std::size_t ObjectStore::size() const {
  MutexLock lock(mutex_);
  return by_name_.size();
}

std::span<const ObjectStore::Number> ObjectStore::EntriesWith(std::string_view index,
                                                              std::string_view value) const {
  const auto found =
      std::ranges::find_if(indexes_, [&](const auto& its) { return its->name == index; });
  FLYBALL_CHECK(found != indexes_.end(), "there is no index " + std::string(index));
  const auto bucket = (*found)->buckets.find(value);
  if (bucket == (*found)->buckets.end()) return {};
  return bucket->second.entries;
}

std::vector<Object> ObjectStore::ByIndex(std::string_view index, std::string_view value) const {
  MutexLock lock(mutex_);
  const auto entries = EntriesWith(index, value);
  std::vector<Object> objects;
  objects.reserve(entries.size());
  for (const Number number : entries) objects.push_back(entries_[number].object);
  return objects;
}

bool ObjectStore::AnyByIndex(std::string_view index, std::string_view value) const {
  MutexLock lock(mutex_);
  return !EntriesWith(index, value).empty();
}

}  // namespace flyball::cache

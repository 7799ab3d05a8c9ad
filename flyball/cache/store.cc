#include "flyball/cache/store.h"

#include <algorithm>

#include "flyball/base/check.h"

namespace flyball::cache {

ObjectStore::ObjectStore(const ObjectForm& form)
    : form_(form), entries_(0, EntryHash{&form}, EntryEqual{&form}) {
  AddIndex(std::string(kNamespaceIndex), [this](const void* object, IndexValues& values) {
    values.emplace_back(form_.NameOf(object).first);
  });
}

ObjectStore::~ObjectStore() = default;

std::size_t ObjectStore::EntryHash::operator()(const ObjectName& name) const {
  const std::hash<std::string_view> of;
  return of(name.first) * 31 + of(name.second);
}

std::size_t ObjectStore::EntryHash::operator()(const Entry& entry) const {
  return (*this)(form->NameOf(entry.object.get()));
}

bool ObjectStore::EntryEqual::operator()(const ObjectName& a, const Entry& b) const {
  return a == form->NameOf(b.object.get());
}

bool ObjectStore::EntryEqual::operator()(const Entry& a, const Entry& b) const {
  return (*this)(form->NameOf(a.object.get()), b);
}

void ObjectStore::AddIndex(std::string name, IndexFunction function) {
  MutexLock lock(mutex_);
  if (std::ranges::any_of(indexes_, [&](const auto& index) { return index->name == name; })) return;
  Index& index = *indexes_.emplace_back(
      std::make_unique<Index>(Index{std::move(name), std::move(function), {}}));
  for (const Entry& entry : entries_) {
    values_.clear();
    index.function(entry.object.get(), values_);
    for (std::string& value : values_) Enter(entry, index, std::move(value));
  }
}

Object ObjectStore::Put(Object object) {
  MutexLock lock(mutex_);
  auto found = entries_.find(form_.NameOf(object.get()));
  Object old;
  if (found == entries_.end()) {
    found = entries_.insert(Entry{std::move(object), {}}).first;
  } else {
    old = std::exchange(found->object, std::move(object));
  }
  IndexEntry(*found);
  return old;
}

Object ObjectStore::Remove(std::string_view namespace_, std::string_view name) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(ObjectName(namespace_, name));
  if (found == entries_.end()) return nullptr;
  while (!found->slots.empty()) Leave(*found, found->slots.size() - 1);
  Object old = found->object;  // the set finds the entry by it once more
  entries_.erase(found);
  return old;
}

/// Most changes of an object leave it under the same values, which then costs nothing but a look.
void ObjectStore::IndexEntry(const Entry& entry) {
  for (const auto& index : indexes_) {
    values_.clear();
    index->function(entry.object.get(), values_);
    for (std::size_t i = entry.slots.size(); i-- > 0;) {
      if (entry.slots[i].index != index.get()) continue;
      const auto still = std::ranges::find(values_, entry.slots[i].bucket->first);
      if (still == values_.end()) {
        Leave(entry, i);
      } else {
        values_.erase(still);
      }
    }
    for (std::string& value : values_) Enter(entry, *index, std::move(value));
  }
}

void ObjectStore::Enter(const Entry& entry, Index& index, std::string value) {
  auto& bucket = *index.buckets.try_emplace(std::move(value)).first;
  entry.slots.push_back({&index, &bucket, bucket.second.size()});
  bucket.second.push_back(&entry);
}

/// The last of a bucket takes the place of the one that leaves.
void ObjectStore::Leave(const Entry& entry, std::size_t slot) {
  const Slot left = entry.slots[slot];
  entry.slots[slot] = entry.slots.back();
  entry.slots.pop_back();
  Bucket& bucket = left.bucket->second;
  const Entry* const last = bucket.back();
  bucket.pop_back();
  if (last != &entry || left.place != bucket.size()) {
    bucket[left.place] = last;
    const auto moved = std::ranges::find_if(last->slots, [&](const Slot& its) {
      return its.bucket == left.bucket && its.place == bucket.size();
    });
    moved->place = left.place;
  }
  if (bucket.empty()) left.index->buckets.erase(left.index->buckets.find(left.bucket->first));
}

Object ObjectStore::Get(std::string_view namespace_, std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(ObjectName(namespace_, name));
  return found == entries_.end() ? nullptr : found->object;
}

std::vector<Object> ObjectStore::List() const {
  MutexLock lock(mutex_);
  std::vector<Object> objects;
  objects.reserve(entries_.size());
  for (const Entry& entry : entries_) objects.push_back(entry.object);
  return objects;
}

std::size_t ObjectStore::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

std::vector<Object> ObjectStore::ByIndex(std::string_view index, std::string_view value) const {
  MutexLock lock(mutex_);
  const auto found =
      std::ranges::find_if(indexes_, [&](const auto& its) { return its->name == index; });
  FLYBALL_CHECK(found != indexes_.end(), "there is no index " + std::string(index));
  const auto bucket = (*found)->buckets.find(value);
  std::vector<Object> objects;
  if (bucket == (*found)->buckets.end()) return objects;
  objects.reserve(bucket->second.size());
  for (const Entry* entry : bucket->second) objects.push_back(entry->object);
  return objects;
}

}  // namespace flyball::cache

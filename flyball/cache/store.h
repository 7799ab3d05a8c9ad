#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flyball/base/mutex.h"
#include "flyball/cache/number_table.h"
#include "flyball/cache/object_source.h"

namespace flyball::cache {

/// The values under which an index has an object.
using IndexValues = std::vector<std::string>;
using IndexFunction = std::function<void(const void* object, IndexValues& values)>;

/// Every store has this one.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// The objects of a collection by namespace and name, and by whatever else they are looked for:
/// an index finds them in time that goes with their number, not with that of all others.
///
/// Any thread. What it returns stays as it is when the store goes on.
class ObjectStore {
 public:
  explicit ObjectStore(const ObjectAccessor& accessor);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// At any time; objects that are here are put into it. Asking again for a name that is there is
  /// nothing: it must mean the same.
  void AddIndex(std::string name, IndexFunction function);

  /// Puts an object in the place of the one with its name, and returns that one.
  Object Put(Object object);
  /// Takes the object with this name out; nothing if there is none.
  Object Remove(std::string_view namespace_, std::string_view name);

  Object Get(std::string_view namespace_, std::string_view name) const;
  std::vector<Object> List() const;
  std::size_t size() const;

  /// Those with a value in an index, which must be there.
  std::vector<Object> ByIndex(std::string_view index, std::string_view value) const;
  bool AnyByIndex(std::string_view index, std::string_view value) const;

 private:
  /// Of an entry, as long as it is here.
  using Number = NumberTable::Number;
  struct Index;
  /// The entries with one value. They know their place in it, so that one leaves without a search.
  struct Bucket {
    Index* index;
    std::vector<Number> entries = {};
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Buckets = std::unordered_map<std::string, Bucket, TextHash, std::equal_to<>>;
  struct Index {
    std::string name;
    IndexFunction function;
    Buckets buckets;
  };
  struct Slot {
    Buckets::value_type* bucket;
    std::uint32_t place;
  };
  /// Found by the names in its object, so that they need not be kept twice.
  struct Entry {
    Object object;  // none in an entry that is free
    std::vector<Slot> slots;
  };

  Number Find(const ObjectName& name, std::uint32_t hash) const FLYBALL_REQUIRES(mutex_);
  std::span<const Number> EntriesWith(std::string_view index, std::string_view value) const
      FLYBALL_REQUIRES(mutex_);
  Number TakeFree() FLYBALL_REQUIRES(mutex_);
  void IndexEntry(Number number) FLYBALL_REQUIRES(mutex_);
  void Enter(Number number, Index& index, std::string value) FLYBALL_REQUIRES(mutex_);
  void Leave(Number number, std::size_t slot) FLYBALL_REQUIRES(mutex_);

  const ObjectAccessor& accessor_;
  mutable Mutex mutex_;
  std::deque<Entry> entries_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<Number> free_ FLYBALL_GUARDED_BY(mutex_);
  NumberTable by_name_ FLYBALL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Index>> indexes_ FLYBALL_GUARDED_BY(mutex_);
  IndexValues values_ FLYBALL_GUARDED_BY(mutex_);  // for a moment; here to keep its memory
};

}  // namespace flyball::cache

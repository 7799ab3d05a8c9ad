#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace flyball::sandbox {

/// The number of a change. Every change of a storage has one, greater than all before it.
using Revision = std::int64_t;

/// An object as it is stored, which is never changed: a change is another one. Whoever stores it
/// has a class of its own behind this, and may keep more there than the bytes.
class StoredObject {
 public:
  virtual ~StoredObject() = default;
  virtual std::string_view bytes() const = 0;
};
using StoredPtr = std::shared_ptr<const StoredObject>;

/// Where an object is.
struct StorageKey {
  std::string collection;  ///< "apps/deployments"
  std::string namespace_;  ///< empty for what has none
  std::string name;
  friend bool operator==(const StorageKey&, const StorageKey&) = default;
};

/// A key is shared by all versions of its object and all who look at them.
using KeyPtr = std::shared_ptr<const StorageKey>;

/// A key without its collection, borrowed.
struct Place {
  std::string_view namespace_;
  std::string_view name;
  friend bool operator==(const Place&, const Place&) = default;
};
inline Place PlaceOf(const StorageKey& key) { return {key.namespace_, key.name}; }

/// The order of lists: by namespace, then by name.
// PARITY: as upstream's keys stand in etcd, where '/' ends the namespace, and '-' comes before '/':
// "a-b" is listed before "a".
std::strong_ordering Compare(const Place& a, const Place& b);

/// "apps/deployments shop/web", for people.
std::string ToString(const StorageKey& key);

/// An object and the change that made it what it is.
struct Entry {
  KeyPtr key = {};
  Revision revision = 0;
  StoredPtr object = {};
};

/// One step of the history.
struct Change {
  KeyPtr key = {};
  Revision revision = 0;
  bool deleted = false;
  StoredPtr object =
      {};  ///< as it is since; where it was deleted, what Remove() was given as its last
  StoredPtr before = {};  ///< null where it was created
};

}  // namespace flyball::sandbox

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "flyball/cache/store.h"

namespace flyball::cache {

/// What a stream has brought of a collection, before it has brought all. One thread at a time.
class InitialObjects {
 public:
  explicit InitialObjects(const ObjectAccessor& accessor) : accessor_(accessor) {}

  /// One that has not been here yet.
  void Add(Object object) {
    if (changing_) {
      changing_->Put(std::move(object));
    } else {
      objects_.push_back(std::move(object));
    }
  }
  void Put(Object object) { Changing().Put(std::move(object)); }
  void Remove(const Object& object) {
    const api::ObjectIdentity identity = accessor_.IdentityOf(object.get());
    Changing().Remove(identity.namespace_, identity.name);
  }

  /// All of it. The end.
  std::vector<Object> Take() { return changing_ ? changing_->List() : std::move(objects_); }

 private:
  /// Objects are looked for only where one of them changes meanwhile, which is rare.
  ObjectStore& Changing() {
    if (!changing_) {
      changing_ = std::make_unique<ObjectStore>(accessor_);
      for (Object& object : std::exchange(objects_, {})) changing_->Put(std::move(object));
    }
    return *changing_;
  }

  const ObjectAccessor& accessor_;
  std::vector<Object> objects_;
  std::unique_ptr<ObjectStore> changing_;
};

}  // namespace flyball::cache

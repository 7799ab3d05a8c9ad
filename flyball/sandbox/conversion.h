#pragma once

#include <vector>

#include "flyball/api/object.h"
#include "flyball/api/type_info.h"

/// One storage, several versions. Some built-in kinds are stored as another one, which can hold all
/// that they say. They are converted as they come in and as they go out; what is between
/// (admission, validation, selection, storage) sees the stored kind alone.
namespace flyball::sandbox {

struct Conversion {
  const api::TypeInfo* served;
  const api::TypeInfo* stored;
  api::AnyObject (*to_stored)(const api::AnyObject& served);
  api::AnyObject (*to_served)(const api::AnyObject& stored);
};

/// `kToStored` and `kToServed` are functions from one typed value to the other.
template <typename Served, typename Stored, Stored (*kToStored)(const Served&),
          Served (*kToServed)(const Stored&)>
constexpr Conversion ConversionBetween() {
  return {&Served::kType, &Stored::kType,
          [](const api::AnyObject& served) {
            api::AnyObject stored(Stored::kType);
            *static_cast<Stored*>(stored.get()) = kToStored(*served.As<Served>());
            return stored;
          },
          [](const api::AnyObject& stored) {
            api::AnyObject served(Served::kType);
            *static_cast<Served*>(served.get()) = kToServed(*stored.As<Stored>());
            return served;
          }};
}

/// What a kind is stored as: most are stored as what they are.
const api::TypeInfo& StoredTypeOf(const api::TypeInfo& served);
/// Whether they share a storage.
bool AreVersions(const api::TypeInfo& a, const api::TypeInfo& b);
/// The versions of a kind in its group, itself among them.
std::vector<const api::TypeInfo*> VersionsInGroup(const api::TypeInfo& type);

/// The object as one of the kinds that share a storage with its own.
api::AnyObject Convert(api::AnyObject object, const api::TypeInfo& to);

}  // namespace flyball::sandbox

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/api/meta/v1.h"
#include "flyball/api/object_key.h"
#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/base/mutex.h"
#include "flyball/client/resource.h"

/// Names that we make up in the API server's place, so that a create can be repeated, and asked
/// about, where its answer was lost.
namespace flyball::runtime {

/// A name that was made up for an object to be created.
struct MadeName {
  client::Resource resource;
  api::ObjectKey object = {};
  std::string generate_name = {};
  /// While it is in doubt whether there is such an object: when there can no longer come to be one.
  SteadyTime until = SteadyTime::min();
};

/// The names in doubt of a queue's keys. Those of a key that is never reconciled again are dropped
/// some time after they are settled. Any thread.
class NamesInDoubt {
 public:
  /// With so many keys, those that are settled are dropped for the first time.
  static constexpr std::size_t kFirstPrune = 64;

  std::vector<MadeName> Take(const std::string& key);
  void Keep(const std::string& key, std::vector<MadeName> names, SteadyTime now);
  std::size_t keys() const;

 private:
  mutable Mutex mutex_;
  std::size_t prune_at_ FLYBALL_GUARDED_BY(mutex_) = kFirstPrune;
  std::map<std::string, std::vector<MadeName>> names_ FLYBALL_GUARDED_BY(mutex_);
};

/// The generateName of an object that has no name; empty if it has one, or neither.
template <typename T>
std::string GenerateNameOf(const T& object) {
  return object.metadata.name.empty() ? object.metadata.generateName : std::string();
}
std::string GenerateNameOf(const api::Json& object);

template <typename T>
T WithName(T object, const std::string& name) {
  object.metadata.name = name;
  return object;
}
api::Json WithName(api::Json object, const std::string& name);

/// The uid of the owner that controls an object; empty if none does.
std::string ControllerUidOf(const meta::v1::ObjectMeta& metadata);
template <typename T>
std::string ControllerUidOf(const T& object) {
  return ControllerUidOf(object.metadata);
}
std::string ControllerUidOf(const api::Json& object);

/// A refusal in which a name of ours is written as the generateName that it was made of, as where
/// the server makes up the name: with another name at each try, events and conditions would never
/// be the same twice.
Error WithGenerateName(const Error& error, std::string_view name, std::string_view generate_name);

}  // namespace flyball::runtime

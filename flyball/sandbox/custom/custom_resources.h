#pragma once

#include <map>
#include <string>
#include <vector>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/base/mutex.h"
#include "flyball/sandbox/objects.h"
#include "flyball/sandbox/resources.h"

namespace flyball::sandbox {

/// What a CRD has served: its resource in every version that is.
std::vector<ResourcePtr> ResourcesOf(const apiextensions::v1::CustomResourceDefinition& crd);

/// The kind of a custom object in storage whose CRD has not been read yet, told by the object.
Result<std::shared_ptr<const Kind>> CustomKindOf(std::string_view stored);

/// Keeps the table of resources to what the CRDs in storage say, and sees to it that objects go
/// with their CRD, and the CRD when they are gone. Any thread.
class CustomResources {
 public:
  CustomResources(Resources& resources, Objects& objects)
      : resources_(resources), objects_(objects) {}

  /// What is in storage from before.
  void Load();
  /// To be told of every change in storage. Says whether what is served may be different now.
  bool OnChange(const StorageKey& key, const Outcome& outcome);

 private:
  /// Serves what the CRD says now. Says whether it was not served before.
  bool Sync(const std::string& name);
  /// Names have become free: somebody may have waited for them.
  void OfferNames();
  void DeleteObjects(const std::string& collection);
  /// Lets the CRD go if it is to go and nothing is left.
  void FinishDeletion(const std::string& name, const std::string& collection);

  Resources& resources_;
  Objects& objects_;

  Mutex mutex_;
  std::map<std::string, std::vector<ResourcePtr>> served_ FLYBALL_GUARDED_BY(mutex_);  // by CRD
};

}  // namespace flyball::sandbox

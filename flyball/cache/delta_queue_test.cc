#include "flyball/cache/delta_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/cache/object_accessor.h"

namespace flyball::cache {
namespace {

using core::v1::ConfigMap;

Object Make(const std::string& name, const std::string& version) {
  auto map = std::make_shared<ConfigMap>();
  map->metadata.name = name;
  map->metadata.resourceVersion = version;
  return map;
}

const ConfigMap& As(const Object& object) { return *static_cast<const ConfigMap*>(object.get()); }

/// Someone who knows objects by what they have been told of them.
class Reader {
 public:
  void Read(const Delta& delta) {
    if (delta.kind == Delta::Kind::kAdded) {
      EXPECT_FALSE(known_.contains(As(delta.now).metadata.name));
    } else {
      // What changed or went is what was told of last.
      const auto found = known_.find(As(delta.old).metadata.name);
      ASSERT_NE(found, known_.end());
      EXPECT_EQ(found->second, As(delta.old).metadata.resourceVersion);
      if (delta.kind == Delta::Kind::kDeleted) {
        known_.erase(found);
        return;
      }
    }
    known_[As(delta.now).metadata.name] = As(delta.now).metadata.resourceVersion;
  }
  const std::map<std::string, std::string>& known() const { return known_; }

 private:
  std::map<std::string, std::string> known_;
};

TEST(DeltaQueue, WhatIsReadLeadsToWhatIsThereHoweverFarBehindTheReaderIs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    DeltaQueue queue(AccessorFor<ConfigMap>::Get());
    std::map<std::string, Object> objects;
    Reader reader;
    for (int i = 0; i < 20'000; ++i) {
      const std::string name = std::to_string(random() % 200);
      const auto found = objects.find(name);
      if (found == objects.end()) {
        const Object now = objects[name] = Make(name, std::to_string(i));
        queue.Push({.kind = Delta::Kind::kAdded, .now = now});
      } else if (random() % 3 == 0) {
        queue.Push({.kind = Delta::Kind::kDeleted, .old = found->second});
        objects.erase(found);
      } else {
        const Object old = std::exchange(found->second, Make(name, std::to_string(i)));
        queue.Push({.kind = Delta::Kind::kUpdated, .old = old, .now = found->second});
      }
      if (random() % 10 == 0) reader.Read(*queue.Pop());
      ASSERT_LE(queue.size(), 1025);  // 200 objects: two changes of each at most, once folded
    }
    while (const auto delta = queue.Pop()) reader.Read(*delta);
    std::map<std::string, std::string> wanted;
    for (const auto& [name, object] : objects) wanted[name] = As(object).metadata.resourceVersion;
    EXPECT_EQ(reader.known(), wanted);
  }
}

TEST(DeltaQueue, TheEndOfTheBeginningKeepsItsPlace) {
  DeltaQueue queue(AccessorFor<ConfigMap>::Get());
  queue.Push({.kind = Delta::Kind::kAdded, .now = Make("a", "1"), .initial = true});
  queue.Push({.kind = Delta::Kind::kInitialEnd});
  Object last = Make("b", "0");
  queue.Push({.kind = Delta::Kind::kAdded, .now = last});
  for (int i = 1; i < 5000; ++i) {
    const Object now = Make("b", std::to_string(i));
    queue.Push({.kind = Delta::Kind::kUpdated, .old = last, .now = now});
    last = now;
  }
  EXPECT_TRUE(queue.Pop()->initial);
  EXPECT_EQ(queue.Pop()->kind, Delta::Kind::kInitialEnd);
  const auto folded = queue.Pop();
  EXPECT_EQ(folded->kind, Delta::Kind::kAdded);
  EXPECT_FALSE(folded->initial);
}

}  // namespace
}  // namespace flyball::cache

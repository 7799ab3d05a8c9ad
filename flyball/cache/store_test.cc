#include "flyball/cache/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "flyball/api/core/v1.h"
#include "flyball/cache/object_accessor.h"

namespace flyball::cache {
namespace {

using core::v1::ConfigMap;

Object Make(const std::string& namespace_, const std::string& name,
            const std::vector<std::string>& colours) {
  auto map = std::make_shared<ConfigMap>();
  map->metadata.namespace_ = namespace_;
  map->metadata.name = name;
  for (const std::string& colour : colours) map->data[colour] = "";
  return map;
}

void Colours(const void* object, IndexValues& values) {
  for (const auto& [colour, nothing] : static_cast<const ConfigMap*>(object)->data) {
    values.push_back(colour);
  }
}

std::multiset<std::string> Names(const std::vector<Object>& objects) {
  std::multiset<std::string> names;
  for (const Object& object : objects) {
    const auto& metadata = static_cast<const ConfigMap*>(object.get())->metadata;
    names.insert(metadata.namespace_ + "/" + metadata.name);
  }
  return names;
}

TEST(ObjectStore, FindsByNameAndReturnsWhatWasThere) {
  ObjectStore store(AccessorFor<ConfigMap>::Get());
  const Object first = Make("ns", "a", {});
  const Object second = Make("ns", "a", {"red"});
  EXPECT_EQ(store.Put(first), nullptr);
  EXPECT_EQ(store.Put(second), first);
  EXPECT_EQ(store.Get("ns", "a"), second);
  EXPECT_EQ(store.Get("other", "a"), nullptr);
  EXPECT_EQ(store.Remove("ns", "a"), second);
  EXPECT_EQ(store.Remove("ns", "a"), nullptr);
  EXPECT_EQ(store.size(), 0);
}

TEST(ObjectStore, AnIndexThatComesLateHasWhatWasThere) {
  ObjectStore store(AccessorFor<ConfigMap>::Get());
  store.Put(Make("ns", "a", {"red", "blue"}));
  store.AddIndex("colour", Colours);
  EXPECT_EQ(Names(store.ByIndex("colour", "blue")), (std::multiset<std::string>{"ns/a"}));
  EXPECT_EQ(Names(store.ByIndex("colour", "green")), (std::multiset<std::string>{}));
  EXPECT_TRUE(store.AnyByIndex("colour", "blue"));
  EXPECT_FALSE(store.AnyByIndex("colour", "green"));
}

/// Against a model that looks at every object.
TEST(ObjectStore, FindsWhatALookAtEveryObjectFinds) {
  ObjectStore store(AccessorFor<ConfigMap>::Get());
  store.AddIndex("colour", Colours);
  std::map<std::pair<std::string, std::string>, Object> model;
  std::mt19937 random(7);
  const std::vector<std::string> colours = {"red", "green", "blue", "red"};
  const auto pick = [&](const auto& from) { return from[random() % from.size()]; };
  for (int i = 0; i < 50'000; ++i) {
    const std::string namespace_ = "ns-" + std::to_string(random() % 3);
    const std::string name = std::to_string(random() % 40);
    if (random() % 3 == 0) {
      EXPECT_EQ(store.Remove(namespace_, name) != nullptr, model.erase({namespace_, name}) == 1);
    } else {
      std::vector<std::string> values(random() % 3);
      std::ranges::generate(values, [&] { return pick(colours); });
      const Object object = Make(namespace_, name, values);
      EXPECT_EQ(store.Put(object) != nullptr, model.contains({namespace_, name}));
      model[{namespace_, name}] = object;
    }
    if (i % 100 != 0) continue;
    ASSERT_EQ(store.size(), model.size());
    for (const std::string& colour : colours) {
      std::multiset<std::string> wanted;
      for (const auto& [key, object] : model) {
        if (static_cast<const ConfigMap*>(object.get())->data.contains(colour)) {
          wanted.insert(key.first + "/" + key.second);
        }
      }
      ASSERT_EQ(Names(store.ByIndex("colour", colour)), wanted);
      ASSERT_EQ(store.AnyByIndex("colour", colour), !wanted.empty());
    }
    std::multiset<std::string> in_namespace;
    for (const auto& [key, object] : model) {
      if (key.first == "ns-1") in_namespace.insert("ns-1/" + key.second);
    }
    ASSERT_EQ(Names(store.ByIndex(kNamespaceIndex, "ns-1")), in_namespace);
  }
}

}  // namespace
}  // namespace flyball::cache

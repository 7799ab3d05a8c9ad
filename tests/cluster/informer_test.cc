// Caches against a real API server: while several clients change things, connections break, the
// server restarts and etcd forgets, each form of a cache ends with what the server has.

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <type_traits>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/internal/view_oracle.h"
#include "flyball/api/views.h"
#include "flyball/base/sanitizers.h"
#include "flyball/cache/reader_source.h"
#include "flyball/client/unreadable.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/change_storm.h"
#include "tests/cluster/cluster_test.h"
#include "tests/cluster/observer.h"
#include "tests/cluster/replay.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
using api::Json;
using api::ObjectKey;
using cache::Informer;
using cache::InformerCore;
using client::Resource;
using core::v1::ConfigMap;
using core::v1::Pod;
using meta::v1::PartialObjectMetadata;
using testing::IsEmpty;

template <typename T>
ObjectKey KeyOf(const T& object) {
  const api::ObjectIdentity identity = api::IdentityOf(object);
  return {std::string(identity.namespace_), std::string(identity.name)};
}

/// As far as caches keep them.
template <typename T>
std::map<ObjectKey, T> ByKey(std::vector<T> objects) {
  std::map<ObjectKey, T> by_key;
  for (T& object : objects) {
    if constexpr (!std::is_same_v<T, Json>) object.metadata.managedFields.clear();
    by_key.emplace(KeyOf(object), std::move(object));
  }
  return by_key;
}

/// How a cached object differs from the one on the server, if it does.
template <typename T>
std::string Difference(const T& cached, const T& fresh) {
  return cached == fresh ? "" : "not as it is on the server";
}
std::string Difference(const views::Pod& cached, const Pod& fresh) {
  return api::CompareWithFull(&cached, views::Pod::kView, &fresh, Pod::kType);
}

/// Object by object.
template <typename T, typename Fresh>
std::vector<std::string> Differences(const std::vector<cache::Ref<T>>& held,
                                     const std::map<ObjectKey, Fresh>& fresh) {
  std::vector<std::string> found;
  std::size_t known = 0;
  for (const auto& object : held) {
    const ObjectKey key = KeyOf(*object);
    const auto there = fresh.find(key);
    if (there == fresh.end()) {
      found.push_back(key.name + " is gone from the server");
      continue;
    }
    ++known;
    if (std::string how = Difference(*object, there->second); !how.empty()) {
      found.push_back(key.name + ": " + how);
    }
  }
  if (known < fresh.size()) {
    found.push_back(std::to_string(fresh.size() - known) + " that the server has are not there");
  }
  return found;
}

template <typename List>
auto Items(Result<List> list) {
  EXPECT_TRUE(list.has_value()) << list.error().Describe();
  return list ? std::move(list->items) : decltype(list->items)();
}

class InformerTest : public ClusterTest {
 protected:
  /// Watches of config maps come from etcd itself, not from the API server's memory of it: a
  /// compaction ends them.
  inline static const bool kUncached = AddApiServerFlag("--watch-cache-sizes=configmaps#0");

  /// Who was cut off often waits up to a minute before it asks again, and may have to ask twice.
  static constexpr auto kPatience = 240s;

  /// Waits until there are none.
  static std::vector<std::string> Settle(
      const std::function<std::vector<std::string>()>& differences) {
    const SteadyTime deadline = clock().SteadyNow() + kPatience;
    for (;;) {
      auto found = differences();
      if (found.empty() || clock().SteadyNow() > deadline) return found;
      clock().SleepFor(100ms);
    }
  }
  static bool Eventually(const std::function<bool()>& so) {
    return Settle([&] { return std::vector<std::string>(so() ? 0 : 1); }).empty();
  }

  /// One that a factory would not make: in pages, and small ones.
  template <typename T>
  static Informer<T> InPages(Observer& observer, client::ResourceReader<T> reader) {
    InformerCore::Options options;
    options.reflector.name = reader.resource().plural;
    options.reflector.page_size = 20;
    options.reflector.watch_list = false;
    auto core = std::make_shared<InformerCore>(
        std::make_unique<cache::ReaderSource<T>>(std::move(reader), ""), observer.reflector_deps(),
        options);
    core->Start();
    return Informer<T>(std::move(core));
  }

  Connection admin_{plane(), clock(), network()};
  const Resource maps_ = Resource::Of<ConfigMap>();
  const Resource pods_ = Resource::Of<Pod>();
};

/// A cache, and two who follow it: one who does nothing else, and one who is stuck.
template <typename T>
class Followed {
 public:
  Followed(std::string name, Informer<T> informer, Clock& clock)
      : name_(std::move(name)),
        informer_(std::move(informer)),
        clock_(clock),
        first_(informer_.AddHandler("first", replay_.Handler())),
        stuck_(informer_.AddHandler("stuck", Stuck(late_.Handler()))) {}
  ~Followed() { Release(); }

  template <typename Fresh>
  std::vector<std::string> Differences(const std::map<ObjectKey, Fresh>& fresh) const {
    auto found = cluster::Differences(informer_.lister().List(), fresh);
    for (auto& wrong : replay_.Differences(informer_.lister())) found.push_back(std::move(wrong));
    for (auto& difference : found) difference = name_ + ": " + difference;
    return found;
  }

  /// How much is kept for the one who is stuck.
  std::size_t behind() const { return stuck_->behind(); }
  void Release() { released_ = true; }
  std::vector<std::string> LateDifferences() const { return late_.Differences(informer_.lister()); }

 private:
  cache::EventHandler<T> Stuck(cache::EventHandler<T> handler) {
    auto added = handler.added;
    handler.added = [this, added](const cache::Ref<T>& now, bool initial) {
      while (!released_) clock_.SleepFor(10ms);
      added(now, initial);
    };
    return handler;
  }

  const std::string name_;
  const Informer<T> informer_;
  Clock& clock_;
  std::atomic<bool> released_ = false;
  Replay<T> replay_;
  Replay<T> late_;
  const std::unique_ptr<cache::Registration> first_;
  const std::unique_ptr<cache::Registration> stuck_;
};

/// Every form, each way of reading.
struct AllForms {
  AllForms(std::array<std::unique_ptr<Observer>, 3>& observers, Clock& clock, const Resource& maps,
           const Resource& pods, auto in_pages)
      : typed_maps("typed config maps", observers[0]->informers().Of<ConfigMap>(), clock),
        typed_pods("typed pods", observers[0]->informers().Of<Pod>(), clock),
        viewed_pods("pod views", observers[1]->informers().Of<views::Pod>(), clock),
        dynamic_maps("dynamic config maps", observers[1]->informers().Dynamic(maps), clock),
        dynamic_pods("dynamic pods", observers[1]->informers().Dynamic(pods), clock),
        paged_maps("config maps in pages",
                   in_pages(*observers[2], observers[2]->client().Reader<ConfigMap>()), clock),
        paged_pods("pod views in pages",
                   in_pages(*observers[2], observers[2]->client().Reader<views::Pod>()), clock),
        paged_json("dynamic config maps in pages",
                   in_pages(*observers[2], observers[2]->client().DynamicReader(maps)), clock),
        paged_metadata("metadata in pages",
                       in_pages(*observers[2], observers[2]->client().MetadataReader(pods)), clock),
        metadata(observers[2]->informers().Metadata(maps)) {}

  void ForEach(auto each) {
    each(typed_maps);
    each(typed_pods);
    each(viewed_pods);
    each(dynamic_maps);
    each(dynamic_pods);
    each(paged_maps);
    each(paged_pods);
    each(paged_json);
    each(paged_metadata);
  }

  /// From what the server has now.
  std::vector<std::string> Differences(const client::Client& client, const Resource& maps,
                                       const Resource& pods) const {
    std::vector<std::string> all;
    const auto add = [&](std::vector<std::string> found) {
      for (auto& one : found) all.push_back(std::move(one));
    };
    const auto fresh_maps = ByKey(Items(client.Of<ConfigMap>().ListIn("")));
    add(typed_maps.Differences(fresh_maps));
    add(paged_maps.Differences(fresh_maps));
    const auto fresh_pods = ByKey(Items(client.Of<Pod>().ListIn("")));
    add(typed_pods.Differences(fresh_pods));
    add(viewed_pods.Differences(fresh_pods));
    add(paged_pods.Differences(fresh_pods));
    const auto fresh_json = ByKey(Items(client.Dynamic(maps).ListIn("")));
    add(dynamic_maps.Differences(fresh_json));
    add(paged_json.Differences(fresh_json));
    add(dynamic_pods.Differences(ByKey(Items(client.Dynamic(pods).ListIn("")))));
    add(paged_metadata.Differences(ByKey(Items(client.Metadata(pods).ListIn("")))));
    const auto fresh_metadata = ByKey(Items(client.Metadata(maps).ListIn("")));
    std::vector<cache::Ref<PartialObjectMetadata>> held;
    for (const auto& object : metadata.core()->store().List()) {
      held.push_back(metadata.core()->accessor().MetadataOf(object));
    }
    add(cluster::Differences(held, fresh_metadata));
    return all;
  }

  Followed<ConfigMap> typed_maps;
  Followed<Pod> typed_pods;
  Followed<views::Pod> viewed_pods;
  Followed<Json> dynamic_maps;
  Followed<Json> dynamic_pods;
  Followed<ConfigMap> paged_maps;
  Followed<views::Pod> paged_pods;
  Followed<Json> paged_json;
  Followed<PartialObjectMetadata> paged_metadata;
  cache::MetadataInformer metadata;
};

int ChangesWanted() {
  const char* const wanted = std::getenv("FLYBALL_INFORMER_CHANGES");
  return wanted == nullptr ? 2000 : std::atoi(wanted);
}

TEST_F(InformerTest, EveryFormHoldsWhatTheServerHasWhateverHappens) {
  std::array<std::unique_ptr<Observer>, 3> observers;
  for (auto& observer : observers) {
    observer = std::make_unique<Observer>(plane(), executor(), network());
  }
  AllForms forms(observers, clock(), maps_, pods_, [&](Observer& observer, auto reader) {
    return InPages(observer, std::move(reader));
  });
  for (auto& observer : observers) observer->informers().Start();

  const int changes = ChangesWanted();
  ChangeStorm storm(plane(), executor(), network(),
                    {.namespaces = {NewNamespace(), NewNamespace(), NewNamespace()}});
  std::mt19937 random(7);
  const auto cut_during = [&](int some) {
    storm.Allow(some);
    while (!storm.AtRest()) {
      const std::chrono::milliseconds span(20 + random() % 300);
      clock().SleepFor(span);  // lint: allow sleep: when it is cut is drawn
      observers[random() % observers.size()]->proxy().Cut();
    }
    for (auto& observer : observers) observer->proxy().Cut();  // none is left out by chance
  };
  const auto settle = [&] {
    EXPECT_THAT(Settle([&] { return forms.Differences(admin_.client(), maps_, pods_); }), IsEmpty())
        << observers[0]->log() << "\n"
        << observers[1]->log() << "\n"
        << observers[2]->log();
  };
  const auto miss = [&](int some) {
    settle();  // who has not caught up yet would read all again, and not notice what it missed
    for (auto& observer : observers) observer->proxy().Shut();
    storm.Allow(some);
    storm.WaitForRest();
  };
  // They are back when they have noticed what they missed.
  const auto meet_again = [&] {
    for (auto& observer : observers) {
      const int before = observer->TimesTooFarBehind();
      observer->proxy().Open();
      EXPECT_TRUE(Eventually([&] { return observer->TimesTooFarBehind() > before; }))
          << observer->log();
    }
  };

  cut_during(changes / 4);
  miss(changes / 20);
  const auto compacted = plane().ForgetHistory();
  EXPECT_TRUE(compacted.has_value()) << compacted.error().Describe();
  meet_again();
  cut_during(changes / 4);
  miss(changes / 20);
  // The new one's memory begins after what they have seen. Some write while it is away.
  storm.Allow(changes / 5);
  EXPECT_TRUE(plane().StopApiServer());
  const auto started = plane().StartApiServer();
  ASSERT_TRUE(started.has_value()) << started.error().Describe();
  meet_again();
  cut_during(changes / 5);

  settle();
  for (const auto& observer : observers) {
    EXPECT_GT(observer->proxy().tunnels(), 3);
  }
  // The stuck ones hold no more than what is there, and what was there when they last looked.
  forms.ForEach([](const auto& form) { EXPECT_LT(form.behind(), 2'500); });
  forms.ForEach([](auto& form) { form.Release(); });
  forms.ForEach([](const auto& form) {
    EXPECT_THAT(Settle([&] { return form.LateDifferences(); }), IsEmpty());
  });
}

ConfigMap NamedMap(const std::string& space, const std::string& name) {
  ConfigMap map;
  map.metadata.namespace_ = space;
  map.metadata.name = name;
  return map;
}

TEST_F(InformerTest, ASelectorChoosesWhatIsHeld) {
  const std::string space = NewNamespace();
  const auto maps = admin_.client().Of<ConfigMap>();
  ConfigMap labelled = NamedMap(space, "labelled");
  labelled.metadata.labels["app"] = "web";
  for (const ConfigMap& map : {NamedMap(space, "kube-root-ca.crt"), labelled}) {
    ASSERT_TRUE(maps.Create(map).has_value());
  }
  Observer observer(plane(), executor(), network());
  const auto by_name = observer.informers().Of<ConfigMap>(
      {.namespace_ = space, .field_selector = "metadata.name=kube-root-ca.crt"});
  const auto by_label =
      observer.informers().Of<ConfigMap>({.namespace_ = space, .label_selector = "app=web"});
  observer.informers().Start();
  ASSERT_TRUE(observer.informers().WaitForSync({}));
  const auto names = [](const Informer<ConfigMap>& informer) {
    std::vector<std::string> held;
    for (const auto& map : informer.lister().List()) held.push_back(map->metadata.name);
    return held;
  };
  EXPECT_THAT(names(by_name), testing::ElementsAre("kube-root-ca.crt"));
  EXPECT_THAT(names(by_label), testing::ElementsAre("labelled"));

  // What a selector no longer matches is gone, for those who look through it.
  labelled.metadata.labels["app"] = "db";
  ASSERT_TRUE(maps.Update(labelled).has_value());
  EXPECT_TRUE(Eventually([&] { return by_label.lister().size() == 0; }));
}

TEST_F(InformerTest, WithNamesAloneItStillTellsOfWhatDisappeared) {
  const std::string space = NewNamespace();
  const auto maps = admin_.client().Of<ConfigMap>();
  for (const char* name : {"stays", "goes"}) {
    ASSERT_TRUE(maps.Create(NamedMap(space, name)).has_value());
  }
  Observer observer(plane(), executor(), network());
  const auto informer =
      observer.informers().Of<ConfigMap>({.namespace_ = space, .keep = cache::Keep::kNames});
  Mutex mutex;
  std::vector<std::string> told;
  const auto tell = [&](const std::string& what, const cache::Ref<ConfigMap>& map) {
    MutexLock lock(mutex);
    told.push_back(what + " " + map->metadata.name);
  };
  const auto watching = informer.AddHandler(
      "test", {.added = [&](const auto& now, bool) { tell("added", now); },
               .updated = [&](const auto&, const auto& now) { tell("updated", now); },
               .deleted =
                   [&](const auto& last, bool final_state_unknown) {
                     tell(final_state_unknown ? "assumed deleted" : "deleted", last);
                   }});
  observer.informers().Start();
  ASSERT_TRUE(observer.informers().WaitForSync({}));

  observer.proxy().Shut();
  ASSERT_TRUE(maps.Delete({space, "goes"}).has_value());
  ASSERT_TRUE(maps.Create(NamedMap(space, "comes")).has_value());
  ASSERT_TRUE(plane().ForgetHistory().has_value());
  observer.proxy().Open();
  EXPECT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return told.size() == 4;
  }));
  ASSERT_TRUE(maps.Delete({space, "stays"}).has_value());
  EXPECT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return told.size() == 5;
  }));
  MutexLock lock(mutex);
  EXPECT_THAT(told, testing::UnorderedElementsAre("added stays", "added goes", "added comes",
                                                  "assumed deleted goes", "deleted stays"));
}

TEST_F(InformerTest, MetadataComesFromWhatIsReadAnyway) {
  const std::string space = NewNamespace();
  ConfigMap map = NamedMap(space, "web");
  map.metadata.labels["app"] = "web";
  map.metadata.finalizers = {"example.com/one"};
  auto created = admin_.client().Of<ConfigMap>().Create(map);
  ASSERT_TRUE(created.has_value()) << created.error().Describe();
  created->metadata.managedFields.clear();  // which caches do not keep
  Observer observer(plane(), executor(), network());
  const auto maps = observer.informers().Of<ConfigMap>({.namespace_ = space});
  const auto metadata = observer.informers().Metadata(maps_, {.namespace_ = space});
  std::atomic<int> told = 0;
  const auto watching = metadata.AddHandler("test", {.added = [&](const auto& now, bool) {
                                              EXPECT_EQ(now->metadata, created->metadata);
                                              ++told;
                                            }});
  observer.informers().Start();
  ASSERT_TRUE(observer.informers().WaitForSync({}));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(metadata.Get({space, "web"})->metadata, created->metadata);
  EXPECT_EQ(metadata.Get({space, "absent"}), nullptr);
  EXPECT_EQ(observer.requests().Asked({"watch=true"}), 1);
}

/// The definition of a kind whose objects may hold anything.
apiextensions::v1::CustomResourceDefinition AnythingCalled(const std::string& plural,
                                                           const std::string& kind) {
  apiextensions::v1::CustomResourceDefinition definition;
  definition.metadata.name = plural + ".example.com";
  definition.spec.group = "example.com";
  definition.spec.scope = "Namespaced";
  definition.spec.names.plural = plural;
  definition.spec.names.kind = kind;
  auto& version = definition.spec.versions.emplace_back();
  version.name = "v1";
  version.served = true;
  version.storage = true;
  auto& schema = version.schema.emplace().openAPIV3Schema.emplace();
  schema.type = "object";
  schema.xKubernetesPreserveUnknownFields = true;
  return definition;
}

TEST_F(InformerTest, AKindMayAppearAndVanish) {
  const std::string space = NewNamespace();
  const Resource gadgets{"example.com", "v1", "gadgets", "Gadget", true};
  Observer observer(plane(), executor(), network());
  const auto dynamic = observer.informers().Dynamic(gadgets);
  const auto metadata = observer.informers().Metadata(gadgets);
  EXPECT_EQ(metadata.core(), dynamic.core());
  observer.informers().Start();
  EXPECT_TRUE(Eventually([&] { return dynamic.state().problem.has_value(); }));
  EXPECT_EQ(dynamic.state().problem->code(), ErrorCode::kNotServed);
  EXPECT_FALSE(dynamic.HasSynced());

  const auto definitions = admin_.client().Of<apiextensions::v1::CustomResourceDefinition>();
  const auto defined = definitions.Create(AnythingCalled("gadgets", "Gadget"));
  ASSERT_TRUE(defined.has_value()) << defined.error().Describe();
  EXPECT_TRUE(Eventually([&] { return dynamic.HasSynced(); }));
  EXPECT_EQ(dynamic.state().problem, std::nullopt);
  const auto gadget = Json::Parse(
      R"({"apiVersion":"example.com/v1","kind":"Gadget","size":3,"metadata":{"name":"g","namespace":")" +
      space + "\"}}");
  const auto created = admin_.client().Dynamic(gadgets).Create(*gadget);
  ASSERT_TRUE(created.has_value()) << created.error().Describe();
  EXPECT_TRUE(Eventually([&] { return dynamic.lister().Get({space, "g"}) != nullptr; }));
  EXPECT_EQ(*dynamic.lister().Get({space, "g"}), *created);
  EXPECT_EQ(metadata.Get({space, "g"})->metadata.name, "g");

  ASSERT_TRUE(definitions.Delete({"", "gadgets.example.com"}).has_value());
  EXPECT_TRUE(Eventually([&] { return dynamic.lister().size() == 0; }));
  EXPECT_TRUE(Eventually([&] {
    const auto problem = dynamic.state().problem;
    return problem && problem->code() == ErrorCode::kNotServed;
  }));

  // Who is told that it is gone for good need not go on asking.
  observer.informers().Forget(gadgets);
  EXPECT_THAT(observer.informers().Statuses(), IsEmpty());
  ASSERT_TRUE(definitions.Create(AnythingCalled("gadgets", "Gadget")).has_value());
  const auto again = observer.informers().Dynamic(gadgets);
  EXPECT_NE(again.core(), dynamic.core());
  EXPECT_TRUE(Eventually([&] { return again.HasSynced(); }));
}

// kube-apiserver takes what nests up to 10,000 levels.
TEST_F(InformerTest, ObjectThatNestsTooDeepToBeDecodedDoesNotStopItsKind) {
  if (!IsReal()) GTEST_SKIP() << "the embedded server refuses such an object";
  const std::string space = NewNamespace();
  const Resource shells{"example.com", "v1", "shells", "Shell", true};
  const auto definitions = admin_.client().Of<apiextensions::v1::CustomResourceDefinition>();
  ASSERT_TRUE(definitions.Create(AnythingCalled("shells", "Shell")).has_value());
  Observer first(plane(), executor(), network());
  const auto watched = first.informers().Dynamic(shells);
  first.informers().Start();
  ASSERT_TRUE(Eventually([&] { return watched.HasSynced(); }));

  const auto create = [&](const std::string& name, int depth) {
    const auto created = admin_.client().rest().Do(
        {.method = "POST",
         .path = "/apis/example.com/v1/namespaces/" + space + "/shells",
         .body = R"({"apiVersion":"example.com/v1","kind":"Shell","metadata":{"name":")" + name +
                 R"("},"spec":)" + std::string(depth, '[') + std::string(depth, ']') + "}",
         .content_type = "application/json",
         .asked = "create " + name});
    EXPECT_TRUE(created.has_value()) << created.error().Describe();
  };
  create("deep", 150);
  create("flat", 1);
  EXPECT_TRUE(Eventually([&] { return watched.lister().Get({space, "flat"}) != nullptr; }));
  const auto deep = watched.lister().Get({space, "deep"});
  ASSERT_NE(deep, nullptr);
  EXPECT_FALSE(client::IsReadable(deep));

  // The same in the stream that a cache begins with.
  Observer second(plane(), executor(), network());
  const auto listed = second.informers().Dynamic(shells);
  second.informers().Start();
  EXPECT_TRUE(Eventually([&] { return listed.HasSynced(); }));
  EXPECT_EQ(listed.lister().size(), 2u);
  EXPECT_TRUE(client::IsReadable(listed.lister().Get({space, "flat"})));
  ASSERT_TRUE(admin_.client().Dynamic(shells).Delete({space, "deep"}).has_value());
  EXPECT_TRUE(Eventually([&] { return listed.lister().size() == 1; }));
  EXPECT_TRUE(Eventually([&] { return watched.lister().size() == 1; }));
  ASSERT_TRUE(definitions.Delete({"", "shells.example.com"}).has_value());
}

long ResidentKb() {
  std::ifstream file("/proc/self/statm");
  long size = 0;
  long pages = 0;
  file >> size >> pages;
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

std::ptrdiff_t Threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_F(InformerTest, StartingAndStoppingLeavesNothingBehind) {
  const std::string space = NewNamespace();
  for (int i = 0; i < 100; ++i) {
    ConfigMap map = NamedMap(space, "n" + std::to_string(i));
    map.data["text"] = std::string(8'000, 'x');
    ASSERT_TRUE(admin_.client().Of<ConfigMap>().Create(map).has_value());
  }
  Observer observer(plane(), executor(), network());
  const auto rounds = [&](int n) {
    for (int i = 0; i < n; ++i) {
      const auto maps = observer.informers().Of<ConfigMap>({.namespace_ = space});
      std::atomic<int> told = 0;
      const auto watching = maps.AddHandler("test", {.added = [&](const auto&, bool) { ++told; }});
      observer.informers().Start();
      ASSERT_TRUE(observer.informers().WaitForSync({}));
      EXPECT_EQ(told, 100);
      observer.informers().Forget(maps_);  // what is read of it ends, and none asks again
    }
  };
  rounds(10);
  const long memory = ResidentKb();
  const auto threads = Threads();
  rounds(40);  // with 0.8 MB each
#ifdef FLYBALL_SANITIZED
  // It keeps what is freed for a while, to catch who still uses it, and finds leaks by itself.
  static_cast<void>(memory);
#else
  EXPECT_LT(ResidentKb() - memory, 8'000);
#endif
  EXPECT_LE(Threads(), threads + 2);
}

}  // namespace
}  // namespace flyball::cluster

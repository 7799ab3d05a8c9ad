#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/log_sink.h"
#include "flyball/client/unreadable.h"
#include "flyball/runtime/controller.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"

namespace flyball::runtime {
namespace {

using api::ObjectKey;
using core::v1::ConfigMap;
using sandbox::Requests;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A value of a map, with its protobuf tag and length before it.
constexpr std::string_view kValue = "undecodable";
constexpr std::string_view kValueField = "\x12\x0bundecodable";

/// Makes a number of the value, behind which no field begins.
void Garble(std::string& event) {
  const auto at = event.find(kValueField);
  if (at != std::string::npos) event[at] = 0x10;
}

/// A controller of ConfigMaps, on a server whose watch brings some of them garbled.
class UnreadableObjectsTest : public testing::Test {
 protected:
  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      informers_.Start();
      EXPECT_TRUE(informers_.WaitForSync({}));
      controller_->Start();
      test();
      controller_.reset();
      informers_.Stop();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(1));
    EXPECT_TRUE(done) << report.Describe();
  }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  ConfigMap Put(const std::string& name, std::string_view value) {
    ConfigMap map;
    map.metadata.namespace_ = "default";
    map.metadata.name = name;
    map.metadata.labels["app"] = "web";
    map.data["value"] = value;
    const auto maps = sandbox_.client().Of<ConfigMap>();
    auto put = maps.Create(map);
    if (!put) put = maps.Update(map);
    EXPECT_TRUE(put) << put.error().Describe();
    return put.value_or(ConfigMap());
  }
  std::string Shown() const {
    const std::string text = metrics_.Text();
    const auto at = text.find("flyball_informer_unreadable_objects{");
    return text.substr(at, text.find('\n', at) - at);
  }
  /// Reconciles by calling `write`, and writes the key down.
  void Reconcile(ReconcileOptions options,
                 std::function<Result<>(Context&, const cache::Ref<ConfigMap>&)> write) {
    auto& queue =
        controller_->AddQueue<>(std::move(options),
                                [this, write, lister = maps_.lister()](
                                    Context& context, const ObjectKey& key) -> Result<Outcome> {
                                  reconciled_.push_back(key.name);
                                  if (const auto map = lister.Get(key); map && write)
                                    FLYBALL_TRY(write(context, map));
                                  return Outcome::Done();
                                });
    controller_->On<ConfigMap>(
        maps_,
        {.added = [&queue](const auto& map, bool) { queue.Add(ObjectKey::Of(*map)); },
         .updated = [&queue](const auto&, const auto& map) { queue.Add(ObjectKey::Of(*map)); }});
  }

  DeterministicExecutor executor_{1};
  Timers timers_{executor_};
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  sandbox::Faults faults_{sandbox_.transport(), executor_};
  sandbox::Session session_{faults_, executor_.clock()};
  const std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  const Logger log_{{}, executor_.clock(), sink_};
  MetricRegistry metrics_;
  cache::InformerFactory informers_{{.client = session_.client(),
                                     .executor = executor_,
                                     .timers = timers_,
                                     .random = [] { return 0.5; },
                                     .log = log_,
                                     .metrics = &metrics_}};
  std::unique_ptr<Controller> controller_ =
      std::make_unique<Controller>("test", Controller::Deps{.client = session_.client(),
                                                            .informers = informers_,
                                                            .executor = executor_,
                                                            .timers = timers_});
  cache::Informer<ConfigMap> maps_ = controller_->Reads<ConfigMap>();
  sandbox::Fault garbled_ = faults_.OnEvents(Requests::Watches().Of("configmaps")).Rewrite(Garble);
  std::vector<std::string> reconciled_;
};

TEST_F(UnreadableObjectsTest, AreKeptByTheirMetadataBesideAllOthers) {
  Put("before", kValue);
  Play([&] {
    Put("good", "fine");
    Put("after", kValue);
    Pass(seconds(1));
    const auto lister = maps_.lister();
    EXPECT_EQ(lister.size(), 3u);
    EXPECT_TRUE(client::IsReadable(lister.Get({"default", "good"})));
    for (const char* name : {"before", "after"}) {
      const auto map = lister.Get({"default", name});
      ASSERT_TRUE(map) << name;
      ASSERT_FALSE(client::IsReadable(map)) << name;
      EXPECT_THAT(*client::UnreadableReason(map), HasSubstr("data"));
      EXPECT_EQ(*map->metadata.labels.find("app"), "web");
      EXPECT_FALSE(map->metadata.resourceVersion.empty());
      EXPECT_THAT(map->data, IsEmpty());
    }
    EXPECT_THAT(sink_->text(),
                AllOf(HasSubstr("Unable to decode object"), HasSubstr("default/before"),
                      HasSubstr("default/after"), Not(HasSubstr("default/good"))));
    EXPECT_THAT(Shown(), HasSubstr("} 2"));

    Put("before", "fine");
    EXPECT_TRUE(sandbox_.client().Of<ConfigMap>().Delete({"default", "after"}));
    Pass(seconds(1));
    EXPECT_TRUE(client::IsReadable(lister.Get({"default", "before"})));
    EXPECT_EQ(lister.size(), 2u);
    EXPECT_THAT(Shown(), HasSubstr("} 0"));
  });
}

TEST_F(UnreadableObjectsTest, AreReconciledWhenTheyCanBeDecoded) {
  Reconcile({.name = "maps"}, nullptr);
  Play([&] {
    Put("bad", kValue);
    Put("good", "fine");
    Pass(seconds(1));
    EXPECT_THAT(reconciled_, ElementsAre("good"));
    Put("bad", "fine");
    Pass(seconds(1));
    EXPECT_THAT(reconciled_, ElementsAre("good", "bad"));
  });
}

TEST_F(UnreadableObjectsTest, AreWrittenToInTheirMetadataAndNowhereElse) {
  std::vector<std::string> refused;
  std::vector<std::string> done;
  Reconcile({.name = "maps", .by_metadata = true},
            [&](Context& context, const cache::Ref<ConfigMap>& map) -> Result<> {
              if (!done.empty() || !refused.empty()) return {};
              ConfigMap changed = *map;
              changed.data["mine"] = "yes";
              const auto note = [&](const std::string& what,
                                    const Result<Context::Stored>& stored) {
                if (stored) return done.push_back(what);
                refused.push_back(what + ": " + stored.error().Describe());
              };
              const ObjectKey key = ObjectKey::Of(*map);
              note("update", context.Update(changed));
              note("data", context.Patch<ConfigMap>(
                               key, {client::PatchType::kMerge, R"({"data":{"mine":"yes"}})"}));
              note("metadata", context.Patch<ConfigMap>(
                                   key, {client::PatchType::kMerge,
                                         R"({"metadata":{"finalizers":["example.com/mine"]}})"}));
              return {};
            });
  Play([&] {
    Put("bad", kValue);
    Pass(seconds(5));
    EXPECT_THAT(done, ElementsAre("metadata"));
    EXPECT_THAT(refused, ElementsAre(HasSubstr("configmaps default/bad cannot be decoded, only its "
                                               "metadata may be patched: "),
                                     HasSubstr("data: ")));
    const auto map = sandbox_.client().Of<ConfigMap>().Get({"default", "bad"});
    ASSERT_TRUE(map);
    EXPECT_EQ(*map->data.find("value"), kValue);
    EXPECT_EQ(map->data.size(), 1u);
    EXPECT_THAT(map->metadata.finalizers, ElementsAre("example.com/mine"));
  });
}

}  // namespace
}  // namespace flyball::runtime

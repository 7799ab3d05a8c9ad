#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/api/core/v1.h"
#include "flyball/base/deterministic_executor.h"
#include "flyball/base/metrics.h"
#include "flyball/controllers/garbage_collector/controller.h"
#include "flyball/runtime/event_recorder_fake.h"
#include "flyball/sandbox/faults.h"
#include "flyball/sandbox/sandbox.h"
#include "flyball/transport/transport_fake.h"
#include "gtest/gtest.h"

namespace flyball::controllers::garbage_collector {

inline const client::Resource kDefinitions{
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false};
inline const client::Resource kWidgets{"example.com", "v1", "widgets", "Widget", true};
inline constexpr char kWidgetDefinition[] = R"({"apiVersion":"apiextensions.k8s.io/v1",
  "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
  "spec":{"group":"example.com","scope":"Namespaced",
    "names":{"plural":"widgets","kind":"Widget"},
    "versions":[{"name":"v1","served":true,"storage":true,
       "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

/// Keeps what is sent but not read, with its body.
class SentWrites final : public transport::Transport {
 public:
  explicit SentWrites(transport::Transport& next) : next_(next) {}
  std::shared_ptr<transport::Exchange> Send(
      transport::Request request, std::shared_ptr<transport::ResponseHandler> handler) override {
    if (request.method != "GET") {
      request.target = transport::WithoutTimeout(std::move(request.target));
      sent_.push_back(request.method + " " + request.target + " " + request.body);
    }
    std::vector<Disguised> texts;
    for (const Disguised& text : disguised_) {
      if (!request.target.starts_with(text.target)) continue;
      Replace(request.body, text.shown, text.stored);
      texts.push_back(text);
    }
    if (!texts.empty()) handler = std::make_shared<Disguise>(std::move(handler), std::move(texts));
    return next_.Send(std::move(request), std::move(handler));
  }
  std::vector<std::string> Take() { return std::exchange(sent_, {}); }

  /// The collector is shown one text for another in answers to requests whose target begins so, and
  /// the server gets its own back: for uids that the embedded server does not give. Both texts are
  /// of one length, so that they fit into protobuf.
  void Show(std::string stored, std::string shown, std::string target = "/") {
    EXPECT_EQ(stored.size(), shown.size());
    disguised_.push_back({std::move(stored), std::move(shown), std::move(target)});
  }

 private:
  struct Disguised {
    std::string stored;
    std::string shown;
    std::string target;
  };

  class Disguise final : public transport::ResponseHandler {
   public:
    Disguise(std::shared_ptr<transport::ResponseHandler> next, std::vector<Disguised> texts)
        : next_(std::move(next)), texts_(std::move(texts)) {}
    void OnHead(transport::ResponseHead head) override { next_->OnHead(std::move(head)); }
    void OnData(std::string_view bytes) override {
      std::string shown(bytes);
      for (const Disguised& text : texts_) Replace(shown, text.stored, text.shown);
      next_->OnData(shown);
    }
    void OnEnd(Result<> how) override { next_->OnEnd(std::move(how)); }

   private:
    const std::shared_ptr<transport::ResponseHandler> next_;
    const std::vector<Disguised> texts_;
  };

  static void Replace(std::string& in, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = in.find(from, at)) != std::string::npos; at += to.size()) {
      in.replace(at, from.size(), to);
    }
  }

  transport::Transport& next_;
  std::vector<std::string> sent_;
  std::vector<Disguised> disguised_;
};

/// Objects are config maps, which may own each other as anything may own anything.
class GarbageCollectorTest : public testing::Test {
 protected:
  explicit GarbageCollectorTest(std::uint64_t seed = 1) : executor_(seed) {}

  /// What is there while the collector runs, and does not outlast it.
  struct Manager {
    explicit Manager(GarbageCollectorTest& test)
        : informers({.client = test.session_.client(),
                     .executor = test.executor_,
                     .timers = test.timers_,
                     .random = [] { return 0.5; }}),
          controller(Make({.client = test.session_.client(),
                           .informers = informers,
                           .executor = test.executor_,
                           .timers = test.timers_,
                           .events = test.events_.Maker(),
                           .metrics = &test.metrics_},
                          {})) {
      informers.Start();
      EXPECT_TRUE(controller->WaitForSync({}));
      controller->Start();
    }
    cache::InformerFactory informers;
    std::unique_ptr<runtime::Controller> controller;
  };

  void Play(const std::function<void()>& test) {
    bool done = false;
    executor_.Start("test", [&] {
      test();
      manager_.reset();
      done = true;
    });
    const auto report = executor_.RunFor(std::chrono::hours(10));
    EXPECT_TRUE(done) << report.Describe();
  }
  void Start() { manager_.emplace(*this); }
  void Stop() { manager_.reset(); }
  void Pass(std::chrono::nanoseconds span) { executor_.clock().SleepFor(span); }

  template <typename T>
  T Must(Result<T> made) {
    EXPECT_TRUE(made) << made.error().Describe();
    return made ? *std::move(made) : T();
  }
  core::v1::ConfigMap Create(const std::string& name,
                             std::vector<meta::v1::OwnerReference> owners = {},
                             std::vector<std::string> finalizers = {},
                             const std::string& space = "default") {
    core::v1::ConfigMap map;
    map.metadata.namespace_ = space;
    map.metadata.name = name;
    map.metadata.ownerReferences = std::move(owners);
    map.metadata.finalizers = std::move(finalizers);
    return Must(maps_.Create(map));
  }
  void CreateNamespace(const std::string& name) {
    core::v1::Namespace space;
    space.metadata.name = name;
    Must(sandbox_.client().Of<core::v1::Namespace>().Create(space));
  }
  static meta::v1::OwnerReference To(const meta::v1::ObjectMeta& owner, bool blocks = false,
                                     const std::string& kind = "ConfigMap",
                                     const std::string& api_version = "v1") {
    meta::v1::OwnerReference reference;
    reference.apiVersion = api_version;
    reference.kind = kind;
    reference.name = owner.name;
    reference.uid = owner.uid;
    if (blocks) reference.blockOwnerDeletion = true;
    return reference;
  }
  static meta::v1::OwnerReference To(const core::v1::ConfigMap& owner, bool blocks = false) {
    return To(owner.metadata, blocks);
  }
  void SetOwners(const std::string& name, std::vector<meta::v1::OwnerReference> owners) {
    core::v1::ConfigMap map = Must(maps_.Get({"default", name}));
    map.metadata.ownerReferences = std::move(owners);
    Must(maps_.Update(map));
  }
  void RemoveFinalizers(const std::string& name) {
    core::v1::ConfigMap map = Must(maps_.Get({"default", name}));
    map.metadata.finalizers.clear();
    Must(maps_.Update(map));
  }
  void Delete(const std::string& name, const std::string& propagation = "Background") {
    meta::v1::DeleteOptions options;
    options.propagationPolicy = propagation;
    EXPECT_TRUE(maps_.Delete({"default", name}, options));
  }
  /// The names of all maps that are there.
  std::vector<std::string> Left() {
    std::vector<std::string> names;
    for (const core::v1::ConfigMap& map : Must(maps_.ListIn("")).items)
      names.push_back(map.metadata.name);
    return names;
  }
  /// The names of all maps that refer to an owner.
  std::vector<std::string> Owned() {
    std::vector<std::string> names;
    for (const core::v1::ConfigMap& map : Must(maps_.ListIn("")).items) {
      if (!map.metadata.ownerReferences.empty()) names.push_back(map.metadata.name);
    }
    return names;
  }
  void DefineWidgets() {
    Must(sandbox_.client().Dynamic(kDefinitions).Create(*api::Json::Parse(kWidgetDefinition)));
  }
  meta::v1::ObjectMeta CreateWidget(const std::string& name) {
    Must(sandbox_.client().Dynamic(kWidgets).Create(*api::Json::Parse(
        R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"default","name":")" +
        name + R"("}})")));
    return Must(sandbox_.client().Metadata(kWidgets).Get({"default", name})).metadata;
  }
  static meta::v1::OwnerReference ToWidget(const meta::v1::ObjectMeta& widget) {
    return To(widget, false, "Widget", "example.com/v1");
  }

  DeterministicExecutor executor_;
  Timers timers_{executor_};
  MetricRegistry metrics_;
  runtime::FakeEventRecorder events_;
  sandbox::Sandbox sandbox_{{executor_, timers_}, {.seed = 1}};
  client::ResourceClient<core::v1::ConfigMap> maps_ = sandbox_.client().Of<core::v1::ConfigMap>();
  SentWrites sent_{sandbox_.transport()};
  sandbox::Faults faults_{sent_, executor_};
  sandbox::Session session_{faults_, executor_.clock()};
  std::optional<Manager> manager_;
};

}  // namespace flyball::controllers::garbage_collector

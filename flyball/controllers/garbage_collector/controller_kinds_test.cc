#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "flyball/api/rbac/v1.h"
#include "flyball/controllers/garbage_collector/internal/collector_fixture.h"

/// What references say of owners that is not so, and kinds that come, go and break.
namespace flyball::controllers::garbage_collector {
namespace {

using core::v1::ConfigMap;
using meta::v1::OwnerReference;
using rbac::v1::ClusterRole;
using sandbox::Fault;
using sandbox::Requests;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// References that are wrong.

TEST_F(GarbageCollectorTest, AnOwnerInAnotherNamespaceIsNone) {
  Play([&] {
    CreateNamespace("elsewhere");
    const ConfigMap owner = Create("owner", {}, {}, "elsewhere");
    Start();
    const ConfigMap child = Create("child", {To(owner)});
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("owner"));
    ASSERT_EQ(events_.recorded().size(), 1u);
    const runtime::Occurrence event = events_.recorded()[0];
    EXPECT_EQ(event.about.kind, "ConfigMap");
    EXPECT_EQ(event.about.apiVersion, "v1");
    EXPECT_EQ(event.about.namespace_, "default");
    EXPECT_EQ(event.about.name, "child");
    EXPECT_EQ(event.about.uid, child.metadata.uid);
    EXPECT_THAT(events_.lines(),
                ElementsAre("Warning OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: "
                            "default, name: owner, uid: " +
                            owner.metadata.uid + "] does not exist in namespace \"default\""));
  });
}

TEST_F(GarbageCollectorTest, AnOwnerWithAnotherUidIsNone) {
  Play([&] {
    ConfigMap owner = Create("owner");
    owner.metadata.uid = "not the uid of anything";
    Create("child", {To(owner)});
    Start();
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("owner"));
  });
}

TEST_F(GarbageCollectorTest, AnOwnerByAnotherNameIsNoneForTheOneWhoCallsItSo) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    ConfigMap misnamed = owner;
    misnamed.metadata.name = "wrong";
    Create("right", {To(owner)});
    Create("wronged", {To(misnamed)});
    Start();
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("owner", "right"));
  });
}

TEST_F(GarbageCollectorTest, AKindThatNobodyKnowsIsWaitedForQuietly) {
  Play([&] {
    meta::v1::ObjectMeta unknown;
    unknown.name = "unknown";
    unknown.uid = "01234567-89ab-cdef-0123-456789abcdef";
    Create("child", {ToWidget(unknown)});
    Start();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Left(), ElementsAre("child"));
    EXPECT_THAT(sent_.Take(), IsEmpty());
    DefineWidgets();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, WhatIsInNoNamespaceOwnsFromThereAndIsNotOwnedFromOthers) {
  Play([&] {
    ClusterRole role;
    role.metadata.name = "role";
    role = Must(sandbox_.client().Of<ClusterRole>().Create(role));
    const OwnerReference to_role =
        To(role.metadata, false, "ClusterRole", "rbac.authorization.k8s.io/v1");
    CreateNamespace("elsewhere");
    Create("one", {to_role});
    Create("two", {to_role}, {}, "elsewhere");
    const ConfigMap owner = Create("owner");
    ClusterRole owned;
    owned.metadata.name = "owned";
    owned.metadata.ownerReferences = {To(owner)};
    Must(sandbox_.client().Of<ClusterRole>().Create(owned));
    Start();
    Pass(seconds(60));
    EXPECT_THAT(Left(), UnorderedElementsAre("one", "owner", "two"));
    EXPECT_TRUE(sandbox_.client().Of<ClusterRole>().Delete({"", "role"}));
    Delete("owner");
    Pass(seconds(60));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_TRUE(sandbox_.client().Of<ClusterRole>().Get({"", "owned"}))
        << "it says that it is owned by what cannot own it, and stays";
  });
}

TEST_F(GarbageCollectorTest, AForgedUidMakesNoOwnerAbsentForDependentsInOtherNamespaces) {
  Play([&] {
    ClusterRole role;
    role.metadata.name = "role";
    role = Must(sandbox_.client().Of<ClusterRole>().Create(role));
    const auto to_role = [&](const std::string& uid) {
      OwnerReference reference =
          To(role.metadata, false, "ClusterRole", "rbac.authorization.k8s.io/v1");
      reference.uid = uid;
      return reference;
    };
    // A forged text has the same two FNV-1a lanes as the uid that the collector sees.
    sent_.Show(role.metadata.uid, "9f074a21-9c41-497c-9be3-e1b734c8b4f3");
    const ConfigMap other = Create("other");
    Create("victim", {to_role(role.metadata.uid), To(other)});
    CreateNamespace("attacker");
    const ConfigMap lure = Create("lure", {}, {}, "attacker");
    Create("forged", {to_role("forged-128"), To(lure)}, {}, "attacker");
    Start();
    Pass(seconds(1));
    EXPECT_TRUE(maps_.Delete({"attacker", "lure"}));
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("other", "victim"));
    Delete("other");
    Pass(seconds(60));
    EXPECT_THAT(Left(), ElementsAre("victim"));
    EXPECT_THAT(Must(maps_.Get({"default", "victim"})).metadata.ownerReferences,
                ElementsAre(to_role(role.metadata.uid)));
  });
}

TEST_F(GarbageCollectorTest, SendsTheUidsOfAServerThatGivesNoUuidsAsTheyAre) {
  Play([&] {
    CreateNamespace("elsewhere");
    const ConfigMap owner = Create("owner");
    const ConfigMap child = Create("child", {To(owner)});
    const ConfigMap foreign = Create("foreign", {}, {}, "elsewhere");
    const std::string child_uid = "aggregated.example.com/child/uid-001";
    const std::string owner_uid = "AGGREGATED.EXAMPLE.COM/OWNER/UID-002";
    sent_.Show(child.metadata.uid, child_uid);
    sent_.Show(owner.metadata.uid, owner_uid);
    Start();
    Delete("owner", "Orphan");
    const std::string version = maps_.Get({"default", "owner"})->metadata.resourceVersion;
    Pass(seconds(1));
    EXPECT_THAT(Left(), UnorderedElementsAre("child", "foreign"));
    const std::string path = "PATCH /api/v1/namespaces/default/configmaps/";
    EXPECT_THAT(sent_.Take(),
                ElementsAre(path + R"(child {"metadata":{"ownerReferences":[)" +
                                R"({"$patch":"delete","uid":")" + owner_uid + R"("}],"uid":")" +
                                child_uid + "\"}}",
                            path + R"(owner {"metadata":{"finalizers":null,"resourceVersion":")" +
                                version + "\"}}"));

    SetOwners("child", {To(foreign)});
    Pass(seconds(1));
    EXPECT_THAT(Left(), ElementsAre("foreign"));
    ASSERT_EQ(events_.recorded().size(), 1u);
    EXPECT_EQ(events_.recorded()[0].about.uid, child_uid);
    const auto sent = sent_.Take();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_THAT(sent[0], HasSubstr(R"("preconditions":{"uid":")" + child_uid + "\""));
  });
}

// Kinds that come, go and break.

TEST_F(GarbageCollectorTest, AKindThatAppearsIsCollected) {
  Play([&] {
    Start();
    Pass(seconds(5));
    DefineWidgets();
    const meta::v1::ObjectMeta widget = CreateWidget("widget");
    Create("child", {ToWidget(widget)});
    Pass(seconds(60));
    EXPECT_THAT(Left(), ElementsAre("child"));
    EXPECT_TRUE(sandbox_.client().Dynamic(kWidgets).Delete({"default", "widget"}));
    Pass(seconds(60));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, AKindWithoutStrategicPatchesIsPutWhole) {
  Play([&] {
    DefineWidgets();
    const ConfigMap owner = Create("owner");
    const ConfigMap other = Create("other");
    api::Json widget = *api::Json::Parse(
        R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"default",
            "name":"widget","ownerReferences":[
            {"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
        owner.metadata.uid + R"("},{"apiVersion":"v1","kind":"ConfigMap","name":"other","uid":")" +
        other.metadata.uid + R"("}]}})");
    Must(sandbox_.client().Dynamic(kWidgets).Create(widget));
    Start();
    const auto owners = [&] {
      return sandbox_.client()
          .Metadata(kWidgets)
          .Get({"default", "widget"})
          ->metadata.ownerReferences;
    };
    Delete("owner");
    Pass(seconds(1));
    EXPECT_THAT(owners(), ElementsAre(To(other)));
    Delete("other", "Orphan");
    Pass(seconds(1));
    EXPECT_THAT(owners(), IsEmpty());
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, AKindThatGoesTakesItsWatchWithIt) {
  Play([&] {
    DefineWidgets();
    const meta::v1::ObjectMeta widget = CreateWidget("widget");
    Create("child", {ToWidget(widget)});
    Start();
    const auto watches_widgets = [&] {
      return std::ranges::any_of(manager_->informers.Statuses(), [](const auto& status) {
        return status.name == "widgets.example.com";
      });
    };
    EXPECT_TRUE(watches_widgets());
    EXPECT_TRUE(sandbox_.client().Dynamic(kDefinitions).Delete({"", "widgets.example.com"}));
    Pass(seconds(61));
    EXPECT_FALSE(watches_widgets());
  });
}

TEST_F(GarbageCollectorTest, WhatBecameOfOwnersOfAKindThatIsGoneNobodyKnowsUntilItIsBack) {
  Play([&] {
    DefineWidgets();
    const meta::v1::ObjectMeta widget = CreateWidget("widget");
    Create("child", {ToWidget(widget)});
    Start();
    Fault held = faults_.OnEvents(Requests::Watches().Of("widgets")).Hold();
    EXPECT_TRUE(sandbox_.client().Dynamic(kDefinitions).Delete({"", "widgets.example.com"}));
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Left(), ElementsAre("child"));
    EXPECT_THAT(sent_.Take(), IsEmpty());
    held.Lift();
    DefineWidgets();
    Pass(std::chrono::hours(1));
    EXPECT_THAT(Left(), IsEmpty());
  });
}

TEST_F(GarbageCollectorTest, AKindThatIsBrokenKeepsNoOtherFromBeingCollected) {
  Play([&] {
    DefineWidgets();
    const meta::v1::ObjectMeta widget = CreateWidget("widget");
    Create("child-of-widget", {ToWidget(widget)});
    meta::v1::ObjectMeta absent = widget;
    absent.name = "absent";
    absent.uid = "01234567-89ab-cdef-0123-456789abcdef";
    Create("child-of-nobody", {ToWidget(absent)});
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Fault broken = faults_.On(Requests::Lists().Of("widgets")).Refuse(500);
    Fault unwatched = faults_.On(Requests::Watches().Of("widgets")).Refuse(500);
    const auto before = executor_.clock().SteadyNow();
    Start();
    EXPECT_EQ(executor_.clock().SteadyNow() - before, seconds(30));
    Delete("owner");
    Pass(seconds(600));
    EXPECT_THAT(Left(), UnorderedElementsAre("child-of-nobody", "child-of-widget"))
        << "what cannot be read is unknown, and not absent";
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("garbagecollector_controller_resources_sync_error_total 1\n"));
    broken.Lift();
    unwatched.Lift();
    Pass(seconds(1200));
    EXPECT_THAT(Left(), ElementsAre("child-of-widget"));
  });
}

TEST_F(GarbageCollectorTest, WithoutDiscoveryNothingIsDone) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    Delete("owner");
    const Fault down = faults_
                           .On(Requests::Gets().Where([](const sandbox::Asked& asked) {
                             return asked.target.path == std::vector<std::string>{"apis"};
                           }))
                           .Times(10)
                           .Refuse(503);
    Start();
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
    EXPECT_EQ(down.count(), 10);
  });
}

TEST_F(GarbageCollectorTest, TakesWhatOthersReadAlready) {
  Play([&] {
    const ConfigMap owner = Create("owner");
    Create("child", {To(owner)});
    cache::InformerFactory informers(
        {.client = session_.client(), .executor = executor_, .timers = timers_, .random = [] {
           return 0.5;
         }});
    const auto maps = informers.Of<ConfigMap>();
    auto controller = Make({.client = session_.client(),
                            .informers = informers,
                            .executor = executor_,
                            .timers = timers_},
                           {});
    informers.Start();
    EXPECT_TRUE(controller->WaitForSync({}));
    controller->Start();
    EXPECT_EQ(std::ranges::count_if(informers.Statuses(),
                                    [](const auto& status) { return status.name == "configmaps"; }),
              1);
    Delete("owner");
    Pass(seconds(1));
    EXPECT_THAT(Left(), IsEmpty());
    controller.reset();
    EXPECT_TRUE(maps.HasSynced());
    EXPECT_EQ(informers.Statuses().size(), 1u) << "its own watches end with it";
    informers.Stop();
  });
}

TEST_F(GarbageCollectorTest, CountsWhatTheGraphIsToldAsUpstreamsQueueDoes) {
  Play([&] {
    Create("map");
    Start();
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("workqueue_adds_total{name=\"garbage_collector_graph_changes\"}"));
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("workqueue_depth{name=\"garbage_collector_attempt_to_delete\"} 0"));
    EXPECT_THAT(metrics_.Text(),
                HasSubstr("workqueue_depth{name=\"garbage_collector_attempt_to_orphan\"} 0"));
  });
}

TEST(GarbageCollector, MayBeOff) {
  DeterministicExecutor executor(1);
  Timers timers(executor);
  sandbox::Sandbox sandbox({executor, timers}, {.seed = 1});
  cache::InformerFactory informers(
      {.client = sandbox.client(), .executor = executor, .timers = timers, .random = [] {
         return 0.5;
       }});
  EXPECT_EQ(Make({.client = sandbox.client(),
                  .informers = informers,
                  .executor = executor,
                  .timers = timers},
                 {.enabled = false}),
            nullptr);
}

}  // namespace
}  // namespace flyball::controllers::garbage_collector

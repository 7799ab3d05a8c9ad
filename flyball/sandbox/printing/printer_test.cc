#include "flyball/sandbox/printing/printer.h"

#include "flyball/api/apps/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/object.h"
#include "flyball/api/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball::sandbox::printing {
namespace {

using core::v1::Pod;
using testing::ElementsAre;

const WallTime kNow = api::Time::Parse("2026-01-02T00:00:00Z")->ToWallTime();

template <typename T>
std::vector<std::string> CellsFor(std::string_view json) {
  const auto object = api::DecodeJson<T>(json).value();
  std::vector<std::string> texts;
  for (const api::Json& cell : FindPrinter(T::kType)->cells(&object, kNow)) {
    const auto* const text = cell.If<std::string>();
    texts.push_back(text != nullptr ? *text : cell.ToString());
  }
  return texts;
}

std::string StatusOf(std::string_view pod) { return CellsFor<Pod>(pod)[2]; }

TEST(Printer, EveryKindHasACellForEachColumn) {
  for (const api::TypeInfo* const type : api::AllKinds()) {
    const Printer* const printer = FindPrinter(*type);
    if (printer == nullptr) continue;
    const api::AnyObject object(*type);
    // PARITY: addresses have one more.
    const std::size_t more = type->name == "IPAddress" ? 1 : 0;
    EXPECT_EQ(printer->cells(object.get(), kNow).size(), printer->columns.size() + more)
        << type->name;
  }
}

TEST(Printer, APodIsReadyByItsContainers) {
  EXPECT_THAT(
      CellsFor<Pod>(R"({"metadata":{"name":"web","creationTimestamp":"2026-01-01T00:00:00Z"},
      "spec":{"nodeName":"n1","containers":[{"name":"a"},{"name":"b"}]},
      "status":{"phase":"Running","podIPs":[{"ip":"10.0.0.7"}],"containerStatuses":[
        {"name":"a","ready":true,"state":{"running":{}},"restartCount":2,
         "lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-01-01T23:00:00Z"}}},
        {"name":"b","ready":false,"state":{"running":{}},"restartCount":0}]}})"),
      ElementsAre("web", "1/2", "Running", "2 (60m ago)", "24h", "10.0.0.7", "n1", "<none>",
                  "<none>"));
}

TEST(Printer, APodSaysWhatHoldsItUp) {
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Pending"}})"), "Pending");
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Failed","reason":"Evicted"}})"), "Evicted");
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Pending","conditions":[
      {"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})"),
            "SchedulingGated");
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Running","containerStatuses":[
      {"name":"a","state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})"),
            "CrashLoopBackOff");
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Succeeded","containerStatuses":[
      {"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}})"),
            "Completed");
  EXPECT_EQ(StatusOf(R"({"status":{"phase":"Running","containerStatuses":[
      {"name":"a","state":{"terminated":{"exitCode":3}}}]}})"),
            "ExitCode:3");
  EXPECT_EQ(StatusOf(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
      "status":{"phase":"Running"}})"),
            "Terminating");
  EXPECT_EQ(StatusOf(R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
      "status":{"phase":"Running","reason":"NodeLost"}})"),
            "Unknown");
}

TEST(Printer, APodWaitsForItsInitContainers) {
  EXPECT_EQ(StatusOf(R"({"spec":{"initContainers":[{"name":"i"},{"name":"j"}]},
      "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"i","state":{"terminated":{"exitCode":0}}},
        {"name":"j","state":{"waiting":{"reason":"PodInitializing"}}}]}})"),
            "Init:1/2");
  EXPECT_EQ(StatusOf(R"({"spec":{"initContainers":[{"name":"i"}]},
      "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"i","state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}})"),
            "Init:Error");
  // A sidecar that runs holds nothing up, and counts among those that are ready.
  EXPECT_THAT(CellsFor<Pod>(R"({"spec":{"initContainers":[{"name":"s","restartPolicy":"Always"}],
      "containers":[{"name":"a"}]},
      "status":{"phase":"Running","initContainerStatuses":[
        {"name":"s","started":true,"ready":true,"state":{"running":{}}}],
      "containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]}})")[1],
              "2/2");
}

TEST(Printer, ADeploymentIsReadyByItsReplicas) {
  EXPECT_THAT(CellsFor<apps::v1::Deployment>(R"({"metadata":{"name":"web",
      "creationTimestamp":"2026-01-01T23:59:30Z"},"spec":{"replicas":3,
      "selector":{"matchLabels":{"app":"web"}},
      "template":{"spec":{"containers":[{"name":"a","image":"x:1"},{"name":"b","image":"y"}]}}},
      "status":{"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}})"),
              ElementsAre("web", "1/3", "2", "1", "30s", "a,b", "x:1,y", "app=web"));
}

TEST(Printer, AServiceShowsItsAddressesAndPorts) {
  EXPECT_THAT(CellsFor<core::v1::Service>(R"({"metadata":{"name":"s"},"spec":{
      "type":"LoadBalancer","clusterIPs":["10.0.0.3"],"ports":[
        {"port":80,"nodePort":30001,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}})"),
              ElementsAre("s", "LoadBalancer", "10.0.0.3", "<pending>", "80:30001/TCP,53/UDP",
                          "<unknown>", "<none>"));
}

}  // namespace
}  // namespace flyball::sandbox::printing

#include "tests/parity/record.h"

#include "gmock/gmock.h"

namespace flyball::parity {
namespace {

using testing::HasSubstr;

api::Json Tree(const char* text) { return *api::Json::Parse(text); }

/// What every namespace has, at a checkpoint "made", and what is given.
Record::Checkpoint MadeWith(const char* objects) {
  const auto every = RecordFile::Parse(
      "dialect: 1\nkubernetes: v1\nscenario: 1\ncheckpoint: made\n", "web", "parity-web");
  api::Json portrait = every->record.checkpoints.front().portrait;
  const api::Json more = Tree(objects);
  for (const auto& [name, object] : *more.If<api::Json::Object>()) {
    (*portrait.If<api::Json::Object>())[name] = object;
  }
  return {"made", portrait};
}

TEST(RecordFile, IsReadAsItWasWritten) {
  Record::Checkpoint made = MadeWith(R"json({
    "pods/web-<1> in parity-web": {"metadata": {"managedFields": [{"manager": "a"}, {"manager": "b"}],
      "name": "web-<1>"}, "since": "made", "spec": {"image": "a\\u003c\u003cb\n"}, "status": {}},
    "pods/web-<2> in parity-web": {"metadata": {"managedFields": [{"manager": "a"}], "name": "web-<2>"},
      "since": "made", "spec": {"image": "c"}},
    "events": {"Created of Pod/web-<1>: it is": {"involvedObject": {"kind": "Pod", "name": "web-<1>"},
      "message": "it is", "reason": "Created"}}})json");
  Record::Checkpoint later{"later", Tree(R"json({
    "pods/web-<1> in parity-web": {"metadata": {"managedFields": [{"manager": "b"}], "name": "web-<1>"},
      "since": "made", "spec": {"image": "c", "odd.name": 1}},
    "pods/web-<3> in parity-web": {"metadata": {"managedFields": [], "name": "web-<3>"},
      "since": "later", "spec": {"image": "c"}},
    "events": {}})json")};
  const RecordFile file{.source = {.kubernetes = "v1.37.1", .scenario = "abc"},
                        .record = {{made, later, {"nothing", Tree(R"({"events":{}})")}}}};
  const auto read = RecordFile::Parse(file.ToText("web", "parity-web"), "web", "parity-web");
  ASSERT_TRUE(read) << read.error().Describe();
  EXPECT_EQ(*read, file);
}

/// This is kDialect. Where it cannot stay as it is, raise that.
TEST(RecordFile, IsWrittenInTheLanguageOfTheRecordsInTheTree) {
  const RecordFile file{.source = {.kubernetes = "v1.37.1", .scenario = "abc"},
                        .record = {{MadeWith(R"json({
             "pods/web-<1> in parity-web": {"kind": "Pod", "metadata": {"name": "web-<1>", "namespace": "parity-web"},
               "since": "made", "spec": {"nodeName": "<node>"}},
             "pods/web-<2> in parity-web": {"kind": "Pod", "metadata": {"name": "web-<2>", "namespace": "parity-web"},
               "since": "made", "spec": {"nodeName": "<node>"}},
             "events": {"Created of Pod/web-<1>: yes": {"involvedObject": {"kind": "Pod", "name": "web-<1>"},
               "message": "yes", "reason": "Created"}}})json"),
                                    {"later", MadeWith(R"json({
              "pods/web-<1> in parity-web": {"kind": "Pod", "metadata": {"name": "web-<1>", "namespace": "parity-web"},
                "since": "made", "status": {"phase": "Running"}}})json")
                                                  .portrait}}}};
  EXPECT_EQ(file.ToText("web", "parity-web"),
            R"(dialect: 1
kubernetes: v1.37.1
scenario: abc
checkpoint: made
+ pods/web-<1> in parity-web
  kind: "Pod"
  metadata.name: "web-<1>"
  metadata.namespace: "parity-web"
  spec.nodeName: "<node>"
+ pods/web-<2> in parity-web like pods/web-<1> in parity-web
! {"involvedObject":{"kind":"Pod","name":"web-<1>"},"message":"yes","reason":"Created"}
checkpoint: later
~ pods/web-<1> in parity-web
  status.phase: "Running"
  -spec.nodeName
- pods/web-<2> in parity-web
-! "Created of Pod/web-<1>: yes"
)");
}

TEST(RecordFile, RefusesWhatItWouldNotHaveWritten) {
  const std::string head = "dialect: 1\nkubernetes: v1\nscenario: 1\ncheckpoint: made\n";
  for (const char* const line : {"pods/a", "- pods/a", "~ pods/a", "  kind: 1",
                                 "+ pods/a like pods/b", "-! \"none\"", "! 1"}) {
    EXPECT_FALSE(RecordFile::Parse(head + line + "\n", "web", "parity-web")) << line;
  }
}

TEST(RecordSource, SaysWhyARecordIsStaleAndHowToRenewIt) {
  const RecordSource today{.kubernetes = "v1.37.1", .scenario = "abc"};
  EXPECT_EQ(today.StaleFor(today, "web"), "");
  RecordSource other = today;
  other.scenario = "abd";
  EXPECT_EQ(other.StaleFor(today, "web"),
            "upstream's record of web is stale: the scenario has changed. To record it anew: make "
            "parity-records SCENARIO=web");
  other.kubernetes = "v1.36.0";
  EXPECT_THAT(other.StaleFor(today, "web"), HasSubstr("it is of Kubernetes v1.36.0"));
  other.dialect = 0;
  EXPECT_THAT(other.StaleFor(today, "web"), HasSubstr("written in another way"));
}

TEST(Pretty, HasALineForEachMember) {
  EXPECT_EQ(Pretty(*api::Json::Parse(R"({"a":[1,[]],"b":{"c":null}})")),
            "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {\n    \"c\": null\n  }\n}\n");
}

}  // namespace
}  // namespace flyball::parity

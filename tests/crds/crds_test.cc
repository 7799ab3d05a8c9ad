// Objects of custom kinds, through every codec, and what the API server would fill in.
#include <string>
#include <string_view>
#include <vector>

#include "flyball/api/diff.h"
#include "flyball/api/json.h"
#include "flyball/api/json_decode.h"
#include "flyball/api/json_encode.h"
#include "flyball/api/merge_patch.h"
#include "flyball/api/object.h"
#include "flyball/api/structural_defaults.h"
#include "flyball/api/yaml_reader.h"
#include "flyball/api/yaml_writer.h"
#include "flyball/crds/delivery_example_io/v1alpha1.h"
#include "flyball/crds/games_example_net/v1.h"
#include "flyball/crds/games_example_net/v2.h"
#include "flyball/crds/keep_example_com/v1.h"
#include "flyball/crds/mesh_example_org/v1.h"
#include "flyball/crds/mesh_example_org/v1alpha3.h"
#include "flyball/crds/net_example_com/v1beta2.h"
#include "flyball/crds/observe_example_com/v1.h"
#include "flyball/crds/pipeline_example_io/v1alpha1.h"
#include "flyball/crds/strange_things_example_org/v1_alpha.h"
#include "flyball/crds/trust_example_com/v1.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flyball {
namespace {

using api::Json;
using api::TypeInfo;

/// An object, and the same with its defaults; empty where that changes nothing.
struct Example {
  const TypeInfo& type;
  std::string_view json;
  std::string_view defaulted;
};

const std::vector<Example>& Examples() {
  static const std::vector<Example> kExamples = {
      {trust_example_com::v1::Certificate::kType,
       R"({"apiVersion":"trust.example.com/v1","kind":"Certificate",
           "metadata":{"name":"web","namespace":"shop","labels":{"a":"b"}},
           "spec":{"secretName":"web-tls","issuerRef":{"name":"ca","kind":"ClusterIssuer"},
                   "dnsNames":["a.example.com"],"ipAddresses":[],"isCA":false,
                   "encodeUsagesInRequest":null,"duration":"1h","usages":[],
                   "privateKey":{"size":256,"algorithm":"ECDSA"},
                   "keystores":{"jks":{"create":true,"passwordSecretRef":{"name":"p"}}},
                   "secretTemplate":{"labels":{}},"futureField":{"x":[1]}},
           "status":{"conditions":[{"type":"Ready","status":"True",
                                    "lastTransitionTime":"2026-01-02T03:04:05Z"}],
                     "lastFailureTime":null,"revision":3}})",
       R"({"apiVersion":"trust.example.com/v1","kind":"Certificate",
           "metadata":{"name":"web","namespace":"shop","labels":{"a":"b"}},
           "spec":{"secretName":"web-tls",
                   "issuerRef":{"name":"ca","kind":"ClusterIssuer","group":"trust.example.com"},
                   "dnsNames":["a.example.com"],"ipAddresses":[],"isCA":false,
                   "encodeUsagesInRequest":null,"duration":"1h","usages":[],
                   "revisionHistoryLimit":1,
                   "privateKey":{"size":256,"algorithm":"ECDSA","encoding":"PKCS1",
                                 "rotationPolicy":"Always"},
                   "keystores":{"jks":{"create":true,
                                       "passwordSecretRef":{"name":"p","key":"password"}}},
                   "secretTemplate":{"labels":{}},"futureField":{"x":[1]}},
           "status":{"conditions":[{"type":"Ready","status":"True",
                                    "lastTransitionTime":"2026-01-02T03:04:05Z"}],
                     "lastFailureTime":null,"revision":3}})"},
      {trust_example_com::v1::CertificateRequest::kType,
       R"({"spec":{"request":"","issuerRef":{"name":"x","kind":"Issuer"},
                   "extra":{"scopes":["a","b"],"none":[]}}})",
       ""},
      {trust_example_com::v1::Issuer::kType,
       R"({"spec":{"acme":{"server":"https://acme.example.com","privateKeySecretRef":{"name":"k"},
                           "skipTLSVerify":true,"solvers":[
             {"dns01":{"cnameStrategy":"Follow","webhook":{"groupName":"g","solverName":"s",
                       "config":{"any":["thing",{"deep":null}],"n":1}}}},
             {"http01":{"ingress":{"podTemplate":{"spec":{
                "resources":{"limits":{"cpu":"100m","memory":"1Gi"}},
                "imagePullSecrets":[{}]}}}}}]}}})",
       R"({"spec":{"acme":{"server":"https://acme.example.com","privateKeySecretRef":{"name":"k"},
                           "skipTLSVerify":true,"solvers":[
             {"dns01":{"cnameStrategy":"Follow","webhook":{"groupName":"g","solverName":"s",
                       "config":{"any":["thing",{"deep":null}],"n":1}}}},
             {"http01":{"ingress":{"podTemplate":{"spec":{
                "resources":{"limits":{"cpu":"100m","memory":"1Gi"}},
                "imagePullSecrets":[{"name":""}]}}}}}]}}})"},
      {pipeline_example_io::v1alpha1::Workflow::kType,
       R"({"metadata":{"generateName":"build-"},
           "spec":{"entrypoint":"main","retryStrategy":{"limit":"3","backoff":{"factor":2}},
             "templateDefaults":{"timeout":"30s"},
             "hooks":{"exit":{"template":"bye"}},
             "templates":[{"name":"main",
               "steps":[[{"name":"a","template":"t","withItems":[1,"two",{"three":[3]},null]}],[]],
               "container":{"image":"busybox","ports":[{"containerPort":80}],
                            "env":[{"name":"A","valueFrom":{"secretKeyRef":{"key":"k"}}}]},
               "resource":{"action":"apply","manifest":{"apiVersion":"v1","kind":"ConfigMap",
                           "metadata":{"name":"x"},"data":{"k":"v"}}}}]},
           "status":{"finishedAt":null,"nodes":{"n1":{"id":"1","name":"n","type":"Pod",
                     "resourcesDuration":{"cpu":3}}},"madeUp":true}})",
       R"({"metadata":{"generateName":"build-"},
           "spec":{"entrypoint":"main","retryStrategy":{"limit":"3","retryPolicy":"OnFailure",
                                                        "backoff":{"factor":2,"duration":"5s"}},
             "templateDefaults":{"timeout":"30s"},
             "hooks":{"exit":{"template":"bye"}},
             "templates":[{"name":"main",
               "steps":[[{"name":"a","template":"t","withItems":[1,"two",{"three":[3]},null]}],[]],
               "container":{"image":"busybox","name":"main",
                            "ports":[{"containerPort":80,"protocol":"TCP"}],
                            "env":[{"name":"A","valueFrom":{"secretKeyRef":{"key":"k","name":""}}}]},
               "resource":{"action":"apply","mergeStrategy":"strategic",
                           "manifest":{"apiVersion":"v1","kind":"ConfigMap",
                           "metadata":{"name":"x"},"data":{"k":"v"}}}}]},
           "status":{"finishedAt":null,"nodes":{"n1":{"id":"1","name":"n","type":"Pod",
                     "resourcesDuration":{"cpu":3}}},"madeUp":true}})"},
      {delivery_example_io::v1alpha1::Application::kType,
       R"({"spec":{"project":"default","destination":{"server":"s"},"revisionHistoryLimit":3,
             "source":{"repoURL":"r","helm":{"valuesObject":{"a":{"b":[true]}}},
                       "kustomize":{"replicas":[{"name":"x","count":3},{"name":"y","count":"4"}]}}},
           "status":{"history":[{"deployedAt":"2026-01-01T00:00:00Z","id":0,"sources":[]}]}})",
       ""},
      {observe_example_com::v1::Collector::kType,
       R"({"spec":{"replicas":2,"shards":1,"evaluationInterval":"1m","portName":"p",
             "scrapeInterval":"30s","retention":"1d","routePrefix":"/x",
             "containers":[{"name":"c","securityContext":{"runAsUser":7}}],
             "initContainers":[{"name":"i"}],
             "resources":{"requests":{"memory":"400Mi"}},
             "remoteWrite":[{"url":"u","writeRelabelConfigs":[{"action":"drop"}],
                             "proxyConnectHeader":{"X":[{"key":"k","name":"n"}]}}],
             "alerting":{"alertmanagers":[{"name":"a","port":"web"},{"name":"b","port":9093}]}},
           "status":{"availableReplicas":0,"paused":false,"replicas":0,"unavailableReplicas":0,
                     "updatedReplicas":0}})",
       ""},
      {mesh_example_org::v1::VirtualRoute::kType,
       R"({"spec":{"hosts":["*"],"http":[{"mirrorPercent":null,"match":[{"uri":{"prefix":"/"}}],
             "route":[{"destination":{"host":"h","port":{"number":80}},"weight":100}],
             "fault":{"abort":{"percentage":{"value":0.1},"httpStatus":500}}}]},
           "status":{"observedGeneration":7,"more":{}}})",
       ""},
      {games_example_net::v2::Fleet::kType,
       R"({"spec":{"replicas":null,"paused":null,"labels":{"a":null,"b":"c"},"priorities":null,
             "template":{"ports":[{"containerPort":1,"ranges":[null,{},{"min":5,"weight":null}]}],
                         "counters":{"a":{},"b":null},"lists":{"l":[{}],"m":[]}},
             "allocations":[{"region":"r"}]},
           "status":{"observed":null}})",
       R"({"spec":{"replicas":2,"paused":null,"labels":{"a":null,"b":"c"},"priorities":null,
             "ratio":0.75,"strategy":{"type":"Rolling",
                                      "rolling":{"maxSurge":"25%","maxUnavailable":1}},
             "template":{"ports":[{"containerPort":1,"name":"game","protocol":"UDP",
                           "ranges":[{"min":7000,"max":8000,"weight":1.5},
                                     {"min":1,"max":65535,"weight":1.5},
                                     {"min":5,"max":65535,"weight":null}]}],
                         "counters":{"a":{"count":1,"capacity":1000},
                                     "b":{"count":5,"capacity":1000}},
                         "lists":{"l":[{"value":"empty"}],"m":[]},
                         "health":{"disabled":false,"periodSeconds":5,"failureThreshold":3}},
             "allocations":[{"region":"r","tier":"standard"}]},
           "status":{"observed":null}})"},
      {keep_example_com::v1::BackupPlan::kType,
       R"({"spec":{"schedule":"0 3 * * *","store":"s","windows":[],"zone":"x",
             "grid":[[["a",null],[]],[],[["b"]]],"steps":[{"a":"b"},{}],
             "byNamespace":{"n":{"k":[{"path":"/","mode":"m"}],"e":[]},"o":{}},
             "limits":{"a":1,"b":"2"},"anything":[1,{"x":null}],"annotations":{"a":1,"b":"c"},
             "hints":{"speed":"fast","more":1},"key":"AAE=",
             "hooks":[{"job":{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"}},
                       "notice":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"},
                                 "data":{},"immutable":false}}],
             "retention":{"keep":[]}}})",
       ""},
      {strange_things_example_org::v1_alpha::OddIty::kType,
       R"({"class":"a","template":{"operator":"+","new":1,"delete":false},"":"empty","4xx":1,
           "_4xx":2,"x-custom-header":"1","xCustomHeader":"2","x_custom_header":"3",
           "X-Custom-Header":"4","$ref":"5","ref":"6","日本":"7","a.b/c":"8","line\nbreak":"9",
           "with \"quotes\" and \\":"10","foo":{"v":"s"},"Foo":{"v":1},"FOO":{"v":true},
           "not":{"and":{"or":"x"}},"nothing":{"extra":[]},"std":"s","api":{"meta":"m"},
           "unknown_fields":"u","kType":"k","OddIty":"o","OddItyList":[{"a":"b"}],
           "numbers":{"big":9223372036854775807,"required-nullable":null,"defaulted":0,
                      "real":1e300,"single":0.5,"small":2},
           "requiredLists":{"list":[],"map":{},"nullableList":null,"defaultedList":["y"],
                            "bytes":"","any":[]},
           "elements":{"nullable":[null,{"v":"x"}],"nullableLists":[null,[],[1]],
                       "nullableMaps":{"a":null,"b":{},"c":{"d":"e"}},"flags":[true,false],
                       "times":["2026-01-02T03:04:05Z"],"data":{"a":"AA==","b":""},
                       "ports":[80,"http"],"anys":[null,1,{}]},
           "allOfPorts":8080,"loose":{"known":"k","x":1},"closed":{}})",
       ""},
      {net_example_com::v1beta2::AddressPool::kType,
       R"({"spec":{"ranges":["10.0.0.0/8"],"nat":{"snat":{}},"uses":[],
             "peers":[{"address":"a","communities":[[1,2],[]]}],
             "reservations":{"r":{"owner":"o","token":"AQID"}}},
           "status":{"blocks":[{"cidr":"c","node":null}]}})",
       R"({"spec":{"ranges":["10.0.0.0/8"],"nat":{"snat":{"pool":"main"}},"uses":[],"family":4,
             "blockSize":26,
             "peers":[{"address":"a","port":179,"timers":{"keepalive":30,"hold":90},
                       "communities":[[1,2],[]]}],
             "reservations":{"r":{"owner":"o","token":"AQID","weight":1}}},
           "status":{"blocks":[{"cidr":"c","node":null,"used":0}]}})"},
  };
  return kExamples;
}

Json Parsed(std::string_view text) {
  auto json = Json::Parse(text);
  EXPECT_TRUE(json) << json.error().Describe() << " in " << text;
  return json ? *std::move(json) : Json();
}

/// Null that the schema does not allow says nothing, and a null element with a default is that.
Json AsRead(const Example& example) {
  if (&example.type != &games_example_net::v2::Fleet::kType) return Parsed(example.json);
  Json json = Parsed(example.json);
  Json& spec = *json.If<Json::Object>()->find("spec");
  spec.If<Json::Object>()->erase("replicas");
  Json::Object& made = *spec.If<Json::Object>()->find("template")->If<Json::Object>();
  Json::Object& port = *made.find("ports")->If<Json::Array>()->front().If<Json::Object>();
  port.find("ranges")->If<Json::Array>()->front() = Parsed(R"({"max":8000,"min":7000})");
  made.find("counters")->If<Json::Object>()->insert_or_assign("b", Parsed(R"({"count":5})"));
  return json;
}

TEST(Crds, AnObjectReadFromJsonIsWrittenAsItCame) {
  for (const Example& example : Examples()) {
    api::AnyObject object(example.type);
    const auto read = api::DecodeJson(example.json, example.type, object.get());
    ASSERT_TRUE(read) << example.type.name << ": " << read.error().Describe();
    const auto written = api::ToJson(object.get(), example.type);
    ASSERT_TRUE(written);
    EXPECT_EQ(api::Diff(AsRead(example), *written), "") << example.type.name;
  }
}

TEST(Crds, AnObjectGoesThroughYaml) {
  for (const Example& example : Examples()) {
    const Json document = AsRead(example);
    const std::string yaml = api::ToYaml(document);
    api::AnyObject object(example.type);
    api::ObjectSink into(example.type, object.get(), yaml.size());
    const auto read = api::ReadYaml(yaml, into.sink());
    ASSERT_TRUE(read) << example.type.name << ": " << into.Path() << read.error().Describe();
    const auto written = api::EncodeObject(object, api::Format::kYaml);
    ASSERT_TRUE(written);
    EXPECT_EQ(*written, yaml) << example.type.name;
  }
}

TEST(Crds, AManifestIsReadByItsKind) {
  constexpr const TypeInfo* kKinds[] = {&games_example_net::v1::Fleet::kType,
                                        &games_example_net::v2::Fleet::kType};
  const auto read = [&](std::string_view yaml) {
    return api::DecodeObject(yaml, api::Format::kYaml, kKinds);
  };
  const auto fleet = read("apiVersion: games.example.net/v1\nkind: Fleet\nspec: {port: 1}\n");
  ASSERT_TRUE(fleet) << fleet.error().Describe();
  EXPECT_EQ(fleet->As<games_example_net::v1::Fleet>()->spec.port, 1);
  EXPECT_TRUE(read("apiVersion: v1\nkind: Pod\n"));
  EXPECT_EQ(read("apiVersion: games.example.net/v3\nkind: Fleet\n").error().Describe(),
            "unsupported: there is no kind Fleet in games.example.net/v3");
}

TEST(Crds, DefaultsAreFilledInWhereNothingWasSaid) {
  for (const Example& example : Examples()) {
    api::AnyObject object(example.type);
    ASSERT_TRUE(api::DecodeJson(example.json, example.type, object.get()));
    const auto defaulted = api::ApplySchemaDefaults(object.get(), example.type);
    ASSERT_TRUE(defaulted) << example.type.name << ": " << defaulted.error().Describe();
    const auto written = api::ToJson(object.get(), example.type);
    ASSERT_TRUE(written);
    const Json expected = example.defaulted.empty() ? AsRead(example) : Parsed(example.defaulted);
    EXPECT_EQ(api::Diff(expected, *written), "") << example.type.name;
  }
}

TEST(Crds, DefaultsAreTheSameTheSecondTime) {
  for (const Example& example : Examples()) {
    api::AnyObject object(example.type);
    ASSERT_TRUE(api::DecodeJson(example.json, example.type, object.get()));
    ASSERT_TRUE(api::ApplySchemaDefaults(object.get(), example.type));
    const auto once = api::ToJson(object.get(), example.type);
    ASSERT_TRUE(api::ApplySchemaDefaults(object.get(), example.type));
    EXPECT_EQ(*once, *api::ToJson(object.get(), example.type)) << example.type.name;
  }
}

TEST(Crds, AFieldIsTheExpressionOfItsPath) {
  games_example_net::v2::Fleet fleet;
  fleet.metadata.name = "arena";
  fleet.spec.template_.ports.emplace_back().containerPort = 7777;
  ASSERT_TRUE(api::ApplySchemaDefaults(fleet));
  EXPECT_EQ(fleet.spec.replicas, 2);
  EXPECT_EQ(fleet.spec.strategy->rolling->maxSurge, api::IntOrString(std::string("25%")));
  EXPECT_EQ(fleet.spec.template_.ports[0].protocol, "UDP");
  EXPECT_EQ(fleet.spec.priorities, (std::vector<std::int64_t>{10, 20}));

  keep_example_com::v1::BackupPlan plan;
  plan.spec.windows.emplace_back().value = {1, 5};
  EXPECT_EQ(*api::EncodeJson(plan), R"({"spec":{"schedule":"","store":"","windows":[[1,5]]}})");
}

TEST(Crds, ARequiredListIsNeverNull) {
  strange_things_example_org::v1_alpha::OddIty odd;
  odd.requiredLists.emplace();
  EXPECT_EQ(*api::EncodeJson(odd),
            R"({"requiredLists":{"any":null,"bytes":"","list":[],"map":{},"nullableList":[]}})");
  games_example_net::v2::FleetList list;
  EXPECT_EQ(*api::EncodeJson(list), R"({"metadata":{},"items":[]})");
}

TEST(Crds, WhatWasEmptyIsWrittenUntilThereIsSomething) {
  auto cert = api::DecodeJson<trust_example_com::v1::CertificateRequest>(
      R"({"spec":{"groups":[],"issuerRef":{"name":"i"},"request":"AA=="}})");
  ASSERT_TRUE(cert);
  cert->spec.groups.push_back("a");
  EXPECT_EQ(*api::EncodeJson(cert->spec),
            R"({"groups":["a"],"issuerRef":{"name":"i"},"request":"AA=="})");
  cert->spec.groups.clear();
  EXPECT_EQ(*api::EncodeJson(cert->spec),
            R"({"groups":[],"issuerRef":{"name":"i"},"request":"AA=="})");
}

TEST(Crds, APatchHasOnlyWhatChanged) {
  games_example_net::v2::Fleet before;
  before.spec.replicas = 1;
  games_example_net::v2::Fleet after = before;
  after.spec.replicas = 0;
  after.spec.paused = true;
  EXPECT_EQ(api::CreateMergePatch(before, after)->ToString(),
            R"({"spec":{"paused":true,"replicas":0}})");
}

TEST(Crds, WhatDoesNotFitIsNamedWithItsPath) {
  const auto error = [](std::string_view text) {
    return api::DecodeJson<keep_example_com::v1::BackupPlan>(text).error().Describe();
  };
  EXPECT_EQ(error(R"({"spec":{"windows":[[1],[2,"x"]]}})"),
            "malformed: spec.windows[1][1]: a string where an integer belongs");
  EXPECT_EQ(error(R"({"spec":{"windows":[7]}})"),
            "malformed: spec.windows[0]: a number where an array belongs");
  EXPECT_EQ(error(R"({"spec":{"byNamespace":{"n":{"k":{}}}}})"),
            "malformed: spec.byNamespace[n][k]: an object where an array belongs");
}

}  // namespace
}  // namespace flyball

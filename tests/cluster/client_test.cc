// Every verb of the client against a real API server, in protobuf and in JSON.

#include "flyball/client/client.h"

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/apps/v1.h"
#include "flyball/api/base64.h"
#include "flyball/api/registry.h"
#include "flyball/client/access_config.h"
#include "flyball/client/credentials.h"
#include "flyball/client/discovery.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/cluster/cluster_test.h"
#include "tests/scripted/test_folder.h"
#include "tests/verbs/verbs.h"

namespace flyball::cluster {
namespace {

using client::Client;
using client::Encoding;
using client::EventType;
using client::ObjectKey;
using client::PatchType;
using core::v1::ConfigMap;
using core::v1::Pod;
using testing::HasSubstr;

/// The value, or a failed test and a default one.
template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  ADD_FAILURE() << result.error().Describe();
  return T();
}

/// Somebody with what it takes to talk to the server.
class Somebody {
 public:
  Somebody(std::string kubeconfig, transport::Network& network, Clock& clock, Encoding encoding,
           const Logger& log = {})
      : file_(std::move(kubeconfig)),
        access_(Must(client::ToolAccess(file_, {}, {}, log))),
        credentials_(*client::Credentials::Create(access_, {.clock = clock, .log = log})),
        transport_(network, OptionsFor()),
        rest_({.transport = transport_,
               .clock = clock,
               .credentials = credentials_.get(),
               .log = log},
              {}),
        client_(rest_, encoding) {
    credentials_->WhenTlsChanges([this] { transport_.Renew(); });
  }
  Somebody(ControlPlane& plane, transport::Network& network, Clock& clock,
           const cluster::Credentials& how, Encoding encoding)
      : Somebody(Must(plane.WriteKubeconfig("client", how)).string(), network, clock, encoding) {}

  const Client& operator*() const { return client_; }
  const Client* operator->() const { return &client_; }

  /// Whom the server takes us for.
  std::string Name() const {
    const auto review = client_.rest().Do(
        {.method = "POST",
         .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
         .body = R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"})",
         .content_type = "application/json",
         .asked = "who am I"});
    if (!review) return review.error().Describe();
    return Must(client::DecodeBody<authentication::v1::SelfSubjectReview>(review->body))
        .status.userInfo.username;
  }

 private:
  transport::HttpTransport::Options OptionsFor() {
    transport::HttpTransport::Options options;
    options.server = access_.server;
    options.tls = [this] { return credentials_->Tls(); };
    return options;
  }

  const std::string file_;
  const client::AccessConfig access_;
  const std::unique_ptr<client::Credentials> credentials_;
  transport::HttpTransport transport_;
  client::RestClient rest_;
  const Client client_;
};

class ClientTest : public ClusterTest, public testing::WithParamInterface<Encoding> {
 protected:
  ObjectKey Key(const std::string& name) const { return {space_, name}; }

  ConfigMap MakeConfigMap(const std::string& name) const {
    ConfigMap object;
    object.metadata.namespace_ = space_;
    object.metadata.name = name;
    object.metadata.labels["app"] = "web";
    object.data["key"] = "value";
    object.binaryData["bytes"] = std::string("\0\xff", 2);
    return object;
  }

  Pod MakePod(const std::string& name) {
    core::v1::ServiceAccount account;
    account.metadata.namespace_ = space_;
    account.metadata.name = "default";
    if (!admin_->Of<core::v1::ServiceAccount>().Get(Key("default"))) {
      Must(admin_->Of<core::v1::ServiceAccount>().Create(account));
    }
    Pod pod;
    pod.metadata.namespace_ = space_;
    pod.metadata.name = name;
    auto& container = pod.spec.containers.emplace_back();
    container.name = "c";
    container.image = "nginx:1";
    return Must(admin_->Of<Pod>().Create(pod));
  }

  apps::v1::Deployment MakeDeployment(const std::string& name) const {
    apps::v1::Deployment object;
    object.metadata.namespace_ = space_;
    object.metadata.name = name;
    object.spec.replicas = 2;
    object.spec.selector.emplace().matchLabels["app"] = name;
    object.spec.template_.metadata.labels["app"] = name;
    auto& container = object.spec.template_.spec.containers.emplace_back();
    container.name = "c";
    container.image = "nginx:1";
    return object;
  }

  /// Less what the server has put in.
  template <typename T>
  static T Stripped(T object) {
    EXPECT_FALSE(object.metadata.uid.empty());
    EXPECT_FALSE(object.metadata.resourceVersion.empty());
    EXPECT_FALSE(object.metadata.creationTimestamp.IsZero());
    object.metadata.uid.clear();
    object.metadata.resourceVersion.clear();
    object.metadata.creationTimestamp = {};
    object.metadata.managedFields.clear();
    object.metadata.generation = 0;
    return object;
  }

  const std::string space_ = NewNamespace();
  Somebody admin_{plane(), network(), clock(), {.token = plane().admin_token()}, GetParam()};
  client::ResourceClient<ConfigMap> maps_ = admin_->Of<ConfigMap>();
};

INSTANTIATE_TEST_SUITE_P(Encodings, ClientTest,
                         testing::Values(Encoding::kProtobuf, Encoding::kJson),
                         [](const auto& one) {
                           return one.param == Encoding::kProtobuf ? "Protobuf" : "Json";
                         });

TEST_P(ClientTest, CreatesReadsUpdatesAndDeletes) {
  const ConfigMap wanted = MakeConfigMap("a");
  const ConfigMap created = Must(maps_.Create(wanted));
  EXPECT_EQ(Stripped(created), wanted);
  ConfigMap read = Must(maps_.Get(Key("a")));
  EXPECT_EQ(read, created);

  read.data["key"] = "other";
  const ConfigMap updated = Must(maps_.Update(read));
  ConfigMap wanted_update = wanted;
  wanted_update.data["key"] = "other";
  EXPECT_EQ(Stripped(updated), wanted_update);
  EXPECT_NE(updated.metadata.resourceVersion, created.metadata.resourceVersion);

  ASSERT_TRUE(maps_.Delete(Key("a")).has_value());
  const auto gone = maps_.Get(Key("a"));
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(gone.error().message(), "configmaps \"a\" not found");
}

/// The names in what a verb brings back.
std::vector<std::string> NamesIn(const api::Json& outcome) {
  std::vector<std::string> names;
  if (const auto* list = outcome.If<api::Json::Array>()) {
    for (const api::Json& one : *list) {
      for (std::string& name : NamesIn(one)) names.push_back(std::move(name));
    }
  } else if (const api::Json* metadata = outcome.Find("metadata")) {
    if (const api::Json* name = metadata->Find("name")) names.push_back(*name->If<std::string>());
  }
  return names;
}

// The same verbs that client_fault_test.cc runs against a server that misbehaves.
TEST_P(ClientTest, EveryVerbDoesItsWork) {
  for (const auto& named : verbs::AllVerbs("", GetParam())) {
    SCOPED_TRACE(named.name);
    const std::string space = NewNamespace();
    const auto all = verbs::AllVerbs(space, GetParam());
    const auto verb = std::ranges::find(all, named.name, &verbs::Verb::name);
    const auto prepared = verbs::Prepare(*admin_, space, *verb);
    ASSERT_TRUE(prepared.has_value()) << prepared.error().Describe();
    const auto outcome = verb->run(*admin_);
    ASSERT_TRUE(outcome.has_value()) << outcome.error().Describe();
    EXPECT_EQ(NamesIn(*outcome), NamesIn(verb->outcome));
  }
}

TEST_P(ClientTest, ADryRunChangesNothing) {
  meta::v1::CreateOptions options;
  options.dryRun = {"All"};
  const ConfigMap created = Must(maps_.Create(MakeConfigMap("dry"), options));
  EXPECT_EQ(created.metadata.name, "dry");
  EXPECT_FALSE(maps_.Get(Key("dry")).has_value());
}

TEST_P(ClientTest, ListsInPiecesAndBySelector) {
  for (int i = 0; i < 7; ++i) {
    ConfigMap object = MakeConfigMap("m" + std::to_string(i));
    object.metadata.labels["odd"] = i % 2 == 1 ? "yes" : "no";
    Must(maps_.Create(object));
  }
  meta::v1::ListOptions options;
  options.limit = 3;
  std::vector<std::string> names;
  do {
    const auto list = Must(maps_.ListIn(space_, options));
    EXPECT_LE(list.items.size(), 3U);
    EXPECT_FALSE(list.metadata.resourceVersion.empty());
    for (const auto& item : list.items) names.push_back(item.metadata.name);
    options.continue_ = list.metadata.continue_;
  } while (!options.continue_.empty());
  EXPECT_THAT(names, testing::ElementsAre("m0", "m1", "m2", "m3", "m4", "m5", "m6"));

  meta::v1::ListOptions odd;
  odd.labelSelector = "odd=yes,app in (web)";
  EXPECT_EQ(Must(maps_.ListIn(space_, odd)).items.size(), 3U);
  meta::v1::ListOptions one;
  one.fieldSelector = "metadata.name=m4";
  const auto found = Must(maps_.ListIn("", one));
  EXPECT_GE(found.items.size(), 1U);
}

TEST_P(ClientTest, WatchesWhatHappens) {
  meta::v1::ListOptions options;
  options.resourceVersion = Must(maps_.ListIn(space_)).metadata.resourceVersion;
  options.timeoutSeconds = 30;
  auto watch = maps_.WatchIn(space_, options);
  ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
  const ConfigMap created = Must(maps_.Create(MakeConfigMap("w")));
  ConfigMap changed = created;
  changed.data["key"] = "changed";
  changed = Must(maps_.Update(changed));
  ASSERT_TRUE(maps_.Delete(Key("w")).has_value());
  for (const EventType type : {EventType::kAdded, EventType::kModified, EventType::kDeleted}) {
    const auto event = Must(watch->Next());
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type, type);
    // What is deleted comes as it was last, but for its version.
    const ConfigMap& wanted = type == EventType::kAdded ? created : changed;
    EXPECT_EQ(Stripped(event->object), Stripped(wanted));
  }
}

TEST_P(ClientTest, StreamsTheInitialStateAndABookmarkAfterIt) {
  Must(maps_.Create(MakeConfigMap("initial")));
  meta::v1::ListOptions options;
  options.sendInitialEvents = true;
  options.allowWatchBookmarks = true;
  options.resourceVersionMatch = "NotOlderThan";
  auto watch = maps_.WatchIn(space_, options);
  ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
  const auto added = Must(watch->Next());
  ASSERT_TRUE(added.has_value());
  EXPECT_EQ(added->object.metadata.name, "initial");
  const auto bookmark = Must(watch->Next());
  ASSERT_TRUE(bookmark.has_value());
  EXPECT_EQ(bookmark->type, EventType::kBookmark);
  EXPECT_FALSE(bookmark->object.metadata.resourceVersion.empty());
  const std::string* end = bookmark->object.metadata.annotations.find("k8s.io/initial-events-end");
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(*end, "true");
}

TEST_P(ClientTest, PatchesInEveryLanguage) {
  Must(maps_.Create(MakeConfigMap("p")));
  const auto patched = [&](PatchType type, const std::string& text) {
    meta::v1::PatchOptions options;
    options.fieldManager = "tests";
    if (type == PatchType::kApply) options.force = true;
    return Must(maps_.Patch(Key("p"), {type, text}, options));
  };
  EXPECT_EQ(*patched(PatchType::kMerge, R"({"data":{"merge":"1"}})").data.find("merge"), "1");
  EXPECT_EQ(*patched(PatchType::kJson, R"([{"op":"add","path":"/data/json","value":"2"}])")
                 .data.find("json"),
            "2");
  const ConfigMap strategic =
      patched(PatchType::kStrategic,
              R"({"metadata":{"finalizers":["example.com/a"]},"data":{"key":null}})");
  EXPECT_EQ(strategic.metadata.finalizers, std::vector<std::string>{"example.com/a"});
  EXPECT_FALSE(strategic.data.contains("key"));
  const ConfigMap applied = patched(
      PatchType::kApply,
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"p"},"data":{"apply":"3"}})");
  EXPECT_EQ(*applied.data.find("apply"), "3");
  EXPECT_TRUE(applied.data.contains("merge"));
  patched(PatchType::kMerge, R"({"metadata":{"finalizers":null}})");
}

TEST_P(ClientTest, UpdatesStatusAndScale) {
  const auto deployments = admin_->Of<apps::v1::Deployment>();
  auto deployment = Must(deployments.Create(MakeDeployment("d")));
  deployment.status.observedGeneration = 1;
  deployment.status.replicas = 2;
  deployment.spec.replicas = 9;  // which a write of the status leaves alone
  const auto updated = Must(deployments.UpdateStatus(deployment));
  EXPECT_EQ(updated.status.replicas, 2);
  EXPECT_EQ(updated.spec.replicas, 2);

  auto scale = Must(deployments.GetScale(Key("d")));
  EXPECT_EQ(scale.spec.replicas, 2);
  EXPECT_EQ(scale.status.selector, "app=d");
  scale.spec.replicas = 5;
  EXPECT_EQ(Must(deployments.UpdateScale(scale)).spec.replicas, 5);
  const auto patched = Must(deployments.PatchPart<autoscaling::v1::Scale>(
      Key("d"), "scale", {PatchType::kMerge, R"({"spec":{"replicas":7}})"}));
  EXPECT_EQ(patched.spec.replicas, 7);
  EXPECT_EQ(Must(deployments.Get(Key("d"))).spec.replicas, 7);
}

TEST_P(ClientTest, DeletesOnConditionsAndInBulk) {
  const ConfigMap created = Must(maps_.Create(MakeConfigMap("x")));
  meta::v1::DeleteOptions options;
  options.preconditions.emplace().uid = "another";
  const auto refused = maps_.Delete(Key("x"), options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
  options.preconditions->uid = created.metadata.uid;
  options.preconditions->resourceVersion = created.metadata.resourceVersion;
  options.propagationPolicy = "Background";
  options.gracePeriodSeconds = 0;
  EXPECT_TRUE(maps_.Delete(Key("x"), options).has_value());

  for (const char* name : {"y", "z"}) Must(maps_.Create(MakeConfigMap(name)));
  meta::v1::ListOptions which;
  which.fieldSelector = "metadata.name=y";
  ASSERT_TRUE(maps_.DeleteCollection(space_, {}, which).has_value());
  std::vector<std::string> left;
  for (const ConfigMap& map : Must(maps_.ListIn(space_)).items) left.push_back(map.metadata.name);
  EXPECT_THAT(left, testing::ElementsAre("z"));
}

TEST_P(ClientTest, BindsEvictsAndIssuesTokens) {
  MakePod("pod");
  core::v1::Binding binding;
  binding.metadata.namespace_ = space_;
  binding.metadata.name = "pod";
  binding.target.kind = "Node";
  binding.target.name = "node-1";
  const auto bound = admin_->Bind(binding);
  ASSERT_TRUE(bound.has_value()) << bound.error().Describe();
  EXPECT_EQ(Must(admin_->Of<Pod>().Get(Key("pod"))).spec.nodeName, "node-1");

  policy::v1::Eviction eviction;
  eviction.metadata.namespace_ = space_;
  eviction.metadata.name = "pod";
  const auto evicted = admin_->Evict(eviction);
  ASSERT_TRUE(evicted.has_value()) << evicted.error().Describe();
  const auto pod = admin_->Of<Pod>().Get(Key("pod"));
  EXPECT_TRUE(!pod || pod->metadata.deletionTimestamp.has_value());

  authentication::v1::TokenRequest wanted;
  wanted.spec.expirationSeconds = 600;
  const auto token = Must(admin_->CreateToken(Key("default"), wanted));
  EXPECT_FALSE(token.status.token.empty());
}

TEST_P(ClientTest, ReadsMetadataAloneAndAnyResourceAsJson) {
  Must(maps_.Create(MakeConfigMap("meta")));
  const auto metadata = admin_->Metadata(client::Resource::Of<ConfigMap>());
  const auto one = Must(metadata.Get(Key("meta")));
  EXPECT_EQ(one.metadata.name, "meta");
  EXPECT_EQ(*one.metadata.labels.find("app"), "web");
  EXPECT_EQ(Must(metadata.ListIn(space_)).items.size(), 1U);
  const auto patched = Must(
      metadata.Patch(Key("meta"), {PatchType::kMerge, R"({"metadata":{"labels":{"b":"c"}}})"}));
  EXPECT_EQ(patched.metadata.labels.size(), 2U);

  const auto dynamic = admin_->Dynamic(client::Resource::Of<ConfigMap>());
  api::Json object = Must(dynamic.Get(Key("meta")));
  EXPECT_EQ(*object.Find("data")->Find("key")->If<std::string>(), "value");
  object.If<api::Json::Object>()->find("data")->If<api::Json::Object>()->insert_or_assign("n", "m");
  const api::Json updated = Must(dynamic.Update(object));
  EXPECT_EQ(*updated.Find("data")->Find("n")->If<std::string>(), "m");
  EXPECT_EQ(Must(dynamic.ListIn(space_)).items.size(), 1U);
}

TEST_P(ClientTest, RefusalsAreErrorsWithTheirCauses) {
  Must(maps_.Create(MakeConfigMap("e")));
  const auto again = maps_.Create(MakeConfigMap("e"));
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code(), ErrorCode::kAlreadyExists);

  ConfigMap stale = Must(maps_.Get(Key("e")));
  Must(maps_.Patch(Key("e"), {PatchType::kMerge, R"({"data":{"a":"b"}})"}));
  const auto conflict = maps_.Update(stale);
  ASSERT_FALSE(conflict.has_value());
  EXPECT_EQ(conflict.error().code(), ErrorCode::kConflict);

  ConfigMap invalid = MakeConfigMap("e2");
  invalid.data["not a key"] = "";
  const auto refused = maps_.Create(invalid);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalid);
  ASSERT_EQ(refused.error().detail().causes.size(), 1U);
  EXPECT_EQ(refused.error().detail().causes[0].field, "data[not a key]");
  EXPECT_EQ(refused.error().detail().causes[0].reason, "FieldValueInvalid");

  const Somebody alice(plane(), network(), clock(), {.token = plane().TokenOf("alice")},
                       GetParam());
  const auto forbidden = alice->Of<ConfigMap>().Get(Key("e"));
  ASSERT_FALSE(forbidden.has_value());
  EXPECT_EQ(forbidden.error().code(), ErrorCode::kForbidden);
  EXPECT_THAT(forbidden.error().message(), HasSubstr("User \"alice\" cannot get resource"));

  const Somebody nobody(plane(), network(), clock(), {.token = "wrong"}, GetParam());
  const auto unknown = nobody->Of<ConfigMap>().Get(Key("e"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code(), ErrorCode::kUnauthorized);
}

TEST_P(ClientTest, ACertificateIsAnIdentityToo) {
  const Somebody admin(plane(), network(), clock(),
                       {.certificate = plane().IssueClientCertificate("carol", {"system:masters"})},
                       GetParam());
  EXPECT_EQ(Must(admin->Of<ConfigMap>().Create(MakeConfigMap("c"))).metadata.name, "c");
}

TEST_P(ClientTest, DiscoversEveryResourceAsTheSchemaHasIt) {
  const auto served = client::Discover(admin_->rest());
  ASSERT_TRUE(served.has_value()) << served.error().Describe();
  EXPECT_TRUE(served->unknown.empty());
  int known = 0;
  for (const auto& found : served->resources) {
    const auto* type = api::FindKind(found.resource.ApiVersion(), found.resource.kind);
    if (type == nullptr || type->resource == nullptr) continue;
    if (type->resource->plural != found.resource.plural)
      continue;  // scale, tokens: parts of others
    SCOPED_TRACE(found.resource.QualifiedName());
    EXPECT_EQ(client::Resource::Of(*type), found.resource);
    EXPECT_EQ(type->resource->singular, found.singular);
    ++known;
  }
  EXPECT_GE(known, 60);
}

TEST_P(ClientTest, ACustomKindIsFoundWhenItAppearsAndServedInEveryForm) {
  const std::string group = space_ + ".example.com";
  client::RestMapper mapper(admin_->rest());
  EXPECT_EQ(mapper.ByKind(group, "Widget").error().code(), ErrorCode::kNotFound);

  apiextensions::v1::CustomResourceDefinition definition;
  definition.metadata.name = "widgets." + group;
  definition.spec.group = group;
  definition.spec.scope = "Namespaced";
  definition.spec.names.plural = "widgets";
  definition.spec.names.kind = "Widget";
  auto& version = definition.spec.versions.emplace_back();
  version.name = "v1";
  version.served = version.storage = true;
  auto& schema = version.schema.emplace().openAPIV3Schema.emplace();
  schema.type = "object";
  schema.xKubernetesPreserveUnknownFields = true;
  Must(admin_->Of<apiextensions::v1::CustomResourceDefinition>().Create(definition));

  std::optional<client::Resource> widgets;
  for (int i = 0; i < 1200 && !widgets; ++i) {
    if (const auto found = mapper.ByKind(group, "Widget")) widgets = found->resource;
    clock().SleepFor(std::chrono::milliseconds(100));
  }
  ASSERT_TRUE(widgets.has_value());
  EXPECT_EQ(*widgets, (client::Resource{group, "v1", "widgets", "Widget", true}));

  const auto wanted = Must(api::Json::Parse(R"({"apiVersion":")" + group +
                                            R"(/v1","kind":"Widget","metadata":{"name":"w",)" +
                                            R"("namespace":")" + space_ + R"("},"size":12})"));
  const auto created = Must(admin_->Dynamic(*widgets).Create(wanted));
  EXPECT_EQ(*created.Find("size")->If<std::int64_t>(), 12);
  const auto metadata = admin_->Metadata(*widgets);
  EXPECT_EQ(Must(metadata.Get(Key("w"))).metadata.name, "w");
  meta::v1::ListOptions options;
  options.resourceVersion = Must(metadata.ListIn(space_)).metadata.resourceVersion;
  auto watch = metadata.WatchIn(space_, options);
  ASSERT_TRUE(watch.has_value()) << watch.error().Describe();
  ASSERT_TRUE(admin_->Dynamic(*widgets).Delete(Key("w")).has_value());
  const auto event = Must(watch->Next());
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, EventType::kDeleted);
  EXPECT_EQ(event->object.metadata.name, "w");
}

/// Each kind of credential, by way of a kubeconfig.
class CredentialKinds : public ClusterTest {
 protected:
  /// Somebody whose user entry has this YAML, on one line.
  Somebody Make(const std::string& user) {
    const std::string text =
        "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
        "{cluster: k, user: u}}], clusters: [{name: k, cluster: {server: " +
        plane().url() + ", certificate-authority-data: " + api::EncodeBase64(plane().authority()) +
        "}}], users: [{name: u, user: {" + user + "}}]}";
    return {folder_.Write("config", text), network(), clock(), Encoding::kProtobuf, log_};
  }

  void ExpectNoSecretInLogs(std::initializer_list<std::string> secrets) {
    const std::string logged = sink_->text();
    EXPECT_FALSE(logged.empty());
    for (const std::string& secret : secrets) {
      EXPECT_EQ(logged.find(secret), std::string::npos) << secret;
    }
  }

  scripted::TestFolder folder_;
  std::shared_ptr<StringLogSink> sink_ = std::make_shared<StringLogSink>();
  Logger log_{{.verbosity = 10}, clock(), sink_};
};

TEST_F(CredentialKinds, AToken) {
  EXPECT_EQ(Make("token: " + plane().TokenOf("alice")).Name(), "alice");
}

TEST_F(CredentialKinds, ACertificateInTheFileItself) {
  const auto mine = plane().IssueClientCertificate("carol");
  const auto carol = Make("client-certificate-data: " + api::EncodeBase64(mine.certificate) +
                          ", client-key-data: " + api::EncodeBase64(mine.key));
  EXPECT_EQ(carol.Name(), "carol");
}

TEST_F(CredentialKinds, ATokenFileThatRotates) {
  const std::string file = folder_.Write("token", plane().TokenOf("alice") + "\n");
  const Somebody somebody = Make("tokenFile: " + file);
  EXPECT_EQ(somebody.Name(), "alice");
  // Told by a 401 that what it has is stale, it looks again and tries again.
  folder_.Write("token", "stale");
  const Somebody late = Make("tokenFile: " + file);
  folder_.Write("token", plane().TokenOf("bob"));
  EXPECT_EQ(late.Name(), "bob");
}

TEST_F(CredentialKinds, APluginThatIsRunAgainWhenTheServerRefusesWhatItGave) {
  folder_.Write("token", "refused-token");
  const std::string script = folder_.WriteScript(
      "plugin", "token=$(cat " + folder_.path() +
                    "/token)\n"
                    "cp " +
                    folder_.path() + "/next " + folder_.path() +
                    "/token\n"
                    "echo \"{apiVersion: client.authentication.k8s.io/v1, kind: ExecCredential, "
                    "status: {token: $token}}\"\n");
  folder_.Write("next", plane().TokenOf("bob"));
  const Somebody somebody =
      Make("exec: {apiVersion: client.authentication.k8s.io/v1, command: " + script +
           ", interactiveMode: Never}");
  EXPECT_EQ(somebody.Name(), "bob");
  const auto forbidden = somebody->Of<ConfigMap>().Get({"default", "x"});
  EXPECT_EQ(forbidden.error().code(), ErrorCode::kForbidden);
  log_.Info("done");
  ExpectNoSecretInLogs({plane().TokenOf("bob"), "refused-token"});
}

TEST_F(CredentialKinds, ImpersonatingSomebodyElse) {
  EXPECT_EQ(Make("token: " + plane().admin_token() + ", as: dave").Name(), "dave");
}

}  // namespace
}  // namespace flyball::cluster

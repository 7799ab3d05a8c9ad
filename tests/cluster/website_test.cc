// The operator of examples/website as a process: on its own rights, beside another, and against the
// same operator written with controller-runtime.
#include <fstream>
#include <iostream>
#include <iterator>

#include "flyball/api/apiextensions/v1.h"
#include "flyball/api/apps/v1.h"
#include "flyball/api/coordination/v1.h"
#include "flyball/api/core/v1.h"
#include "flyball/api/diff.h"
#include "flyball/api/rbac/v1.h"
#include "flyball/api/yaml_documents.h"
#include "flyball/crds/web/v1.h"
#include "flyball/operator/conditions.h"
#include "flyball/transport/fetch.h"
#include "tests/cluster/admin_test.h"
#include "tests/cluster/from_yaml.h"
#include "tests/cluster/number_from_environment.h"
#include "tests/cluster/process.h"
#include "tests/cluster/process_usage.h"

namespace flyball::cluster {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using api::Json;
using api::ObjectKey;
using apiextensions::v1::CustomResourceDefinition;
using apps::v1::Deployment;
using core::v1::ConfigMap;
using core::v1::Service;
using testing::HasSubstr;
using testing::IsEmpty;
using web::v1::Website;

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Json> DocumentsOf(const fs::path& path) {
  const std::string text = TextOf(path);
  std::vector<Json> documents;
  for (const auto& each : api::YamlDocumentsIn(text)) documents.push_back(FromYaml(each.text));
  return documents;
}

class WebsiteTest : public AdminTest {
 protected:
  /// The CRD, and all of the example's manifests, once for all tests.
  void SetUp() override {
    if (!Exists<CustomResourceDefinition>({"", "websites.web.example.com"})) {
      InstallAs<CustomResourceDefinition>(DocumentsOf(FLYBALL_WEBSITE "/website.yaml")[0]);
      for (const Json& object : DocumentsOf(FLYBALL_WEBSITE "/deploy.yaml")) Install(object);
    }
    ASSERT_TRUE(Eventually([&] { return All<Website>().ListIn("").has_value(); }));
  }
  void TearDown() override {
    if (IsReal()) {
      EXPECT_THAT(real_plane().ForbiddenRequests(), IsEmpty());
    }
  }

  template <typename T>
  void InstallAs(const Json& object) {
    Must(All<T>().Create(*api::DecodeJson<T>(object.ToString())));
  }
  void Install(const Json& object) {
    const std::string kind = *object.Find("kind")->If<std::string>();
    if (kind == "Namespace") InstallAs<core::v1::Namespace>(object);
    if (kind == "ServiceAccount") InstallAs<core::v1::ServiceAccount>(object);
    if (kind == "ClusterRole") InstallAs<rbac::v1::ClusterRole>(object);
    if (kind == "ClusterRoleBinding") InstallAs<rbac::v1::ClusterRoleBinding>(object);
    if (kind == "Role") InstallAs<rbac::v1::Role>(object);
    if (kind == "RoleBinding") InstallAs<rbac::v1::RoleBinding>(object);
    if (kind == "Deployment") InstallAs<Deployment>(object);
  }

  /// The example's own account, with the rights of its manifests. The embedded server knows no
  /// roles.
  fs::path Kubeconfig() {
    const std::string token =
        IsReal()
            ? Must(admin().CreateToken({"website-operator", "website-operator"}, {})).status.token
            : plane().admin_token();
    return Must(plane().WriteKubeconfig("website-operator", {.token = token}));
  }
  static fs::path LogOf(const std::string& name) { return logs() / (name + ".log"); }
  /// For programs that need other rights than ours does.
  fs::path AdminKubeconfig() {
    return Must(plane().WriteKubeconfig("peer", {.token = plane().admin_token()}));
  }
  Process Start(const std::string& name, std::vector<std::string> flags = {},
                const fs::path& program = FLYBALL_WEBSITE_OPERATOR) {
    fs::create_directories(logs());
    fs::remove(LogOf(name));
    const bool ours = program == FLYBALL_WEBSITE_OPERATOR;
    flags.push_back("--kubeconfig=" + (ours ? Kubeconfig() : AdminKubeconfig()).string());
    if (ours) flags.emplace_back("--health-address=127.0.0.1:0");
    auto process = Process::Start(program, flags, LogOf(name));
    FLYBALL_CHECK(process, process.error().Describe());
    return *std::move(process);
  }
  /// What it answers on its port; nothing if it is not there yet.
  static std::string Ask(const std::string& name, const std::string& path) {
    const std::string log = TextOf(LogOf(name));
    const std::size_t at = log.find("http://127.0.0.1:");
    if (at == std::string::npos) return {};
    transport::HttpTransport::Options options;
    options.server = *transport::Url::Parse(log.substr(at, log.find('"', at) - at));
    transport::HttpTransport transport(network(), std::move(options));
    const auto answer = transport::Fetch(transport, clock(), {.target = path, .timeout = 5s});
    return answer ? std::to_string(answer->status) + " " + answer->body : "";
  }

  Website NewSite(const std::string& space, const std::string& name) const {
    Website site;
    site.metadata.namespace_ = space;
    site.metadata.name = name;
    site.spec.html = "<h1>" + name + "</h1>";
    site.spec.host = name + ".example.com";
    site.spec.replicas = 2;
    return Must(All<Website>().Create(site));
  }
  bool IsReady(const ObjectKey& key) const {
    const auto site = All<Website>().Get(key);
    return site && site->status && flyball::IsTrue(site->status->conditions, "Ready");
  }
  /// Says of all Deployments that they are there, as nobody else does here.
  std::size_t PretendToRun(const std::string& space) const {
    std::size_t ready = 0;
    for (Deployment& servers : Must(All<Deployment>().ListIn(space)).items) {
      ++ready;
      if (servers.status.readyReplicas == 2) continue;
      servers.status.replicas = servers.status.readyReplicas = 2;
      servers.status.observedGeneration = servers.metadata.generation;
      if (!All<Deployment>().UpdateStatus(servers)) return 0;
    }
    return ready;
  }
  std::size_t ReadyIn(const std::string& space) const {
    const auto sites = All<Website>().ListIn(space);
    if (!sites) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(sites->items, [](const Website& site) {
      return site.status && flyball::IsTrue(site.status->conditions, "Ready");
    }));
  }

  struct Run {
    std::string portrait;
    ProcessUsage usage;
    double seconds = 0;
  };
  /// Has a program serve so many sites, and looks at what it made.
  Run Serve(const std::string& name, const fs::path& program, std::size_t sites);
  template <typename T>
  void Draw(const std::string& space, std::string& portrait) const;
};

/// Less what no two objects have in common.
void Anonymize(Json& object) {
  auto& metadata = *object.If<Json::Object>()->find("metadata")->If<Json::Object>();
  for (const char* const name : {"uid", "resourceVersion", "creationTimestamp", "managedFields",
                                 "generation", "namespace"}) {
    metadata.erase(name);
  }
  if (Json* const owners = metadata.find("ownerReferences")) {
    for (Json& owner : *owners->If<Json::Array>()) owner.If<Json::Object>()->erase("uid");
  }
  if (Json* const spec = object.If<Json::Object>()->find("spec")) {
    spec->If<Json::Object>()->erase("clusterIP");
    spec->If<Json::Object>()->erase("clusterIPs");
  }
  Json* const status = object.If<Json::Object>()->find("status");
  if (status == nullptr) return;
  Json* const conditions = status->If<Json::Object>()->find("conditions");
  if (conditions == nullptr) return;
  for (Json& condition : *conditions->If<Json::Array>()) {
    condition.If<Json::Object>()->erase("lastTransitionTime");
  }
}

template <typename T>
void WebsiteTest::Draw(const std::string& space, std::string& portrait) const {
  for (const T& object : Must(All<T>().ListIn(space)).items) {
    if (object.metadata.name == "kube-root-ca.crt") continue;
    Json drawn = Must(api::ToJson(object));
    Anonymize(drawn);
    portrait += std::string(T::kType.name) + " " + drawn.ToString() + "\n";
  }
}

WebsiteTest::Run WebsiteTest::Serve(const std::string& name, const fs::path& program,
                                    std::size_t sites) {
  const std::string space = NewNamespace();
  Process process = Start(name, {}, program);
  const SteadyTime begin = clock().SteadyNow();
  for (std::size_t i = 0; i < sites; ++i) NewSite(space, "site-" + std::to_string(i));
  EXPECT_TRUE(Eventually([&] { return PretendToRun(space) == sites; }, 300s))
      << TextOf(LogOf(name));
  EXPECT_TRUE(Eventually([&] { return ReadyIn(space) == sites; }, 300s)) << TextOf(LogOf(name));
  Run run;
  run.seconds = std::chrono::duration<double>(clock().SteadyNow() - begin).count();
  clock().SleepFor(6s);  // lint: allow sleep: both give memory back when they have nothing to do
  run.usage = UsageOf({process.pid()});
  if (std::getenv("FLYBALL_WEBSITE_METRICS") != nullptr) std::cout << Ask(name, "/metrics");
  Draw<Website>(space, run.portrait);
  Draw<ConfigMap>(space, run.portrait);
  Draw<Deployment>(space, run.portrait);
  Draw<Service>(space, run.portrait);
  Must(All<Website>().DeleteCollection(space));
  EXPECT_TRUE(Eventually([&] { return Must(All<Website>().ListIn(space)).items.empty(); }, 120s));
  EXPECT_TRUE(process.Stop(clock(), 20s)) << process.Describe();
  return run;
}

TEST_F(WebsiteTest, ServesAPageWithTheRightsOfItsManifests) {
  Process process = Start("rights");
  const ObjectKey key{NewNamespace(), "shop"};
  NewSite(key.namespace_, key.name);
  ASSERT_TRUE(Eventually([&] { return PretendToRun(key.namespace_) == 1; }))
      << TextOf(LogOf("rights"));
  ASSERT_TRUE(Eventually([&] { return IsReady(key); })) << TextOf(LogOf("rights"));
  EXPECT_EQ(Must(All<ConfigMap>().Get(key)).data["index.html"], "<h1>shop</h1>");
  EXPECT_EQ(Must(All<Service>().Get(key)).spec.ports[0].port, 80);
  EXPECT_EQ(Ask("rights", "/healthz"), "200 ok");
  EXPECT_EQ(Ask("rights", "/readyz"), "200 ok");
  EXPECT_THAT(Ask("rights", "/metrics"), HasSubstr("workqueue_adds_total{name=\"website\"}"));

  Must(All<Website>().Delete(key));
  EXPECT_TRUE(Eventually([&] { return !Exists<Website>(key); }));
  EXPECT_TRUE(process.Stop(clock(), 20s)) << process.Describe();
  EXPECT_THAT(TextOf(LogOf("rights")), HasSubstr("Shutdown complete"));
}

TEST_F(WebsiteTest, OfTwoOneWorksAndTheOtherTakesOverWhenItEnds) {
  const std::vector<std::string> flags = {"--leader-elect", "--lease-namespace=website-operator"};
  const ObjectKey lease{"website-operator", "website-operator"};
  Process first = Start("first", flags);
  ASSERT_TRUE(Eventually([&] { return Exists<coordination::v1::Lease>(lease); }));
  Process second = Start("second", flags);
  ASSERT_TRUE(Eventually([&] { return Ask("second", "/readyz") == "200 ok"; }));
  const std::string holder =
      Must(All<coordination::v1::Lease>().Get(lease)).spec.holderIdentity.value_or("");
  EXPECT_TRUE(first.Stop(clock(), 20s)) << first.Describe();

  const ObjectKey key{NewNamespace(), "shop"};
  NewSite(key.namespace_, key.name);
  EXPECT_TRUE(Eventually([&] { return Exists<Service>(key); })) << TextOf(LogOf("second"));
  EXPECT_NE(Must(All<coordination::v1::Lease>().Get(lease)).spec.holderIdentity.value_or(""),
            holder);
  EXPECT_TRUE(second.Stop(clock(), 20s)) << second.Describe();
}

TEST_F(WebsiteTest, IsSmallAndGetsReady) {
  EXPECT_LT(fs::file_size(FLYBALL_WEBSITE_OPERATOR), 15U << 20);
  std::chrono::nanoseconds best = std::chrono::hours(1);
  for (int i = 0; i < 3; ++i) {
    const SteadyTime begin = clock().SteadyNow();
    Process process = Start("quick");
    ASSERT_TRUE(Eventually([&] { return Ask("quick", "/readyz") == "200 ok"; }));
    best = std::min(best, std::chrono::nanoseconds(clock().SteadyNow() - begin));
    EXPECT_TRUE(process.Stop(clock(), 20s)) << process.Describe();
  }
  // A figure to read: how long it takes is the machine's as well.
  std::cout << "ready after " << best / 1ms << " ms\n";
}

TEST_F(WebsiteTest, MakesWhatControllerRuntimeMakesForAFractionOfIt) {
  if (!fs::exists(FLYBALL_WEBSITE_PEER)) GTEST_SKIP() << "skipped: needs Go";
  const auto sites = static_cast<std::size_t>(NumberFromEnvironment("FLYBALL_WEBSITES", 20));
  const Run ours = Serve("ours", FLYBALL_WEBSITE_OPERATOR, sites);
  const Run theirs = Serve("peer", FLYBALL_WEBSITE_PEER, sites);
  EXPECT_EQ(ours.portrait, theirs.portrait);
  std::cout << sites << " websites        ours   controller-runtime\n"
            << "  resident MB   " << ours.usage.resident_mb << "   " << theirs.usage.resident_mb
            << "\n  CPU seconds   " << ours.usage.cpu_seconds << "   " << theirs.usage.cpu_seconds
            << "\n  seconds       " << ours.seconds << "   " << theirs.seconds << "\n";
  // With few of them it is the start of the programs that is compared.
  if (sites < 200) return;
  EXPECT_LE(ours.usage.resident_mb, theirs.usage.resident_mb / 4);
  const double half = theirs.usage.cpu_seconds / 2;
  EXPECT_LE(ours.usage.cpu_seconds, half);  // lint: allow duration: CPU, beside the peer's
}

}  // namespace
}  // namespace flyball::cluster

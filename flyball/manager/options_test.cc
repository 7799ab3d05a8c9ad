#include "flyball/manager/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "flyball/manager/controller_settings.h"

namespace flyball::manager {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What is wrong when somebody has changed this.
std::string Complaint(const std::function<void(Options&)>& change) {
  Options options;
  change(options);
  const Problems problems = options.Check();
  return problems.empty() ? "fine" : problems.Text();
}

TEST(Options, AreFineByDefault) {
  EXPECT_EQ(Complaint([](Options&) {}), "fine");
  EXPECT_THAT(Options().Check().warnings(), IsEmpty());
}

TEST(Options, SayAllThatIsWrongAtOnce) {
  EXPECT_EQ(Complaint([](Options& options) {
              options.generic.leader_election.resource_lock = "endpoints";
              options.generic.controllers = {"*", "-foo", "foo"};
              options.job.concurrent_syncs = 0;
              options.cloud.provider = "aws";
            }),
            "[resourceLock value must be \"leases\", \"foo\" is not in the list of known "
            "controllers, concurrent-job-syncs must be greater than 0, but got 0, cloud provider "
            "\"aws\" was specified, but built-in cloud providers are disabled. Please set "
            "--cloud-provider=external and migrate to an external cloud provider]");
}

TEST(Options, KeepNumbersWithinBounds) {
  EXPECT_EQ(Complaint([](Options& options) { options.stateful_set.concurrent_syncs = -1; }),
            "concurrent-statefulset-syncs must be greater than 0, but got -1");
  EXPECT_EQ(Complaint([](Options& options) { options.resource_claim.concurrent_syncs = 0; }),
            "concurrent-resourceclaim-syncs must be larger than 0, got 0");
  EXPECT_EQ(Complaint([](Options& options) { options.device_taint_eviction.concurrent_syncs = 0; }),
            "concurrent-device-taint-eviction-syncs must be greater than zero, got 0");
  EXPECT_EQ(Complaint([](Options& options) {
              options.endpoint_slice.concurrent_syncs = 51;
              options.endpoint_slice.max_endpoints_per_slice = 0;
            }),
            "[concurrent-service-endpoint-syncs must not be more than 50, but got 51, "
            "max-endpoints-per-slice must not be less than 1, but got 0]");
  EXPECT_EQ(Complaint([](Options& options) {
              options.endpoint_slice_mirroring.max_endpoints_per_subset = 1001;
            }),
            "mirroring-max-endpoints-per-subset must not be more than 1000, but got 1001");
  EXPECT_EQ(Complaint([](Options& options) {
              options.attach_detach.reconcile_sync_period = std::chrono::milliseconds(999);
            }),
            "duration time must be greater than one second as set via command line option "
            "reconcile-sync-loop-period");
  EXPECT_EQ(Complaint([](Options& options) { options.secure_serving.port = 65536; }),
            "--secure-port 65536 must be between 1 and 65535, inclusive. It cannot be turned off "
            "with 0");
  EXPECT_EQ(Complaint([](Options& options) { options.secure_serving.port = -1; }),
            "--secure-port -1 must be between 0 and 65535, inclusive. 0 for turning off secure "
            "port");
}

TEST(Options, WantBothFilesOfASigner) {
  EXPECT_EQ(
      Complaint([](Options& options) {
        options.csr_signing.kubelet_serving.certificate_file = "a";
        options.csr_signing.legacy_unknown.key_file = "b";
        options.csr_signing.all = {"c", "d"};
      }),
      "[\"cluster-signing-kubelet-serving\": cannot specify cert without key, "
      "\"cluster-signing-legacy-unknown\": cannot specify key without cert, cannot specify "
      "--cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same "
      "time]");
}

TEST(Options, WantNamesInHeaderLists) {
  EXPECT_EQ(
      Complaint([](Options& options) {
        options.authentication.request_header.username_headers = {" "};
        options.authentication.request_header.uid_headers = {"x-uid"};
      }),
      "[empty value in \"requestheader-username-headers\", --requestheader-uid-headers is set "
      "without specifying the standard X-Remote-Uid header - API aggregation will not work]");
  Options options;
  options.authentication.request_header.group_headers = {"x-group"};
  EXPECT_THAT(options.Check().warnings(),
              ElementsAre("--requestheader-group-headers is set without specifying the standard "
                          "X-Remote-Group header - API aggregation will not work"));
}

TEST(Options, WantMetricsAndLabelsThatCanBe) {
  EXPECT_EQ(
      Complaint([](Options& options) {
        options.metrics.show_hidden_for_version = "1.35";
        options.metrics.disabled = {"up", "a-b"};
        options.metrics.allowed_labels = {{"a,1b", "x"}};
      }),
      "[metrics.showHiddenMetricsForVersion: Invalid value: \"1.35\": must be omitted or have "
      "the value '1.36'; only the previous minor version is allowed, metrics.disabledMetrics: "
      "Invalid value: [\"up\",\"a-b\"]: must be fully qualified metric names matching "
      "\"^[a-zA-Z_:][a-zA-Z0-9_:]*$\", got \"a-b\", metrics.allowListMapping: Invalid value: "
      "{\"a,1b\":\"x\"}: must have keys with format `metricName,labelName` where metricName "
      "matches \"[a-zA-Z_:][a-zA-Z0-9_:]*\" and labelName matches "
      "\"[a-zA-Z_][a-zA-Z0-9_]*\"]");
  EXPECT_EQ(Complaint([](Options& options) {
              options.metrics.allowed_labels_manifest = "/nowhere/at.all";
            }),
            "metrics.allowListMappingManifest: Invalid value: \"/nowhere/at.all\": failed to read "
            "allow list manifest: open /nowhere/at.all: no such file or directory");
}

TEST(Options, AreHandedToTheControllers) {
  Options options;
  EXPECT_EQ(SettingsFrom(options, {})->ttl_after_finished.workers, 5U);
  options.namespaces.sync_period = std::chrono::hours(1);
  EXPECT_EQ(SettingsFrom(options, {})->namespace_deletion.resync, std::chrono::hours(1));
  options.ttl_after_finished.concurrent_syncs = -3;
  EXPECT_EQ(SettingsFrom(options, {})->ttl_after_finished.workers, 0U);
}

TEST(Options, OfFeaturesAreHandedToTheControllers) {
  Options options;
  const auto before = SettingsFrom(options, {})->stateful_set;
  EXPECT_TRUE(before.max_unavailable && before.compares_by_meaning && !before.recreate);
  auto gates = FeatureGates::Make(
      {}, {{"",
            {"MaxUnavailableStatefulSet=false", "StatefulSetRecreateStrategy=true",
             "StatefulSetSemanticRevisionComparison=false"}}});
  ASSERT_TRUE(gates) << gates.error().Describe();
  options.versions.gates = *std::move(gates);
  const auto after = SettingsFrom(options, {})->stateful_set;
  EXPECT_TRUE(!after.max_unavailable && !after.compares_by_meaning && after.recreate);
}

TEST(Options, OfFilesAreHandedToTheControllersAsWhatIsInThem) {
  client::AccessConfig access;
  access.certificate_authority.data = "ours";
  Options options;
  EXPECT_EQ(SettingsFrom(options, access)->root_ca_publisher.root_ca, "ours");
  EXPECT_EQ(SettingsFrom(options, access)->service_account_token.private_key, "");
  options.service_account.root_ca_file = "/nowhere/ca.crt";
  EXPECT_THAT(SettingsFrom(options, access).error().Describe(),
              HasSubstr("--root-ca-file: /nowhere/ca.crt: No such file or directory"));
  options.service_account.root_ca_file = "/dev/null";
  EXPECT_THAT(SettingsFrom(options, access).error().Describe(),
              HasSubstr("error parsing root-ca-file at /dev/null: "));
}

TEST(Options, SayWhichRangesNodesGet) {
  Options options;
  options.cloud.allocate_node_cidrs = true;
  options.cloud.cluster_cidr = "10.244.0.0/16,fd00::/48";
  options.node_ipam.service_cluster_ip_range = "10.96.0.0/12";
  options.node_ipam.node_cidr_mask_size = 1;
  options.node_ipam.node_cidr_mask_size_ipv4 = 2;
  options.node_ipam.node_cidr_mask_size_ipv6 = 3;
  const auto settings = SettingsFrom(options, {})->node_ipam;
  EXPECT_TRUE(settings.allocate);
  EXPECT_EQ(settings.allocator, "RangeAllocator");
  EXPECT_EQ(settings.cluster_ranges, "10.244.0.0/16,fd00::/48");
  EXPECT_EQ(settings.service_ranges, "10.96.0.0/12");
  EXPECT_EQ(settings.part_length, 1);
  EXPECT_EQ(settings.part_length_v4, 2);
  EXPECT_EQ(settings.part_length_v6, 3);
}

TEST(Options, SayWhichControllersRun) {
  Options options;
  EXPECT_EQ(EnabledControllers(options).size(), controllers::All().size());
  EXPECT_THAT(MissingControllers(options), Contains("resourcequota-controller"));
  options.generic.controllers = {"ttl-after-finished"};
  EXPECT_THAT(MissingControllers(options), IsEmpty());
  ASSERT_EQ(EnabledControllers(options).size(), 2U);
  EXPECT_EQ(EnabledControllers(options).front()->name, "serviceaccount-token-controller");
  EXPECT_EQ(EnabledControllers(options).back()->name, "ttl-after-finished-controller");
}

TEST(LoggingOptions, AreCheckedByThemselves) {
  LoggingOptions logging;
  logging.format = "json";
  logging.modules = {{"a", 4}};
  logging.flush_frequency = {};
  logging.text.split_stream = true;
  Problems problems;
  logging.Check(problems, FeatureGates());
  EXPECT_EQ(
      problems.Text(),
      "[flushFrequency: Invalid value: \"0s\": Must be greater than zero, vmodule: Forbidden: "
      "Only supported for text log format, options.text.splitStream: Forbidden: Feature "
      "LoggingAlphaOptions is disabled]");
}

TEST(TlsFlags, AreGosNamesAndNumbers) {
  EXPECT_TRUE(CheckTlsFlags("VersionTLS13",
                            {"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
                            {29, 23}));
  EXPECT_TRUE(CheckTlsFlags("", {}, {}));
  const auto complaint = [](auto... arguments) {
    return CheckTlsFlags(arguments...).error().message();
  };
  using Names = std::vector<std::string>;
  using Curves = std::vector<std::int32_t>;
  EXPECT_EQ(complaint("TLS1.2", Names(), Curves()), "unknown tls version \"TLS1.2\"");
  EXPECT_EQ(complaint("", Names{"FOO"}, Curves()),
            "Cipher suite FOO not supported or doesn't exist");
  EXPECT_EQ(complaint("", Names(), Curves{29, 29}), "duplicate curve preference 29");
  EXPECT_EQ(complaint("", Names(), Curves{0}),
            "curve preference 0 is out of range (must be 1-65535)");
  EXPECT_EQ(complaint("", Names(), Curves{7}),
            "curve preference 7 is not supported by the current Go version");
}

TEST(LeaderMigration, SaysWhoRunsAController) {
  using Owner = LeaderMigration::Owner;
  const LeaderMigration migration = {"move",
                                     "leases",
                                     {{"route-controller", "*"},
                                      {"node-ipam-controller", "cloud-controller-manager"},
                                      {"job-controller", "kube-controller-manager"},
                                      {"serviceaccount-token-controller", "*"}}};
  EXPECT_EQ(migration.OwnerOf("route-controller"), Owner::kMigrationLock);
  EXPECT_EQ(migration.OwnerOf("job-controller"), Owner::kMigrationLock);
  EXPECT_EQ(migration.OwnerOf("node-ipam-controller"), Owner::kOthers);
  EXPECT_EQ(migration.OwnerOf("namespace-controller"), Owner::kMainLock);
  EXPECT_EQ(migration.OwnerOf("serviceaccount-token-controller"), Owner::kMainLock);
}

TEST(LeaderMigration, IsReadFromItsFile) {
  EXPECT_EQ(LeaderMigration::Parse("apiVersion: controllermanager.config.k8s.io/v1\n"
                                   "kind: LeaderMigrationConfiguration\n"
                                   "leaderName: move\n"
                                   "controllerLeaders:\n"
                                   "- {name: route-controller, component: '*'}\n"),
            (LeaderMigration{"move", "leases", {{"route-controller", "*"}}}));
  const auto complaint = [](std::string_view text) {
    return LeaderMigration::Parse(text).error().message();
  };
  EXPECT_EQ(complaint("apiVersion: controllermanager.config.k8s.io/v1alpha1\n"
                      "kind: LeaderMigrationConfiguration\n"
                      "controllerLeaders: [{name: a}]\n"),
            "failed to parse leader migration configuration: [leaderName: Required value: "
            "leaderName must be set for LeaderMigrationConfiguration, resourceLock: Invalid value: "
            "\"\": resource Lock must be one of 'leases' or 'endpoints', "
            "controllerLeaders[0].component: Required value]");
  EXPECT_EQ(complaint("apiVersion: controllermanager.config.k8s.io/v1\n"
                      "kind: LeaderMigrationConfiguration\n"
                      "leader: x\n"),
            "strict decoding error: unknown field \"leader\"");
  EXPECT_EQ(complaint("apiVersion: v1\nkind: Pod\n"),
            "no kind \"Pod\" is registered for version \"v1\"");
}

}  // namespace
}  // namespace flyball::manager

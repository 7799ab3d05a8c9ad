#include "flyball/manager/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "flyball/base/fake_clock.h"

namespace flyball::manager {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// What became of one invocation.
struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
  std::string log;
  bool ran = false;
  Options options = {};  ///< with which it ran
};

Outcome Invoke(const std::vector<std::string>& arguments, const Result<>& result = {}) {
  Outcome outcome;
  std::ostringstream out;
  std::ostringstream err;
  const auto log = std::make_shared<StringLogSink>();
  const FakeClock clock;
  const auto run = [&](const Options& options, const flags::FlagSet&, const Logger&) {
    outcome.ran = true;
    outcome.options = options;
    return result;
  };
  outcome.status =
      RunCommand(arguments, {.out = out, .err = err, .log = log, .clock = clock, .run = run});
  outcome.out = out.str();
  outcome.err = err.str();
  outcome.log = log->text();
  return outcome;
}

/// What the log says why.
std::string Failure(const std::vector<std::string>& arguments) {
  const Outcome outcome = Invoke(arguments);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_FALSE(outcome.ran);
  const std::string mark = "] \"command failed\" err=";
  const std::size_t at = outcome.log.find(mark);
  return at == std::string::npos ? outcome.log : outcome.log.substr(at + mark.size());
}

TEST(Command, RunsWithWhatItWasTold) {
  const Outcome outcome = Invoke({"--concurrent-job-syncs=7", "--leader-elect=false", "-v2"});
  EXPECT_EQ(outcome.status, 0);
  ASSERT_TRUE(outcome.ran);
  EXPECT_EQ(outcome.options.job.concurrent_syncs, 7);
  EXPECT_FALSE(outcome.options.generic.leader_election.elect);
  EXPECT_EQ(outcome.options.logging.Config().verbosity, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Command, RunsWithTheCommandLineThatKubeadmWrites) {
  const Outcome outcome = Invoke({
      "--allocate-node-cidrs=true",
      "--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
      "--authorization-kubeconfig=/etc/kubernetes/controller-manager.conf",
      "--bind-address=127.0.0.1",
      "--client-ca-file=/etc/kubernetes/pki/ca.crt",
      "--cluster-cidr=10.244.0.0/16",
      "--cluster-name=kubernetes",
      "--cluster-signing-cert-file=/etc/kubernetes/pki/ca.crt",
      "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
      "--controllers=*,bootstrapsigner,tokencleaner",
      "--kubeconfig=/etc/kubernetes/controller-manager.conf",
      "--leader-elect=true",
      "--requestheader-client-ca-file=/etc/kubernetes/pki/front-proxy-ca.crt",
      "--root-ca-file=/etc/kubernetes/pki/ca.crt",
      "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
      "--service-cluster-ip-range=10.96.0.0/12",
      "--use-service-account-credentials=true",
  });
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.log;
  EXPECT_THAT(outcome.log, IsEmpty());
  const Options& options = outcome.options;
  const std::string kubeconfig = "/etc/kubernetes/controller-manager.conf";
  EXPECT_EQ(options.generic.client.kubeconfig, kubeconfig);
  EXPECT_EQ(options.authentication.kubeconfig, kubeconfig);
  EXPECT_EQ(options.authorization.kubeconfig, kubeconfig);
  EXPECT_EQ(options.secure_serving.bind_address.text, "127.0.0.1");
  EXPECT_EQ(options.authentication.client_ca_file, "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(options.authentication.request_header.client_ca_file,
            "/etc/kubernetes/pki/front-proxy-ca.crt");
  EXPECT_TRUE(options.cloud.allocate_node_cidrs);
  EXPECT_TRUE(options.cloud.use_service_account_credentials);
  EXPECT_EQ(options.cloud.cluster_cidr, "10.244.0.0/16");
  EXPECT_EQ(options.node_ipam.service_cluster_ip_range, "10.96.0.0/12");
  EXPECT_EQ(options.csr_signing.all.certificate_file, "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(options.csr_signing.all.key_file, "/etc/kubernetes/pki/ca.key");
  EXPECT_THAT(options.generic.controllers, ElementsAre("*", "bootstrapsigner", "tokencleaner"));
  EXPECT_EQ(options.service_account.root_ca_file, "/etc/kubernetes/pki/ca.crt");
  EXPECT_EQ(options.service_account.private_key_file, "/etc/kubernetes/pki/sa.key");
  EXPECT_FALSE(options.generic.client.limit_given);
}

TEST(Command, PrintsTheUsageAndTheErrorForABadFlag) {
  const Outcome outcome = Invoke({"--nope"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_FALSE(outcome.ran);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("Usage:\n  kube-controller-manager [flags]\n\nDebugging "
                                      "flags:\n\n      --contention-profiling"));
  EXPECT_THAT(outcome.err, EndsWith("\n\nError: unknown flag: --nope\n"));
  EXPECT_THAT(outcome.log, IsEmpty());
}

TEST(Command, TakesNoArguments) {
  const Outcome outcome = Invoke({"a", "--", "-b"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "Error: \"kube-controller-manager\" does not take any arguments, got [\"a\" \"-b\"]\n");
  EXPECT_EQ(Invoke({""}).status, 0);
}

TEST(Command, HelpsOnStandardOutput) {
  const Outcome outcome = Invoke({"--help", "--feature-gates=Foo=true"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_FALSE(outcome.ran);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(outcome.out, StartsWith("kube-controller-manager runs the control loops"));
  EXPECT_THAT(outcome.out, HasSubstr("\n\nUsage:\n  kube-controller-manager [flags]\n\nDebugging"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("node-sync-period duration")));
}

TEST(Command, TellsItsVersion) {
  EXPECT_EQ(Invoke({"--version"}).out, "Kubernetes v1.37.1\n");
  EXPECT_THAT(Invoke({"--version=raw"}).out,
              StartsWith("version.Info{Major:\"1\", Minor:\"37\", EmulationMajor:\"\""));
  const Outcome pretends = Invoke({"--version=v1.37.1-x.1"});
  ASSERT_TRUE(pretends.ran);
  EXPECT_EQ(pretends.options.versions.reported(), "v1.37.1-x.1");
}

TEST(Command, ChecksGatesBeforeItTellsItsVersion) {
  EXPECT_EQ(Failure({"--version", "--feature-gates=Foo=true"}),
            "\"unrecognized feature gate: Foo\"\n");
}

TEST(Command, ChecksTheLogBeforeTheOtherOptions) {
  EXPECT_EQ(Failure({"--logging-format=xml", "--controllers=foo"}),
            "\"format: Invalid value: \\\"xml\\\": Unsupported log format\"\n");
}

TEST(Command, LogsAllThatIsWrongWithTheOptions) {
  EXPECT_EQ(Failure({"--emulated-version=1.30", "--controllers=foo"}),
            "\"[emulation version 1.30 is not between [1.34, 1.37.0], minCompatibilityVersion "
            "version 1.34 is not between [1.34, 1.30], \\\"foo\\\" is not in the list of known "
            "controllers]\"\n");
  EXPECT_EQ(Failure({"--tls-min-version=x"}), "\"unknown tls version \\\"x\\\"\"\n");
  EXPECT_EQ(Failure({"--enable-leader-migration", "--leader-migration-config=/nowhere"}),
            "\"unable to read leader migration configuration from \\\"/nowhere\\\": open /nowhere: "
            "no such file or directory\"\n");
}

TEST(Command, LogsInTheFormatThatWasAskedFor) {
  const Outcome outcome = Invoke({"--logging-format=json", "--controllers=foo"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.log, StartsWith("{\"ts\":"));
  EXPECT_THAT(outcome.log, HasSubstr(R"("err":"\"foo\" is not in the list of known controllers")"));
}

TEST(Command, SaysOnceOfADeprecatedFlagThatItIs) {
  const Outcome outcome = Invoke({"--node-sync-period=1s", "--node-sync-period=2s"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err,
            "Flag --node-sync-period has been deprecated, This flag is currently no-op and will be "
            "deleted.\n");
}

TEST(Command, LogsThatAFlagHasNoEffect) {
  EXPECT_THAT(Invoke({"--profiling=false"}).log,
              HasSubstr("\"Flag is accepted and has no effect\" flag=\"--profiling\" "
                        "reason=\"this program has no Go runtime; use perf(1)\"\n"));
  EXPECT_THAT(Invoke({}).log, IsEmpty());
}

TEST(Command, LogsAllFlagsIfAskedTo) {
  EXPECT_THAT(Invoke({"-v=1"}).log, HasSubstr("\"FLAG\" name=\"--kube-api-qps\" value=\"20\"\n"));
}

TEST(Command, RemembersThatALimitWasGiven) {
  EXPECT_TRUE(Invoke({"--kube-api-qps=20"}).options.generic.client.limit_given);
  EXPECT_TRUE(Invoke({"--kube-api-burst=1"}).options.generic.client.limit_given);
}

TEST(Command, LogsWhyItCouldNotRun) {
  const Outcome outcome = Invoke({}, Fail(ErrorCode::kIo, "the port is taken"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.log, EndsWith("] \"command failed\" err=\"the port is taken\"\n"));
}

}  // namespace
}  // namespace flyball::manager

#include "flyball/operator/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/heap_trim.h"
#include "flyball/base/log_sink.h"
#include "flyball/client/environment.h"
#include "flyball/operator/run.h"

namespace flyball {
namespace {

struct Flags {
  std::string kubeconfig;
  std::string context;
  std::string namespace_;
  std::string health_address = "0.0.0.0:8080";
  bool leader_elect = false;
  std::string lease_namespace;
  std::string lease_name;
  int verbosity = 0;
  bool log_json = false;
};

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "Kubeconfig file with the address and credentials of the API server. Empty means "
                 "$KUBECONFIG, then ~/.kube/config, then the ServiceAccount of the pod.");
  app.add_option("--context", flags.context,
                 "Context of the kubeconfig to use instead of its current one.");
  app.add_option("--namespace", flags.namespace_,
                 "Namespace to which the operator is restricted. Empty means all namespaces.");
  app.add_option("--health-address", flags.health_address,
                 "Address and port, as ADDRESS:PORT, of /healthz, /readyz and /metrics; 'off' "
                 "serves none of them.")
      ->capture_default_str();
  app.add_flag("--leader-elect", flags.leader_elect,
               "Run the controllers only while this process holds the leader election lease.");
  app.add_option("--lease-namespace", flags.lease_namespace,
                 "Namespace of the leader election Lease. Empty means the namespace of the pod or "
                 "kubeconfig.");
  app.add_option("--lease-name", flags.lease_name,
                 "Name of the leader election Lease. Empty means the name of the operator.");
  app.add_option("-v", flags.verbosity,
                 "Log verbosity level, from 0 for few messages to 10 for all of them.")
      ->capture_default_str();
  app.add_flag("--log-json", flags.log_json, "Write log lines as JSON instead of text.");
}

/// "0.0.0.0:8080", or "[::]:8080".
Result<HealthServer::Options> ParseAddress(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  HealthServer::Options options;
  const char* const end = text.data() + text.size();
  const char* const digits = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto [stopped, problem] = std::from_chars(digits, end, options.port);
  if (digits == end || problem != std::errc() || stopped != end) {
    return Fail(ErrorCode::kInvalid,
                "--health-address: \"" + text +
                    "\" must be ADDRESS:PORT, for example 0.0.0.0:8080, or off");
  }
  options.address = text.substr(0, colon);
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  if (options.address.empty()) options.address = "0.0.0.0";
  return options;
}

Result<RunOptions> OptionsFrom(const Flags& flags, const std::string& name, const Logger& log) {
  RunOptions options;
  FLYBALL_TRY(options.access,
              client::ToolAccess(flags.kubeconfig, {.context = flags.context}, {}, log));
  if (flags.health_address != "off") {
    FLYBALL_TRY(options.health, ParseAddress(flags.health_address));
  }
  if (flags.leader_elect) {
    const bool own = flags.lease_namespace.empty();
    options.election.emplace(
        LeaderElection{.lease = {own ? options.access.namespace_ : flags.lease_namespace,
                                 flags.lease_name.empty() ? name : flags.lease_name}});
  }
  return options;
}

Result<> RunWith(const Flags& flags, ManagerOptions options, const Logger& log,
                 const std::function<void(Manager& manager)>& describe) {
  FLYBALL_TRY(const RunOptions run, OptionsFrom(flags, options.name, log));
  if (!flags.namespace_.empty()) options.namespace_ = flags.namespace_;
  const auto manager = std::make_unique<Manager>(std::move(options));
  describe(*manager);
  auto ended = Run(*manager, run, log);
  if (ended) return {};
  log.Error(ended.error(), "Operator failed");
  // Its threads may be at anything: nothing is taken down under them.
  _exit(1);
}

}  // namespace

int RunOperator(int argc, char** argv, ManagerOptions options,
                const std::function<void(Manager& manager)>& describe) {
  ShareOneHeap();
  Flags flags;
  CLI::App app("A Kubernetes operator.", options.name);
  AddFlags(app, flags);
  CLI11_PARSE(app, argc, argv);
  const RealClock clock;
  const Logger log({.format = flags.log_json ? LogFormat::kJson : LogFormat::kText,
                    .verbosity = flags.verbosity},
                   clock, std::make_shared<FdLogSink>(STDERR_FILENO));
  const std::string name = options.name;
  const auto ended = RunWith(flags, std::move(options), log, describe);
  if (ended) return 0;
  std::cerr << name << ": " << ended.error().Describe() << "\n";
  return 1;
}

}  // namespace flyball

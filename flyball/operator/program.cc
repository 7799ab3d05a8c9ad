#include "flyball/operator/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "flyball/base/heap_care.h"
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
                 "how to get in; else KUBECONFIG, ~/.kube/config, or what a pod has");
  app.add_option("--context", flags.context, "of the kubeconfig, instead of the current one");
  app.add_option("--namespace", flags.namespace_, "work in this one only");
  app.add_option("--health-address", flags.health_address,
                 "where /healthz, /readyz and /metrics are served, ADDRESS:PORT; off: nowhere")
      ->capture_default_str();
  app.add_flag("--leader-elect", flags.leader_elect, "work only while holding a lease");
  app.add_option("--lease-namespace", flags.lease_namespace, "of the lease; else the pod's own");
  app.add_option("--lease-name", flags.lease_name, "of the lease; else the operator's name");
  app.add_option("-v", flags.verbosity, "how much is logged")->capture_default_str();
  app.add_flag("--log-json", flags.log_json, "log in JSON");
}

/// "0.0.0.0:8080", or "[::]:8080".
Result<HealthPort::Options> ParseAddress(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  HealthPort::Options options;
  const char* const end = text.data() + text.size();
  const char* const digits = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto [stopped, problem] = std::from_chars(digits, end, options.port);
  if (digits == end || problem != std::errc() || stopped != end) {
    return Fail(ErrorCode::kInvalid,
                "--health-address: \"" + text + "\" is no ADDRESS:PORT, as 0.0.0.0:8080 is");
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
  log.Error(ended.error(), "The operator ends");
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

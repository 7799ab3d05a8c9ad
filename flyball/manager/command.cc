#include "flyball/manager/command.h"

#include <algorithm>
#include <ostream>

#include "flyball/manager/flags/go_text.h"
#include "flyball/manager/flags/help_text.h"

namespace flyball::manager {
namespace {

constexpr std::string_view kCommand = "kube-controller-manager";
constexpr std::string_view kDescription =
    "kube-controller-manager runs the control loops of Kubernetes. Each watches through the API\n"
    "server what a cluster is meant to be and what it is, and makes changes that bring the two\n"
    "together: it replaces pods that are gone, rolls out deployments, gives services their\n"
    "endpoints, empties namespaces. This one is Flyball's, in C++, with upstream's flags.";

std::string UsageText(const flags::FlagSet& flags, int columns) {
  return "Usage:\n  " + std::string(kCommand) + " [flags]\n" + flags::HelpText(flags, columns);
}

/// As Go prints the value that upstream has for --version=raw.
std::string RawVersion(std::string_view reported) {
  std::string text = "version.Info{";
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(text.ends_with('{') ? "" : ", ")
        .append(name)
        .append(":")
        .append(flags::Quote(value));
  };
  add("Major", std::to_string(kKubeVersion.major));
  add("Minor", std::to_string(kKubeVersion.minor));
  add("EmulationMajor", "");
  add("EmulationMinor", "");
  add("MinCompatibilityMajor", "");
  add("MinCompatibilityMinor", "");
  add("GitVersion", reported);
  add("GitCommit", "");
  add("GitTreeState", "");
  add("BuildDate", "1970-01-01T00:00:00Z");
  add("GoVersion", "");
  add("Compiler", "g++ " __VERSION__);
#if defined(__aarch64__)
  add("Platform", "linux/arm64");
#else
  add("Platform", "linux/amd64");
#endif
  return text + "}";
}

/// One invocation: holds the options where the flags can find them.
class Command {
 public:
  explicit Command(const ProcessEnvironment& environment)
      : environment_(environment), log_(LogConfig(), environment.clock, environment.log) {
    options_.AddFlags(flags_);
    flags::FlagSection& global = flags_.Section("global");
    options_.versions.AddGlobalFlags(global);
    global.Add("help", help_, "Print this help, with all flags, and exit.").Short('h');
  }

  int Execute(std::span<const std::string> arguments) {
    const auto others = flags_.Parse(arguments);
    if (!others) {
      environment_.err << UsageText(flags_, environment_.columns) << "\n";
      return Refuse(others.error().message());
    }
    PrintDeprecations();
    if (help_) {
      environment_.out << kDescription << "\n\n" << UsageText(flags_, environment_.columns);
      return 0;
    }
    if (std::ranges::any_of(*others, [](const std::string& other) { return !other.empty(); })) {
      return RefuseArguments(*others);
    }
    if (const Result<> resolved = options_.versions.Resolve(); !resolved) {
      return Fail(resolved.error().message());
    }
    if (PrintVersion()) return 0;
    return CheckAndRun();
  }

 private:
  int CheckAndRun() {
    Problems log_problems;
    options_.logging.Check(log_problems, options_.versions.gates);
    if (!log_problems.empty()) return Fail(log_problems.Text());
    log_ = Logger(options_.logging.Config(), environment_.clock, environment_.log);
    LogFlags();
    LogGates();

    const Problems problems = options_.Check();
    for (const std::string& warning : problems.warnings()) {
      log_.Info(warning);  // lint: allow log-message: upstream's sentences, with flags in them
    }
    if (!problems.empty()) return Fail(problems.Text());
    options_.generic.client.limit_given =
        flags_.Find("kube-api-qps")->given() || flags_.Find("kube-api-burst")->given();
    if (const auto loaded = options_.generic.leader_migration.Load(); !loaded) {
      return Fail(loaded.error().message());
    }
    if (const auto tls = options_.secure_serving.CheckTls(); !tls)
      return Fail(tls.error().message());
    if (const auto ran = environment_.run(options_, flags_, log_); !ran) {
      return Fail(ran.error().message());
    }
    return 0;
  }

  /// Before there is a log.
  int Refuse(std::string_view why) {
    environment_.err << "Error: " << why << "\n";
    return 1;
  }

  int RefuseArguments(const std::vector<std::string>& arguments) {
    std::string shown;
    for (const std::string& argument : arguments) {
      shown.append(shown.empty() ? "" : " ").append(flags::Quote(argument));
    }
    return Refuse(flags::Quote(kCommand) + " does not take any arguments, got [" + shown + "]");
  }

  int Fail(std::string_view why) {
    log_.Error("command failed", {{"err", why}});
    return 1;
  }

  void PrintDeprecations() {
    for (const flags::Flag* flag : flags_.Sorted()) {
      if (!flag->given() || flag->deprecation().empty()) continue;
      environment_.err << "Flag --" << flag->name() << " has been deprecated, "
                       << flag->deprecation() << "\n";
    }
  }

  bool PrintVersion() {
    const VersionOptions& versions = options_.versions;
    if (versions.request.text == "raw") {
      environment_.out << RawVersion(versions.reported()) << "\n";
      return true;
    }
    if (versions.request.text != "true") return false;
    environment_.out << "Kubernetes " << versions.reported() << "\n";
    return true;
  }

  /// What was given, and once each what of it means nothing here.
  void LogFlags() {
    for (const flags::Flag* flag : flags_.Sorted()) {
      log_.V(1).Info("FLAG", {{"name", "--" + flag->name()}, {"value", flag->Text()}});
      if (!flag->given() || flag->without_effect().empty()) continue;
      log_.Info("Flag is accepted and has no effect",
                {{"flag", "--" + flag->name()}, {"reason", flag->without_effect()}});
    }
  }

  void LogGates() {
    for (const FeatureGates::Warning& warning : options_.versions.gates.warnings()) {
      log_.Info(
          warning.stage == GateStage::kGa
              ? "Warning: setting GA feature gate. It will be removed in a future release."
              : "Warning: setting deprecated feature gate. It will be removed in a future release.",
          {{"featureGate", warning.gate}, {"value", warning.on}});
    }
  }

  const ProcessEnvironment& environment_;
  Options options_;
  bool help_ = false;
  flags::FlagSet flags_;
  Logger log_;
};

}  // namespace

int RunCommand(std::span<const std::string> arguments, const ProcessEnvironment& environment) {
  return Command(environment).Execute(arguments);
}

}  // namespace flyball::manager

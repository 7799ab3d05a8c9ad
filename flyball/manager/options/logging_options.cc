#include "flyball/manager/options/logging_options.h"

#include <string_view>

#include "flyball/api/duration.h"
#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

void AddRouting(flags::FlagSection& section, std::string_view format,
                LoggingOptions::Routing& routing) {
  constexpr std::string_view kWhy = "all lines go to stderr, each as soon as it is there";
  const std::string flag = "log-" + std::string(format);
  const std::string alpha = ". Alpha: needs the feature LoggingAlphaOptions.";
  section
      .Add(flag + "-split-stream", routing.split_stream,
           "What is no error goes to standard output" + alpha)
      .WithoutEffect(kWhy);
  section
      .Add(flag + "-info-buffer-size", routing.info_buffer_size,
           "How many bytes of what is no error are held back, as a quantity" + alpha)
      .WithoutEffect(kWhy);
}

void CheckRouting(Problems& problems, std::string_view format,
                  const LoggingOptions::Routing& routing, const FeatureGates& gates) {
  if (gates.Enabled("LoggingAlphaOptions")) return;
  constexpr std::string_view kWhy = "Feature LoggingAlphaOptions is disabled";
  const std::string path = "options." + std::string(format);
  if (routing.split_stream) problems.AddForbidden(path + ".splitStream", kWhy);
  if (!routing.info_buffer_size.IsZero()) problems.AddForbidden(path + ".infoBufferSize", kWhy);
}

}  // namespace

void LoggingOptions::AddFlags(flags::FlagSection& section) {
  section.Add("logging-format", format,
              "How log lines look: \"text\", or \"json\" (with the feature LoggingBetaOptions).");
  section
      .Add("log-flush-frequency", flush_frequency,
           "How long a log line may be held back at most. None is.")
      .WithoutEffect("every line is written as soon as it is there");
  section.Add("v", verbosity, "How much is logged: 0 is little, 10 is everything.").Short('v');
  section.Add("vmodule", modules,
              "How much is logged by single files: name=N, where the name may have wildcards. For "
              "text only.");
  AddRouting(section, "text", text);
  AddRouting(section, "json", json);
}

void LoggingOptions::Check(Problems& problems, const FeatureGates& gates) const {
  if (flush_frequency <= std::chrono::nanoseconds(0)) {
    problems.AddInvalid("flushFrequency", flags::Quote(api::FormatDuration(flush_frequency)),
                        "Must be greater than zero");
  }
  if (format != "text" && format != "json") {
    problems.AddInvalid("format", flags::Quote(format), "Unsupported log format");
  } else if (format == "json" && !gates.Enabled("LoggingBetaOptions")) {
    problems.AddForbidden("format", "Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (!modules.empty() && !format.empty() && format != "text") {
    problems.AddForbidden("vmodule", "Only supported for text log format");
  }
  CheckRouting(problems, "text", text, gates);
  CheckRouting(problems, "json", json, gates);
}

LogConfig LoggingOptions::Config() const {
  return {.format = format == "json" ? LogFormat::kJson : LogFormat::kText,
          .verbosity = verbosity.level,
          .modules = modules};
}

}  // namespace flyball::manager

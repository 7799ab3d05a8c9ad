#include "flyball/manager/options/logging_options.h"

#include <string_view>

#include "flyball/api/duration.h"
#include "flyball/manager/flags/go_text.h"

namespace flyball::manager {
namespace {

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
              "Format of log lines: \"text\" or \"json\". The latter needs the feature gate "
              "LoggingBetaOptions.");
  section
      .Add("log-flush-frequency", flush_frequency,
           "Longest time between two flushes of the log. Accepted and ignored: this program writes "
           "every line at once.")
      .WithoutEffect("every log line is written at once");
  section.Add("v", verbosity, "Log verbosity level, from 0 for few messages to 10 for all of them.")
      .Short('v');
  section.Add("vmodule", modules,
              "Log verbosity levels of single source files, as a comma-separated list of "
              "pattern=N; a pattern may have wildcards. For the text format only.");
  constexpr std::string_view kOneStream = "all log lines go to standard error, unbuffered";
  section
      .Add("log-text-split-stream", text.split_stream,
           "Write text log messages that are not errors to standard output and errors to standard "
           "error. Accepted and ignored: this program logs to standard error. Alpha: needs the "
           "feature gate LoggingAlphaOptions.")
      .WithoutEffect(kOneStream);
  section
      .Add("log-text-info-buffer-size", text.info_buffer_size,
           "Size, in bytes or as a quantity such as 64Ki, of the buffer for text log messages that "
           "are not errors. Accepted and ignored: this program does not buffer. Alpha: needs the "
           "feature gate LoggingAlphaOptions.")
      .WithoutEffect(kOneStream);
  section
      .Add("log-json-split-stream", json.split_stream,
           "Write JSON log messages that are not errors to standard output and errors to standard "
           "error. Accepted and ignored: this program logs to standard error. Alpha: needs the "
           "feature gate LoggingAlphaOptions.")
      .WithoutEffect(kOneStream);
  section
      .Add("log-json-info-buffer-size", json.info_buffer_size,
           "Size, in bytes or as a quantity such as 64Ki, of the buffer for JSON log messages that "
           "are not errors. Accepted and ignored: this program does not buffer. Alpha: needs the "
           "feature gate LoggingAlphaOptions.")
      .WithoutEffect(kOneStream);
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

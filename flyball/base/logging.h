#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/base/log_field.h"
#include "flyball/base/log_format.h"
#include "flyball/base/log_sink.h"
#include "flyball/base/result.h"

namespace flyball {

/// Files whose name, without folder and ending, matches the glob `pattern` log up to `level`.
struct LogModule {
  std::string pattern;
  int level = 0;
  friend bool operator==(const LogModule&, const LogModule&) = default;
};

/// The value of --vmodule: "replicaset_*=4,informer=5".
Result<std::vector<LogModule>> ParseLogModules(std::string_view flag);

struct LogConfig {
  LogFormat format = LogFormat::kText;
  int verbosity = 0;                    ///< -v
  std::vector<LogModule> modules = {};  ///< --vmodule; the first that matches a file counts
};

/// Writes structured log lines, in klog's text form or Kubernetes' JSON form:
///
///   log.Info("Scaled replica set", {{"replicaset", key}, {"from", 3}, {"to", 5}});
///   log.V(4).Info("Skipped", {{"pod", key}, {"reason", "terminating"}});
///   log.Error(error, "Could not delete pod", {{"pod", key}});
///
/// The message is a constant sentence; what varies goes into fields. Never log what a Secret, a
/// token or an Authorization header holds.
///
/// A handle that is cheap to copy; copies share the configuration and the sink. Any thread may use
/// any copy. Logging never fails, throws, waits for the reader of the log, or has two lines mixed.
class Logger {
 public:
  /// Discards everything.
  Logger() = default;

  /// Writes to stderr. The clock must outlive every copy.
  Logger(LogConfig config, const Clock& clock);
  Logger(LogConfig config, const Clock& clock, std::shared_ptr<LogSink> sink);

  void Info(std::string_view message, LogFields fields = {},
            std::source_location where = std::source_location::current()) const;

  void Error(const flyball::Error& error, std::string_view message, LogFields fields = {},
             std::source_location where = std::source_location::current()) const;
  /// For what is wrong without there being an Error.
  void Error(std::string_view message, LogFields fields = {},
             std::source_location where = std::source_location::current()) const;

  /// For use on the spot: refers to the logger. Where the fields are costly to make,
  ///   if (const auto v = log.V(6)) v.Info("Computed plan", {{"plan", ToString(plan)}});
  class Verbose {
   public:
    explicit operator bool() const { return logger_ != nullptr; }
    void Info(std::string_view message, LogFields fields = {},
              std::source_location where = std::source_location::current()) const {
      if (logger_ != nullptr) logger_->InfoAt(level_, message, fields, where);
    }

   private:
    friend class Logger;
    Verbose(const Logger* logger, int level) : logger_(logger), level_(level) {}

    const Logger* logger_;  // null: off
    int level_;
  };

  /// Detail that -v=level or --vmodule turns on: 2 for changes of state, 4 for why, 6 for
  /// everything. If it is off, the call is a comparison.
  Verbose V(int level, std::source_location where = std::source_location::current()) const {
    return {Enabled(level, where) ? this : nullptr, level};
  }

  /// A logger whose every line has these fields. A field of the line itself with the same key
  /// takes the place of one from here.
  [[nodiscard]] Logger With(LogFields fields) const;

  /// Changes -v for this logger and all that share its configuration.
  void SetVerbosity(int verbosity) const;

 private:
  class Core;
  /// A field of With(), as it stands in the line.
  struct Bound {
    std::string key;
    std::string rendered;
  };

  bool Enabled(int level, const std::source_location& where) const;
  void InfoAt(int level, std::string_view message, LogFields fields,
              const std::source_location& where) const;
  void ErrorAt(const flyball::Error* error, std::string_view message, LogFields fields,
               const std::source_location& where) const;
  /// What With() has bound and `fields` do not replace.
  void AppendBound(std::string& line, LogFields fields) const;

  std::shared_ptr<Core> core_;                       // null: discards
  std::shared_ptr<const std::vector<Bound>> bound_;  // null: none
};

}  // namespace flyball

#include "flyball/base/logging.h"

#include <fnmatch.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace flyball {
namespace {

/// "deployment_plan" of "/src/flyball/controllers/deployment/deployment_plan.cc".
std::string ModuleName(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file.substr(0, file.rfind('.')));
}

/// "deployment/deployment_plan.cc:12": file and folder, as Kubernetes' JSON logs have it.
std::string ShortCaller(const std::source_location& where) {
  std::string_view file = where.file_name();
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos && slash > 0) {
    file.remove_prefix(file.rfind('/', slash - 1) + 1);
  }
  return std::string(file) + ":" + std::to_string(where.line());
}

/// spdlog's side of a LogSink. Its lock also guards spdlog's formatter, which has a cache.
class SpdlogSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit SpdlogSink(std::shared_ptr<LogSink> target) : target_(std::move(target)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    target_->Write({line.data(), line.size()});
  }
  void flush_() override {}

 private:
  const std::shared_ptr<LogSink> target_;
};

/// spdlog makes klog's header: I1115 08:10:59.123456   12345 file.cc:12]. JSON has none.
std::shared_ptr<SpdlogSink> MakeSink(std::shared_ptr<LogSink> sink, LogFormat format) {
  auto adapter = std::make_shared<SpdlogSink>(std::move(sink));
  const std::string pattern =
      format == LogFormat::kJson ? "%v" : "%L%m%d %H:%M:%S.%f %7P %s:%#] %v";
  adapter->set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::local, "\n"));
  return adapter;
}

}  // namespace

/// What the copies of a logger share.
class Logger::Core {
 public:
  Core(LogConfig config, const Clock& clock, std::shared_ptr<LogSink> sink)
      : format_(config.format),
        modules_(std::move(config.modules)),
        clock_(clock),
        verbosity_(config.verbosity),
        spdlog_("flyball", MakeSink(std::move(sink), config.format)) {
    spdlog_.set_level(spdlog::level::trace);
    // spdlog would print to stderr, which may be what has just failed.
    spdlog_.set_error_handler([](const std::string&) {});
  }

  LogFormat format() const { return format_; }
  void SetVerbosity(int verbosity) { verbosity_.store(verbosity, std::memory_order_relaxed); }

  bool Enabled(int level, const std::source_location& where) {
    if (level <= verbosity_.load(std::memory_order_relaxed)) return true;
    return !modules_.empty() && level <= ModuleLevel(where.file_name());
  }

  WallTime Now() const { return clock_.WallNow(); }

  void Write(spdlog::level::level_enum level, WallTime now, const std::string& line,
             const std::source_location& where) {
    const auto time = std::chrono::time_point_cast<spdlog::log_clock::duration>(now);
    const spdlog::source_loc place(where.file_name(), static_cast<int>(where.line()),
                                   where.function_name());
    spdlog_.log(time, place, level, spdlog::string_view_t(line));
  }

 private:
  int ModuleLevel(const char* file) {
    const std::lock_guard guard(mutex_);
    const auto [entry, added] = module_levels_.try_emplace(file, 0);
    if (!added) return entry->second;
    const std::string name = ModuleName(file);
    const auto module = std::ranges::find_if(modules_, [&](const LogModule& candidate) {
      return fnmatch(candidate.pattern.c_str(), name.c_str(), 0) == 0;
    });
    if (module != modules_.end()) entry->second = module->level;
    return entry->second;
  }

  const LogFormat format_;
  const std::vector<LogModule> modules_;
  const Clock& clock_;
  std::atomic<int> verbosity_;
  spdlog::logger spdlog_;

  std::mutex mutex_;
  // Guarded by mutex_. By address: a file's name is one constant for each place that logs.
  std::unordered_map<const char*, int> module_levels_;
};

Logger::Logger(LogConfig config, const Clock& clock)
    : Logger(std::move(config), clock, std::make_shared<FdLogSink>(STDERR_FILENO)) {}

Logger::Logger(LogConfig config, const Clock& clock, std::shared_ptr<LogSink> sink)
    : core_(std::make_shared<Core>(std::move(config), clock, std::move(sink))) {}

void Logger::Info(std::string_view message, LogFields fields, std::source_location where) const {
  InfoAt(0, message, fields, where);
}

void Logger::Error(const flyball::Error& error, std::string_view message, LogFields fields,
                   std::source_location where) const {
  ErrorAt(&error, message, fields, where);
}

void Logger::Error(std::string_view message, LogFields fields, std::source_location where) const {
  ErrorAt(nullptr, message, fields, where);
}

Logger Logger::With(LogFields fields) const {
  if (core_ == nullptr) return *this;
  auto bound = bound_ ? *bound_ : std::vector<Bound>();
  for (const LogField& field : fields) {
    std::erase_if(bound, [&](const Bound& other) { return other.key == field.key; });
    Bound& added = bound.emplace_back(std::string(field.key), std::string());
    AppendField(added.rendered, core_->format(), field.key, field.value);
  }
  Logger logger = *this;
  logger.bound_ = std::make_shared<const std::vector<Bound>>(std::move(bound));
  return logger;
}

void Logger::SetVerbosity(int verbosity) const {
  if (core_ != nullptr) core_->SetVerbosity(verbosity);
}

bool Logger::Enabled(int level, const std::source_location& where) const {
  return core_ != nullptr && core_->Enabled(level, where);
}

namespace {

/// `"message"`, or the start of the JSON object up to the message.
std::string StartLine(LogFormat format, WallTime now, std::string_view message,
                      const std::source_location& where) {
  std::string line;
  if (format == LogFormat::kText) {
    AppendGoQuoted(line, message);
    return line;
  }
  line = "{\"ts\":";
  AppendDecimal(line, static_cast<double>(now.time_since_epoch().count()) / 1e6);
  AppendJsonField(line, "caller", ShortCaller(where));
  AppendJsonField(line, "msg", message);
  return line;
}

void AppendFields(std::string& line, LogFormat format, LogFields fields) {
  for (const LogField& field : fields) AppendField(line, format, field.key, field.value);
}

}  // namespace

// In JSON, what With() has bound stands before "v", the fields after it and "err" last, as zap has
// it; in text "err" is first, as klog has it.

void Logger::InfoAt(int level, std::string_view message, LogFields fields,
                    const std::source_location& where) const {
  if (core_ == nullptr) return;
  const bool json = core_->format() == LogFormat::kJson;
  const WallTime now = core_->Now();
  std::string line = StartLine(core_->format(), now, message, where);
  AppendBound(line, fields);
  if (json) AppendJsonField(line, "v", level);
  AppendFields(line, core_->format(), fields);
  if (json) line.push_back('}');
  core_->Write(spdlog::level::info, now, line, where);
}

void Logger::ErrorAt(const flyball::Error* error, std::string_view message, LogFields fields,
                     const std::source_location& where) const {
  if (core_ == nullptr) return;
  const bool json = core_->format() == LogFormat::kJson;
  const WallTime now = core_->Now();
  std::string line = StartLine(core_->format(), now, message, where);
  if (error != nullptr && !json) AppendTextField(line, "err", *error);
  AppendBound(line, fields);
  AppendFields(line, core_->format(), fields);
  if (error != nullptr && json) AppendJsonField(line, "err", *error);
  if (json) line.push_back('}');
  core_->Write(spdlog::level::err, now, line, where);
}

void Logger::AppendBound(std::string& line, LogFields fields) const {
  if (bound_ == nullptr) return;
  for (const Bound& bound : *bound_) {
    const bool replaced =
        std::ranges::any_of(fields, [&](const LogField& field) { return field.key == bound.key; });
    if (!replaced) line.append(bound.rendered);
  }
}

Result<std::vector<LogModule>> ParseLogModules(std::string_view flag) {
  std::vector<LogModule> modules;
  while (!flag.empty()) {
    const std::size_t comma = flag.find(',');
    const std::string_view part = flag.substr(0, comma);
    flag.remove_prefix(comma == std::string_view::npos ? flag.size() : comma + 1);
    if (part.empty()) continue;

    const std::size_t equals = part.find('=');
    const std::string_view number =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    int level = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), level);
    if (equals == 0 || number.empty() || code != std::errc() ||
        end != number.data() + number.size()) {
      return Fail(ErrorCode::kInvalid,
                  "expect comma-separated list of filename=N, not \"" + std::string(part) + "\"");
    }
    if (level < 0) return Fail(ErrorCode::kInvalid, "negative value for vmodule level");
    if (level > 0) modules.push_back({std::string(part.substr(0, equals)), level});
  }
  return modules;
}

}  // namespace flyball

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "flyball/api/quantity.h"
#include "flyball/base/logging.h"
#include "flyball/manager/flags/flag_set.h"
#include "flyball/manager/gates/feature_gates.h"
#include "flyball/manager/problems.h"

namespace flyball::manager {

struct LoggingOptions {
  /// Upstream's switches for a stream of its own for what is no error. Accepted, and no more.
  struct Routing {
    bool split_stream = false;
    api::Quantity info_buffer_size = api::Quantity::FromInt64(0, api::Quantity::Format::kDecimalSi);
  };

  std::string format = "text";  ///< or "json"
  std::chrono::nanoseconds flush_frequency = std::chrono::seconds(5);
  flags::Verbosity verbosity = {};
  std::vector<LogModule> modules = {};
  Routing text = {};
  Routing json = {};

  void AddFlags(flags::FlagSection& section);
  void Check(Problems& problems, const FeatureGates& gates) const;
  LogConfig Config() const;
};

}  // namespace flyball::manager

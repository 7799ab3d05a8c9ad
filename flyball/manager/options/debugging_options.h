#pragma once

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct DebuggingOptions {
  bool profiling = true;
  bool contention_profiling = false;

  void AddFlags(flags::FlagSection& section) {
    constexpr std::string_view kWhy = "this program has no Go runtime; use perf(1)";
    section
        .Add("profiling", profiling,
             "Serve profiles of the Go runtime on /debug/pprof/. Accepted and ignored: this "
             "program has no Go runtime, use perf(1).")
        .WithoutEffect(kWhy);
    section
        .Add("contention-profiling", contention_profiling,
             "Profile lock contention in the Go runtime. Accepted and ignored: this program has no "
             "Go runtime, use perf(1).")
        .WithoutEffect(kWhy);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("enableProfiling", profiling);
    config.Add("enableContentionProfiling", contention_profiling);
  }
};

}  // namespace flyball::manager

#pragma once

#include "flyball/manager/config_writer.h"
#include "flyball/manager/flags/flag_set.h"

namespace flyball::manager {

struct DebuggingOptions {
  bool profiling = true;
  bool contention_profiling = false;

  void AddFlags(flags::FlagSection& section) {
    constexpr std::string_view kWhy = "there is no Go profiler here; perf(1) can be used any time";
    section.Add("profiling", profiling, "Go's profiles on /debug/pprof/, which there are none of.")
        .WithoutEffect(kWhy);
    section
        .Add("contention-profiling", contention_profiling,
             "Go's profile of who waits for whom, which there is none of.")
        .WithoutEffect(kWhy);
  }

  void Describe(ConfigWriter& config) const {
    config.Add("enableProfiling", profiling);
    config.Add("enableContentionProfiling", contention_profiling);
  }
};

}  // namespace flyball::manager

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"

namespace flyball::runtime {

/// How many reconciles a queue has had, and how long they took together: for who looks on.
struct ReconcileTotals {
  std::atomic<std::uint64_t> reconciles = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
};

/// What becomes of the reconciles of one queue, beside what upstream's workqueue_* tell of it; the
/// label `name` is the same as theirs. Cheap to copy. Any thread.
struct ReconcileMetrics {
  /// Records nothing.
  ReconcileMetrics() = default;
  ReconcileMetrics(MetricRegistry& registry, std::string_view queue);

  // flyball_reconciles_total, by outcome.
  Counter done;      ///< nothing more to do
  Counter again;     ///< to be looked at again after some time
  Counter failed;    ///< to be tried again
  Counter given_up;  ///< failed too often in a row

  Counter exceptions;        ///< flyball_reconcile_exceptions_total: failed for a fault in the code
  Counter stuck;             ///< flyball_reconciles_stuck_total
  Counter overdue;           ///< flyball_reconciles_overdue_total
  Counter ambiguous_writes;  ///< flyball_ambiguous_writes_total
  Histogram duration;        ///< flyball_reconcile_duration_seconds

  /// Measures a reconcile, from here until this goes; `took` has it then.
  class Timing {
   public:
    Timing(const ReconcileMetrics& metrics, ReconcileTotals& totals, const Clock& clock,
           std::chrono::nanoseconds& took)
        : metrics_(metrics),
          totals_(totals),
          clock_(clock),
          took_(took),
          start_(clock.SteadyNow()) {}
    ~Timing() {
      took_ = clock_.SteadyNow() - start_;
      metrics_.duration.Observe(std::chrono::duration<double>(took_).count());
      ++totals_.reconciles;
      totals_.nanoseconds += took_.count();
    }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

   private:
    const ReconcileMetrics& metrics_;
    ReconcileTotals& totals_;
    const Clock& clock_;
    std::chrono::nanoseconds& took_;
    const SteadyTime start_;
  };
};

}  // namespace flyball::runtime

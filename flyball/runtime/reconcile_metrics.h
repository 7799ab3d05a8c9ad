#pragma once

#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/metrics.h"

namespace flyball::runtime {

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

  /// Measures a reconcile, from here until this goes.
  class Timing {
   public:
    Timing(const ReconcileMetrics& metrics, const Clock& clock)
        : metrics_(metrics), clock_(clock), start_(clock.SteadyNow()) {}
    ~Timing() {
      const std::chrono::duration<double> took = clock_.SteadyNow() - start_;
      metrics_.duration.Observe(took.count());
    }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

   private:
    const ReconcileMetrics& metrics_;
    const Clock& clock_;
    const SteadyTime start_;
  };
};

}  // namespace flyball::runtime

#include "flyball/client/credential_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "flyball/base/mutex.h"
#include "flyball/base/saturating.h"

namespace flyball::client {
namespace {

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// The labels `result` and `reason`.
std::pair<std::string_view, std::string_view> LabelsOf(CredentialMetrics::AuthorityRead how) {
  using enum CredentialMetrics::AuthorityRead;
  switch (how) {
    case kUnchanged:
      return {"success", "unchanged"};
    case kUpdated:
      return {"success", "updated"};
    case kUnreadable:
      return {"failure", "read_error"};
    case kEmpty:
      return {"failure", "empty"};
    case kMalformed:
      break;
  }
  return {"failure", "ca_parse_error"};
}

}  // namespace

class CredentialMetrics::Shared {
 public:
  Shared(MetricRegistry& registry, const Clock& time)
      : clock(time),
        plugin_calls(registry.Counters(
            {"rest_client_exec_plugin_call_total",
             "[ALPHA] Number of runs of an exec credential plugin, by exit code and call status: "
             "no_error, plugin_execution_error, plugin_not_found_error or client_internal_error. "
             "The exit code is 0 only without an error.",
             {"code", "call_status"}})),
        authority_reads(registry.Counters(
            {"rest_client_transport_ca_reload_total",
             "[ALPHA] Number of reloads of a certificate authority file, by result and reason.",
             {"result", "reason"}})),
        rotation_age(registry
                         .Histograms({"rest_client_exec_plugin_certificate_rotation_age",
                                      "[ALPHA] Age in seconds of a client certificate from an exec "
                                      "credential plugin when it was rotated."},
                                     {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000,
                                      15552000, 31104000, 124416000})
                         .With()),
        ttl_(registry
                 .Gauges({"rest_client_exec_plugin_ttl_seconds",
                          "[ALPHA] Time in seconds until the first client certificate from an exec "
                          "credential plugin expires, negative once it has expired; +Inf if there "
                          "is no such certificate."})
                 .WithCallback({}, [this] { return SecondsLeft(); })) {}

  void SetExpiry(const void* plugin, std::optional<WallTime> expiry) {
    MutexLock lock(mutex_);
    if (expiry) {
      expiries_[plugin] = *expiry;
    } else {
      expiries_.erase(plugin);
    }
  }

  const Clock& clock;
  const CounterFamily plugin_calls;
  const CounterFamily authority_reads;
  const Histogram rotation_age;

 private:
  double SecondsLeft() {
    MutexLock lock(mutex_);
    if (expiries_.empty()) return std::numeric_limits<double>::infinity();
    const auto soonest =
        std::ranges::min_element(expiries_, {}, [](const auto& entry) { return entry.second; });
    return Seconds(SaturatingSubtract(soonest->second, clock.WallNow()));
  }

  Mutex mutex_;
  std::map<const void*, WallTime> expiries_ FLYBALL_GUARDED_BY(mutex_);
  const GaugeCallback ttl_;  // the last, since it asks for the others
};

CredentialMetrics::CredentialMetrics(MetricRegistry& registry, const Clock& clock)
    : shared_(std::make_shared<Shared>(registry, clock)) {}

void CredentialMetrics::PluginEnded(int exit_code) const {
  if (shared_ == nullptr) return;
  const std::string_view status = exit_code == 0 ? "no_error" : "plugin_execution_error";
  shared_->plugin_calls.With({std::to_string(exit_code), status}).Increment();
}

void CredentialMetrics::PluginFailed(ErrorCode why) const {
  if (shared_ == nullptr) return;
  // What could not be started, for want of a permission for instance, counts as not found.
  const bool started = why != ErrorCode::kNotFound && why != ErrorCode::kIo;
  const std::string_view status = started ? "client_internal_error" : "plugin_not_found_error";
  shared_->plugin_calls.With({"1", status}).Increment();
}

void CredentialMetrics::SetCertificateExpiry(const void* plugin,
                                             std::optional<WallTime> expiry) const {
  if (shared_ != nullptr) shared_->SetExpiry(plugin, expiry);
}

void CredentialMetrics::CertificateReplaced(WallTime not_before) const {
  if (shared_ == nullptr) return;
  shared_->rotation_age.Observe(Seconds(SaturatingSubtract(shared_->clock.WallNow(), not_before)));
}

void CredentialMetrics::AuthorityReadAgain(AuthorityRead how) const {
  if (shared_ == nullptr) return;
  const auto [result, reason] = LabelsOf(how);
  shared_->authority_reads.With({result, reason}).Increment();
}

}  // namespace flyball::client

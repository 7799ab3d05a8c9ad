#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "flyball/base/clock.h"
#include "flyball/base/error.h"
#include "flyball/base/metrics.h"

namespace flyball::client {

/// What becomes of credentials: runs of plugins, the certificates they give, certificate
/// authorities that are read again. Upstream's names and labels: rest_client_exec_plugin_*,
/// rest_client_transport_ca_reload_total.
///
/// Cheap to copy; copies share what they know, and a registry has one and its copies. Any thread.
// PARITY: rest_client_exec_plugin_policy_call_total is not here, since upstream counts it but never
// registers it: no scrape shows it.
class CredentialMetrics {
 public:
  /// What came of reading a certificate authority's file again.
  enum class AuthorityRead { kUnchanged, kUpdated, kUnreadable, kEmpty, kMalformed };

  /// Records nothing.
  CredentialMetrics() = default;
  /// Both must outlive all copies.
  CredentialMetrics(MetricRegistry& registry, const Clock& clock);

  /// A plugin has run to its end. What its answer is worth is another question.
  void PluginEnded(int exit_code) const;
  /// A plugin could not be run to its end.
  void PluginFailed(ErrorCode why) const;

  /// The plugin known as `plugin` has given a certificate that is good until then, or none. The
  /// soonest of all plugins is shown.
  void SetCertificateExpiry(const void* plugin, std::optional<WallTime> expiry) const;
  /// A plugin's certificate, good from `not_before` on, has been replaced.
  void CertificateReplaced(WallTime not_before) const;

  void AuthorityReadAgain(AuthorityRead how) const;

 private:
  class Shared;

  std::shared_ptr<Shared> shared_;  // null: records nothing
};

}  // namespace flyball::client

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/client/credential_metrics.h"
#include "flyball/client/exec_plugin.h"

namespace flyball::client {

/// What a plugin gave us last, for as long as it is good. One run at a time, however many ask; no
/// lock is held meanwhile. Any thread may call it.
class PluginCredential {
 public:
  struct Answer {
    std::shared_ptr<const ExecCredential> credential;
    std::uint64_t version = 0;
  };

  PluginCredential(ExecPlugin plugin, Clock& clock, Logger log, CredentialMetrics metrics)
      : plugin_(std::move(plugin)),
        clock_(clock),
        log_(std::move(log)),
        metrics_(std::move(metrics)) {}
  ~PluginCredential() { metrics_.SetCertificateExpiry(this, std::nullopt); }
  PluginCredential(const PluginCredential&) = delete;
  PluginCredential& operator=(const PluginCredential&) = delete;

  /// Runs the plugin if there is nothing yet, or nothing that is still good.
  Result<Answer> Get();
  /// Runs the plugin unless there is something newer than `version`. Says whether there is
  /// something different now. If the run fails, the old stays.
  bool Renew(std::uint64_t version);
  /// Null before the first answer.
  std::shared_ptr<const ExecCredential> Last();

  /// Called without a lock when the plugin has come up with another certificate than before.
  void WhenCertificateChanges(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  /// One run of the plugin, which all who came meanwhile wait for. Guarded by mutex_ until it has
  /// ended, and constant then.
  struct Run {
    bool ended = false;
    Result<Answer> answer = Answer();
  };

  bool IsGood() const FLYBALL_REQUIRES(mutex_);
  /// Joins the run that is under way, or starts one.
  Result<Answer> RunUnlessNewer(std::uint64_t version) FLYBALL_EXCLUDES(mutex_);
  /// Tells who wants to know what the plugin has come up with.
  void Announce(const ExecCredential* before, const ExecCredential& after) FLYBALL_EXCLUDES(mutex_);

  const ExecPlugin plugin_;
  Clock& clock_;
  const Logger log_;
  const CredentialMetrics metrics_;
  std::function<void()> changed_;

  Mutex mutex_;
  CondVar run_ended_;
  std::shared_ptr<Run> run_ FLYBALL_GUARDED_BY(mutex_);  ///< null: none is under way
  Answer last_ FLYBALL_GUARDED_BY(mutex_);
};

}  // namespace flyball::client

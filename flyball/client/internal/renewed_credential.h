#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "flyball/base/clock.h"
#include "flyball/base/logging.h"
#include "flyball/base/mutex.h"
#include "flyball/base/result.h"
#include "flyball/client/credential_metrics.h"
#include "flyball/client/issued_credential.h"

namespace flyball::client {

/// What was issued to us last, for as long as it is good. Whoever issues it is asked by one at a
/// time, however many need it; no lock is held meanwhile. Any thread may call it.
class RenewedCredential {
 public:
  struct Answer {
    std::shared_ptr<const IssuedCredential> credential;
    std::uint64_t version = 0;
  };

  RenewedCredential(IssueCredential issue, Clock& clock, Logger log, CredentialMetrics metrics)
      : issue_(std::move(issue)),
        clock_(clock),
        log_(std::move(log)),
        metrics_(std::move(metrics)) {}
  ~RenewedCredential() { metrics_.SetCertificateExpiry(this, std::nullopt); }
  RenewedCredential(const RenewedCredential&) = delete;
  RenewedCredential& operator=(const RenewedCredential&) = delete;

  /// Asks if there is nothing yet, or nothing that is still good.
  Result<Answer> Get();
  /// Asks unless there is something newer than `version`. Says whether there is something different
  /// now. If that fails, the old stays.
  bool Renew(std::uint64_t version);
  /// Null before the first answer.
  std::shared_ptr<const IssuedCredential> Last();

  /// Called without a lock when there is another certificate than before.
  void WhenCertificateChanges(std::function<void()> changed) { changed_ = std::move(changed); }

 private:
  /// One question, whose answer all who came meanwhile wait for. Guarded by mutex_ until it has
  /// ended, and constant then.
  struct Question {
    bool ended = false;
    Result<Answer> answer = Answer();
  };

  bool IsGood() const FLYBALL_REQUIRES(mutex_);
  bool IsToBeRenewed() const FLYBALL_REQUIRES(mutex_);
  /// Joins the question that is under way, or asks one.
  Result<Answer> AskUnlessNewer(std::uint64_t version) FLYBALL_EXCLUDES(mutex_);
  /// Tells who wants to know what there is now.
  void Announce(const IssuedCredential* before, const IssuedCredential& after)
      FLYBALL_EXCLUDES(mutex_);

  const IssueCredential issue_;
  Clock& clock_;
  const Logger log_;
  const CredentialMetrics metrics_;
  std::function<void()> changed_;

  Mutex mutex_;
  CondVar question_ended_;
  std::shared_ptr<Question> question_ FLYBALL_GUARDED_BY(mutex_);  ///< null: none is under way
  Answer last_ FLYBALL_GUARDED_BY(mutex_);
  std::optional<SteadyTime> no_renewal_before_ FLYBALL_GUARDED_BY(mutex_);  ///< after one failed
};

}  // namespace flyball::client

#include "flyball/client/internal/renewed_credential.h"

#include "flyball/client/internal/client_certificate.h"

namespace flyball::client {
namespace {

/// There is something that does for now, and nobody is to wait for each failure.
constexpr auto kRenewalIsTriedEvery = std::chrono::seconds(10);

}  // namespace

bool RenewedCredential::IsGood() const {
  if (last_.credential == nullptr) return false;
  const auto& expires = last_.credential->expires;
  return !expires || clock_.WallNow() <= *expires;
}

bool RenewedCredential::IsToBeRenewed() const {
  const auto& from = last_.credential->renew_from;
  if (!from || clock_.WallNow() < *from) return false;
  return !no_renewal_before_ || clock_.SteadyNow() >= *no_renewal_before_;
}

Result<RenewedCredential::Answer> RenewedCredential::Get() {
  Answer last;
  bool good = false;
  {
    const MutexLock lock(mutex_);
    last = last_;
    good = IsGood();
    if (good && !IsToBeRenewed()) return last;
  }
  auto answer = AskUnlessNewer(last.version);
  if (answer || !good) return answer;
  log_.Error(answer.error(),
             "Unable to renew credentials, using the current ones until they expire");
  const MutexLock lock(mutex_);
  no_renewal_before_ = clock_.DeadlineAfter(kRenewalIsTriedEvery);
  return last;
}

std::shared_ptr<const IssuedCredential> RenewedCredential::Last() {
  const MutexLock lock(mutex_);
  return last_.credential;
}

bool RenewedCredential::Renew(std::uint64_t version) {
  std::shared_ptr<const IssuedCredential> before;
  {
    const MutexLock lock(mutex_);
    if (last_.version != version) return true;
    before = last_.credential;
  }
  const auto answer = AskUnlessNewer(version);
  if (!answer) {
    log_.Error(answer.error(), "Unable to get new credentials");
    return false;
  }
  return before == nullptr || !(*answer->credential == *before);
}

Result<RenewedCredential::Answer> RenewedCredential::AskUnlessNewer(std::uint64_t version) {
  MutexLock lock(mutex_);
  if (last_.version != version) return last_;
  if (question_ != nullptr) {
    const std::shared_ptr<Question> question = question_;
    clock_.Wait(lock, question_ended_, [&] { return question->ended; });
    return question->answer;
  }
  const auto question = question_ = std::make_shared<Question>();
  lock.Unlock();
  auto credential = issue_();
  lock.Lock();
  const std::shared_ptr<const IssuedCredential> before = last_.credential;
  if (credential) {
    last_.credential = std::make_shared<const IssuedCredential>(*std::move(credential));
    ++last_.version;
    question->answer = last_;
  } else {
    question->answer = std::unexpected(std::move(credential).error());
  }
  question->ended = true;
  question_ = nullptr;
  question_ended_.NotifyAll();
  lock.Unlock();

  if (question->answer) Announce(before.get(), *question->answer->credential);
  return question->answer;
}

void RenewedCredential::Announce(const IssuedCredential* before, const IssuedCredential& after) {
  const auto life = ReadCertificateLife(after.certificate);
  metrics_.SetCertificateExpiry(this, life ? std::optional(life->end) : std::nullopt);
  if (before == nullptr) return;
  if (before->certificate == after.certificate && before->key == after.key) return;
  if (const auto old = ReadCertificateLife(before->certificate)) {
    metrics_.CertificateReplaced(old->start);
  }
  if (changed_) changed_();
}

}  // namespace flyball::client

#include "flyball/client/internal/plugin_credential.h"

#include "flyball/client/internal/client_certificate.h"

namespace flyball::client {

bool PluginCredential::IsGood() const {
  if (last_.credential == nullptr) return false;
  const auto& expires = last_.credential->expires;
  return !expires || clock_.WallNow() <= *expires;
}

Result<PluginCredential::Answer> PluginCredential::Get() {
  std::uint64_t version = 0;
  {
    const MutexLock lock(mutex_);
    if (IsGood()) return last_;
    version = last_.version;
  }
  return RunUnlessNewer(version);
}

std::shared_ptr<const ExecCredential> PluginCredential::Last() {
  const MutexLock lock(mutex_);
  return last_.credential;
}

bool PluginCredential::Renew(std::uint64_t version) {
  std::shared_ptr<const ExecCredential> before;
  {
    const MutexLock lock(mutex_);
    if (last_.version != version) return true;
    before = last_.credential;
  }
  const auto answer = RunUnlessNewer(version);
  if (!answer) {
    log_.Error(answer.error(), "Could not get new credentials from the plugin");
    return false;
  }
  return before == nullptr || !(*answer->credential == *before);
}

Result<PluginCredential::Answer> PluginCredential::RunUnlessNewer(std::uint64_t version) {
  MutexLock lock(mutex_);
  if (last_.version != version) return last_;
  if (run_ != nullptr) {
    const std::shared_ptr<Run> run = run_;
    clock_.Wait(lock, run_ended_, [&] { return run->ended; });
    return run->answer;
  }
  const auto run = run_ = std::make_shared<Run>();
  lock.Unlock();
  auto credential = plugin_.Run();
  lock.Lock();
  const std::shared_ptr<const ExecCredential> before = last_.credential;
  if (credential) {
    last_.credential = std::make_shared<const ExecCredential>(*std::move(credential));
    ++last_.version;
    run->answer = last_;
  } else {
    run->answer = std::unexpected(std::move(credential).error());
  }
  run->ended = true;
  run_ = nullptr;
  run_ended_.NotifyAll();
  lock.Unlock();

  if (run->answer) Announce(before.get(), *run->answer->credential);
  return run->answer;
}

void PluginCredential::Announce(const ExecCredential* before, const ExecCredential& after) {
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

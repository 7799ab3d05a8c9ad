#include "flyball/client/internal/plugin_credential.h"

namespace flyball::client {

bool PluginCredential::IsGood() const {
  if (last_.credential == nullptr) return false;
  const auto& expires = last_.credential->expires;
  return !expires || clock_.WallNow() <= *expires;
}

Result<PluginCredential::Answer> PluginCredential::Get() {
  MutexLock lock(mutex_);
  if (IsGood()) return last_;
  return JoinRun(lock);
}

std::shared_ptr<const ExecCredential> PluginCredential::Last() {
  const MutexLock lock(mutex_);
  return last_.credential;
}

bool PluginCredential::Renew(std::uint64_t version) {
  MutexLock lock(mutex_);
  if (last_.version != version) return true;
  const auto before = last_.credential;
  const auto answer = JoinRun(lock);
  if (!answer) {
    log_.Error(answer.error(), "Could not get new credentials from the plugin");
    return false;
  }
  return before == nullptr || !(*answer->credential == *before);
}

Result<PluginCredential::Answer> PluginCredential::JoinRun(MutexLock& lock) {
  if (run_ != nullptr) {
    const std::shared_ptr<Run> run = run_;
    clock_.Wait(lock, run_ended_, [&] { return run->ended; });
    return run->answer;
  }
  const auto run = run_ = std::make_shared<Run>();
  lock.Unlock();
  auto credential = plugin_.Run();
  lock.Lock();

  bool changed = false;
  if (credential) {
    const auto before = std::exchange(
        last_.credential, std::make_shared<const ExecCredential>(*std::move(credential)));
    ++last_.version;
    changed = before != nullptr && (before->certificate != last_.credential->certificate ||
                                    before->key != last_.credential->key);
    run->answer = last_;
  } else {
    run->answer = std::unexpected(std::move(credential).error());
  }
  run->ended = true;
  run_ = nullptr;
  run_ended_.NotifyAll();
  if (changed && changed_) {
    lock.Unlock();
    changed_();
    lock.Lock();
  }
  return run->answer;
}

}  // namespace flyball::client

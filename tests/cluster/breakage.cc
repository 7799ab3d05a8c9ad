#include "tests/cluster/breakage.h"

namespace flyball::cluster {

using namespace std::chrono_literals;

Breakage::Breakage(Deps deps)
    : deps_(std::move(deps)),
      kinds_{
          {"a manager killed", [this] { return KillManager(); }},
          {"connections cut", [this] { return CutConnections(); }},
          {"a network shut", [this] { return Isolate(&scripted::Proxy::Shut); }},
          {"a network lost", [this] { return Isolate(&scripted::Proxy::Swallow); }},
          {"the API server killed", [this] { return KillApiServer(); }},
          {"the API server restarted", [this] { return RestartApiServer(); }},
      } {
  for (const char* const name : {"anna", "bert"}) {
    candidates_.emplace_back(name, deps_.executor, deps_.plane.address());
  }
}

Result<> Breakage::Revive() {
  for (Candidate& one : candidates_) {
    if (one.manager && one.manager->process().Running()) continue;
    if (one.manager) NoteEnd(one);
    FLYBALL_TRY(const auto kubeconfig,
                deps_.plane.WriteKubeconfig(one.name,
                                            {.certificate = deps_.plane.IssueClientCertificate(
                                                 "system:kube-controller-manager", {}, 12h)},
                                            &one.proxy));
    one.manager.reset();
    one.killed = false;
    one.manager.emplace(deps_.start(one.name + "-" + std::to_string(++started_), kubeconfig));
  }
  return {};
}

void Breakage::NoteEnd(Candidate& one) {
  if (one.killed) return;
  ++given_up_;
  const std::string end = one.manager->process().Describe();
  if (end.starts_with("ended with status")) return;
  crashes_.push_back(one.name + " " + end + ":\n" + one.manager->log());
}

Result<> Breakage::BreakNext() {
  const auto& [name, happen] =
      EachHasBroken() ? kinds_[static_cast<std::size_t>(Below(static_cast<int>(kinds_.size())))]
                      : kinds_[count_];
  ++count_;
  ++broken_[name];
  deps_.meanwhile(std::chrono::milliseconds(200 * Below(10)));
  FLYBALL_TRY(happen());
  return Revive();
}

Result<> Breakage::KillManager() {
  Candidate& one = Any();
  one.manager->process().Kill();
  one.killed = true;
  return {};
}

Result<> Breakage::CutConnections() {
  for (Candidate& one : candidates_) one.proxy.Cut();
  return {};
}

Result<> Breakage::Isolate(void (scripted::Proxy::*how)()) {
  Candidate& one = Any();
  (one.proxy.*how)();
  deps_.meanwhile(std::chrono::milliseconds(500 + 500 * Below(12)));
  one.proxy.Open();
  return {};
}

Result<> Breakage::KillApiServer() {
  deps_.plane.KillApiServer();
  return deps_.plane.StartApiServer();
}

Result<> Breakage::RestartApiServer() {
  deps_.plane.StopApiServer();
  return deps_.plane.StartApiServer();
}

std::string Breakage::Describe() const {
  std::string text;
  for (const auto& [name, times] : broken_) text += name + ": " + std::to_string(times) + "\n";
  return text + std::to_string(started_) + " managers, of which " + std::to_string(given_up_) +
         " gave up\n";
}

}  // namespace flyball::cluster

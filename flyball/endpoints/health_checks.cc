#include "flyball/endpoints/health_checks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "flyball/base/log_format.h"
#include "flyball/endpoints/status_reply.h"

namespace flyball::endpoints {
namespace {

constexpr std::string_view kType = "healthz";
constexpr std::string_view kPrefix = "/healthz/";

/// A process that says of nothing how it is, at least answers.
Result<> Ping() { return {}; }

}  // namespace

void HealthChecks::Add(std::string name, Check check) {
  MutexLock lock(mutex_);
  auto list = checks_ ? std::make_shared<List>(*checks_) : std::make_shared<List>();
  list->push_back({std::move(name), std::move(check)});
  checks_ = std::move(list);
}

std::shared_ptr<const HealthChecks::List> HealthChecks::Current() const {
  MutexLock lock(mutex_);
  return checks_ ? checks_ : std::make_shared<const List>(List{{"ping", Ping}});
}

transport::Response HealthChecks::Answer(const Call& call) const {
  const std::vector<std::string> names = call.target.All("exclude");
  const std::set<std::string> excluded(names.begin(), names.end());
  std::set<std::string> unknown = excluded;
  std::string text;
  bool all_passed = true;
  const auto checks = Current();
  for (const auto& [name, check] : *checks) {
    if (excluded.contains(name)) {
      unknown.erase(name);
      text += "[+]" + name + " excluded: ok\n";
      continue;
    }
    const Result<> result = check();
    if (deps_.slis != nullptr) deps_.slis->Observe(name, kType, result.has_value());
    text += result ? "[+]" + name + " ok\n" : "[-]" + name + " failed: reason withheld\n";
    if (result) continue;
    all_passed = false;
    deps_.log.V(2).Info("Health check failed",
                        {{"check", name}, {"reason", result.error().Describe()}});
  }
  if (!unknown.empty()) {
    std::string list;
    for (const std::string& name : unknown) {
      if (!list.empty()) list += ',';
      AppendGoQuoted(list, name);
    }
    text += "warn: some health checks cannot be excluded: no matches for " + list + "\n";
  }
  if (!all_passed) return PlainError(500, text + std::string(kType) + " check failed");
  if (!call.target.Has("verbose")) return PlainText(200, "ok");
  return PlainText(200, text + std::string(kType) + " check passed\n");
}

transport::Response HealthChecks::AnswerOne(const Call& call) const {
  const auto checks = Current();
  std::string_view name = call.target.path;
  name.remove_prefix(std::min(kPrefix.size(), name.size()));
  const auto found = std::ranges::find(*checks, name, &Named::name);
  if (found == checks->end()) return NotFound();
  const Result<> result = found->check();
  if (result) return PlainText(200, "ok");
  return PlainError(500, "internal server error: " + result.error().message());
}

}  // namespace flyball::endpoints

#include "tests/cluster/audit_trail.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "flyball/api/json.h"

namespace flyball::cluster {
namespace {

std::string TextAt(const api::Json& event, std::initializer_list<std::string_view> path) {
  const api::Json* at = &event;
  for (const std::string_view name : path) {
    if (at != nullptr) at = at->Find(name);
  }
  const auto* text = at == nullptr ? nullptr : at->If<std::string>();
  return text == nullptr ? "" : *text;
}

/// What tells one token or certificate from all others.
std::string CredentialOf(const api::Json& event) {
  const api::Json* const user = event.Find("user");
  const api::Json* const extra = user == nullptr ? nullptr : user->Find("extra");
  const api::Json* const id =
      extra == nullptr ? nullptr : extra->Find("authentication.kubernetes.io/credential-id");
  return id == nullptr ? "" : id->ToString();
}

/// Calls `each` with the whole lines that a file has got since; what is left of it is in `partial`.
template <typename Each>
void ForEachNewLine(std::ifstream& file, std::string& partial, Each each) {
  file.clear();
  partial.append(std::istreambuf_iterator<char>(file), {});
  std::size_t start = 0;
  for (std::size_t end = 0; (end = partial.find('\n', start)) != std::string::npos;) {
    each(partial.substr(start, end - start));
    start = end + 1;
  }
  partial.erase(0, start);
}

}  // namespace

void AuditTrail::ReadOn() {
  ForEachNewLine(log_, partial_, [this](const std::string& line) { Add(line); });
}

void AuditTrail::Add(const std::string& line) {
  const auto event = api::Json::Parse(line);
  if (!event || TextAt(*event, {"objectRef", "resource"}) != which_.resource) return;
  if (!which_.space.empty() && TextAt(*event, {"objectRef", "namespace"}) != which_.space) return;
  if (!which_.user.empty() && TextAt(*event, {"user", "username"}) != which_.user) return;
  if (!which_.verbs.contains(TextAt(*event, {"verb"}))) return;
  const std::string at = TextAt(*event, {"requestReceivedTimestamp"});
  Span& span = spans_[which_.writer == Writer::kCredential ? CredentialOf(*event)
                                                           : TextAt(*event, {"userAgent"})];
  span.first = span.writes == 0 ? at : std::min(span.first, at);
  span.last = std::max(span.last, at);
  ++span.writes;
}

std::vector<std::string> AuditTrail::Overlaps() const {
  std::vector<std::pair<std::string, Span>> by_start(spans_.begin(), spans_.end());
  std::ranges::sort(by_start, {}, [](const auto& span) { return span.second.first; });
  std::vector<std::string> found;
  const std::pair<std::string, Span>* longest = nullptr;
  for (const auto& next : by_start) {
    if (longest != nullptr && next.second.first <= longest->second.last) {
      found.push_back(next.first + " wrote from " + next.second.first + " on, " + longest->first +
                      " until " + longest->second.last);
    }
    if (longest == nullptr || next.second.last > longest->second.last) longest = &next;
  }
  return found;
}

bool AuditedRequest::IsManagers() const {
  return user == "system:kube-controller-manager" ||
         user.starts_with("system:serviceaccount:kube-system:");
}

bool AuditedRequest::IsWrite() const { return verb != "get" && verb != "list" && verb != "watch"; }

std::string AuditedRequest::Describe() const {
  std::string text = verb + " " + resource;
  if (!subresource.empty()) text += "/" + subresource;
  text += " ";
  if (!space.empty()) text += space + "/";
  return text + name + " " + code;
}

std::vector<AuditedRequest> AuditLog::ReadOn() {
  std::vector<AuditedRequest> found;
  ForEachNewLine(log_, partial_, [&found](const std::string& line) {
    const auto event = api::Json::Parse(line);
    if (!event) return;
    const api::Json* const status = event->Find("responseStatus");
    const api::Json* const code = status == nullptr ? nullptr : status->Find("code");
    found.push_back({.user = TextAt(*event, {"user", "username"}),
                     .verb = TextAt(*event, {"verb"}),
                     .space = TextAt(*event, {"objectRef", "namespace"}),
                     .resource = TextAt(*event, {"objectRef", "resource"}),
                     .name = TextAt(*event, {"objectRef", "name"}),
                     .code = code == nullptr ? "?" : code->ToString(),
                     .subresource = TextAt(*event, {"objectRef", "subresource"}),
                     .stage = TextAt(*event, {"stage"}),
                     .id = TextAt(*event, {"auditID"})});
  });
  return found;
}

std::vector<AuditedRequest> ReadRequests(const std::filesystem::path& log) {
  return AuditLog(log).ReadOn();
}

std::vector<std::string> RequestsOf(const std::filesystem::path& log, std::string_view user,
                                    std::string_view space) {
  std::vector<std::string> found;
  for (const AuditedRequest& one : ReadRequests(log)) {
    if (one.user != user || one.space != space) continue;
    found.push_back(one.verb + " " + one.resource + " " + one.name + " " + one.code);
  }
  return found;
}

}  // namespace flyball::cluster

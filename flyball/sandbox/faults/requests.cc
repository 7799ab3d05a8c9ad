#include "flyball/sandbox/faults/requests.h"

#include <algorithm>

namespace flyball::sandbox {

Asked::Asked(const transport::Request& request)
    : method(request.method), user_agent(transport::FindHeader(request.headers, "user-agent")) {
  if (auto parsed = RequestInfo::Parse(request.target)) target = *std::move(parsed);
  verb = target.resource ? VerbOf(method, target) : "get";
}

bool Asked::writes() const { return method != "GET" && method != "HEAD"; }

bool Asked::goes_on() const {
  if (verb == "list") return !target.query.Get("continue").empty();
  return watches() && !begins();
}

bool Asked::begins() const {
  if (verb == "list") return !goes_on();
  const std::string_view version = target.query.Get("resourceVersion");
  return watches() &&
         (version.empty() || version == "0" || target.query.IsTrue("sendInitialEvents"));
}

Requests Requests::Of(std::string_view resource) const {
  Requests some = *this;
  const auto slash = resource.find('/');
  some.plural_ = resource.substr(0, slash);
  some.subresource_ =
      slash == std::string_view::npos ? std::string_view() : resource.substr(slash + 1);
  return some;
}

Requests Requests::In(std::string space) const {
  Requests some = *this;
  some.space_ = std::move(space);
  return some;
}

Requests Requests::Named(std::string name) const {
  Requests some = *this;
  some.name_ = std::move(name);
  return some;
}

Requests Requests::From(std::string user_agent) const {
  Requests some = *this;
  some.user_agent_ = std::move(user_agent);
  return some;
}

Requests Requests::Where(std::function<bool(const Asked&)> condition) const {
  Requests some = *this;
  some.condition_ = std::move(condition);
  return some;
}

bool Requests::Contain(const Asked& asked) const {
  const auto is = [](const std::string& wanted, std::string_view found) {
    return wanted.empty() || wanted == found;
  };
  const RequestInfo& target = asked.target;
  return (verbs_.empty() || std::ranges::find(verbs_, asked.verb) != verbs_.end()) &&
         is(plural_, target.plural) && is(subresource_, target.subresource) &&
         is(space_, target.namespace_) && is(name_, target.name) &&
         asked.user_agent.starts_with(user_agent_) && (!condition_ || condition_(asked));
}

}  // namespace flyball::sandbox

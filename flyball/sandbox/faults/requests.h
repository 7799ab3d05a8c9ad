#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/sandbox/request.h"
#include "flyball/transport/http.h"

namespace flyball::sandbox {

/// What is asked, as far as one can tell in front of the server.
struct Asked {
  explicit Asked(const transport::Request& request);

  bool watches() const { return verb == "watch"; }
  bool writes() const;
  /// Of those who go on from where they were: a watch, or a list's next page.
  bool goes_on() const;
  /// Of those who begin anew, and have not seen anything yet.
  bool begins() const;

  std::string method;
  RequestInfo target;
  std::string verb;  ///< as in a role: "get", "deletecollection"; "get" also of what is no resource
  std::string user_agent;
};

/// Some of the requests that are made: `Requests::Writes().Of("pods").In("default")`. A value.
class Requests {
 public:
  static Requests All() { return Requests({}); }
  static Requests Reads() { return Requests({"get", "list", "watch"}); }
  static Requests Gets() { return Requests({"get"}); }
  static Requests Lists() { return Requests({"list"}); }
  static Requests Watches() { return Requests({"watch"}); }
  static Requests Writes() {
    return Requests({"create", "update", "patch", "delete", "deletecollection"});
  }
  static Requests Creates() { return Requests({"create"}); }
  static Requests Updates() { return Requests({"update"}); }
  static Requests Patches() { return Requests({"patch"}); }
  static Requests Deletes() { return Requests({"delete", "deletecollection"}); }

  /// Of a resource and what is under it, "pods", or of what is under it alone, "pods/status".
  Requests Of(std::string_view resource) const;
  Requests In(std::string space) const;
  Requests Named(std::string name) const;
  /// By those whose user agent begins so.
  Requests From(std::string user_agent) const;
  /// What else may tell them apart.
  Requests Where(std::function<bool(const Asked& asked)> condition) const;

  bool Contain(const Asked& asked) const;

 private:
  explicit Requests(std::vector<std::string_view> verbs) : verbs_(std::move(verbs)) {}

  std::vector<std::string_view> verbs_;  // none: all
  // Empty: any.
  std::string plural_, subresource_, space_, name_, user_agent_;
  std::function<bool(const Asked&)> condition_;
};

}  // namespace flyball::sandbox

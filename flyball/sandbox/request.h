#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flyball/sandbox/api_status_error.h"
#include "flyball/transport/http.h"

namespace flyball::sandbox {

/// The part of a target behind the question mark.
class Query {
 public:
  explicit Query(std::string_view text);

  /// The first value of a parameter; empty if there is none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  /// As Go's strconv reads it in a query: absent and "" are false, "0" and "false" are false,
  /// anything else is true.
  bool IsTrue(std::string_view name) const;
  StatusOr<std::optional<std::int64_t>> Number(std::string_view name) const;
  std::vector<std::string> All(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

/// Who asks.
struct User {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

/// Where a request goes: the parts of
///   /apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>
/// with core's group under /api. Unset parts are empty.
struct RequestInfo {
  std::vector<std::string> path;  ///< all parts, escapes resolved
  bool resource = false;          ///< it names a collection, or something in it
  std::string group, version, namespace_, plural, name, subresource;
  Query query{{}};

  /// kMalformed escapes and the like are nothing that is served.
  static StatusOr<RequestInfo> Parse(std::string_view text);
};

/// The verb that a method is on a collection or on an object; empty if it is none.
std::string_view VerbOf(std::string_view method, const RequestInfo& target);

/// A request and what the server has found out about it.
struct Request {
  transport::Request http;
  RequestInfo target;
  User user;

  std::string_view Header(std::string_view name) const {
    return transport::FindHeader(http.headers, name);
  }
  std::string_view Verb() const { return VerbOf(http.method, target); }
};

}  // namespace flyball::sandbox

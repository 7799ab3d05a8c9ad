#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace flyball::cluster {

/// When the API server received the first and the last write of each writer, read off its audit log
/// as it grows. One thread.
class AuditTrail {
 public:
  struct Span {
    std::string first, last;  ///< "2026-05-04T03:02:01.123456Z", which sort as times do
    int writes = 0;
  };

  /// How writers are told apart: processes of one program have one user agent, but each has got
  /// tokens of its own.
  enum class Writer : std::uint8_t { kUserAgent, kCredential };

  /// Which writes it is about.
  struct Which {
    std::string space = {};  ///< empty: all of them
    std::string resource = "configmaps";
    std::set<std::string> verbs = {"create", "patch"};
    std::string user = {};  ///< empty: anybody's
    Writer writer = Writer::kUserAgent;
  };

  AuditTrail(const std::filesystem::path& log, Which which) : log_(log), which_(std::move(which)) {}

  /// Reads what has been added.
  void ReadOn();
  const std::map<std::string, Span>& spans() const { return spans_; }
  /// Pairs of writers whose writes overlap: "b wrote from .. to .., a until ..".
  std::vector<std::string> Overlaps() const;

 private:
  void Add(const std::string& line);

  std::ifstream log_;
  const Which which_;
  std::string partial_;  // a line that is not whole yet
  std::map<std::string, Span> spans_;
};

/// A request that was answered, as the audit log has it.
struct AuditedRequest {
  std::string user, verb, space, resource, name;
  std::string code;         ///< "201"; "?" if it is not known
  std::string subresource;  ///< "token" of an account
  /// "ResponseStarted" where an answer goes on and on, as of a watch, which comes here once more
  /// when it is over.
  std::string stage;
  std::string id;  ///< the same in both

  /// Whether a manager asked, as itself or as one of its controllers.
  bool IsManagers() const;
  bool IsWrite() const;
  /// "create pods/binding test-1/web-0".
  std::string Describe() const;
};

/// Reads an audit log as it grows. One thread.
class AuditLog {
 public:
  explicit AuditLog(const std::filesystem::path& log) : log_(log) {}
  /// What has been added since, in order.
  std::vector<AuditedRequest> ReadOn();

 private:
  std::ifstream log_;
  std::string partial_;  // a line that is not whole yet
};

/// All so far, in order.
std::vector<AuditedRequest> ReadRequests(const std::filesystem::path& log);

/// What a user asked for in a namespace, and how it was answered, in order: "delete jobs web 200".
std::vector<std::string> RequestsOf(const std::filesystem::path& log, std::string_view user,
                                    std::string_view space);

}  // namespace flyball::cluster

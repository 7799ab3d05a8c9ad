#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace flyball::cluster {

/// When the API server received the first and the last write of each user agent, read off its audit
/// log as it grows. One thread.
class AuditTrail {
 public:
  struct Span {
    std::string first, last;  ///< "2026-05-04T03:02:01.123456Z", which sort as times do
    int writes = 0;
  };

  /// Of writes to ConfigMaps in this namespace.
  AuditTrail(const std::filesystem::path& log, std::string space)
      : log_(log), space_(std::move(space)) {}

  /// Reads what has been added.
  void ReadOn();
  const std::map<std::string, Span>& spans() const { return spans_; }
  /// Pairs of agents whose writes overlap: "b wrote from .. to .., a until ..".
  std::vector<std::string> Overlaps() const;

 private:
  void Add(const std::string& line);

  std::ifstream log_;
  const std::string space_;
  std::string partial_;  // a line that is not whole yet
  std::map<std::string, Span> spans_;
};

}  // namespace flyball::cluster

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flyball::manager {

/// What is wrong with the options, all of it, so that a person need not start a program five times
/// to learn of five mistakes.
class Problems {
 public:
  void Add(std::string problem);
  /// `metrics.disabledMetrics: Invalid value: ["*"]: why`, with the value as JSON or quoted.
  void AddInvalid(std::string_view field, std::string_view value, std::string_view why);
  /// `flag must be greater than 0, but got value`, unless it is.
  void AddUnlessPositive(std::string_view flag, std::int32_t value);
  void AddUnlessWithin(std::string_view flag, std::int32_t value, std::int32_t least,
                       std::int32_t most);
  void AddForbidden(std::string_view field, std::string_view why);
  /// What is worth a line in the log and no more.
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  bool empty() const { return problems_.empty(); }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// One is itself; several are "[a, b]", none twice.
  std::string Text() const;

 private:
  std::vector<std::string> problems_;
  std::vector<std::string> warnings_;
};

}  // namespace flyball::manager

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flyball/api/json.h"
#include "flyball/base/result.h"

namespace flyball::parity {

/// What came of a scenario: what there was at each of its checkpoints.
struct Record {
  struct Checkpoint {
    std::string name;
    api::Json portrait;
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
  };
  std::vector<Checkpoint> checkpoints = {};

  api::Json ToJson() const;
  static Result<Record> FromJson(const api::Json& tree);
  friend bool operator==(const Record&, const Record&) = default;
};

/// Records that need not be made again, a file each. What they depend on is part of the name, so
/// that one which would be another today is not found.
class RecordArchive {
 public:
  explicit RecordArchive(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<Record> Find(const std::string& scenario, const std::string& depends_on) const;
  Result<> Keep(const std::string& scenario, const std::string& depends_on,
                const Record& record) const;

 private:
  std::filesystem::path FileOf(const std::string& scenario, const std::string& depends_on) const;

  const std::filesystem::path folder_;
};

/// A tree as people read it: a line a member, indented.
std::string Pretty(const api::Json& tree);

}  // namespace flyball::parity

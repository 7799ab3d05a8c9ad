#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "tests/scenario/differences.h"

namespace flyball::scenario {

/// A difference that is known and stays, with where it shows.
struct Excuse {
  std::string documented;              ///< words of a document that say it
  std::vector<std::string> scenarios;  ///< patterns, in which `*` stands for anything
  std::vector<std::string> places;     ///< requests or checkpoints; none: all
  std::vector<std::string> paths;
  std::vector<std::string> expected;  ///< of what the original says; none: all
  bool used = false;
};

/// The differences that are excused. Each excuse stands in a document too, and must be needed:
/// one that is not was forgotten when ours learned better.
class Excuses {
 public:
  static Result<Excuses> Load(const std::filesystem::path& file);

  bool Excused(std::string_view scenario, std::string_view place, const Difference& difference);
  std::vector<std::string> Unused() const;
  /// Those whose words are not in `docs`.
  std::vector<std::string> Undocumented(std::string_view docs) const;

 private:
  std::vector<Excuse> excuses_;
};

}  // namespace flyball::scenario

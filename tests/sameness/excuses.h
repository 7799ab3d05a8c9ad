#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/result.h"
#include "tests/sameness/differences.h"
#include "tests/sameness/scenario.h"

namespace flyball::sameness {

/// A difference that is known and stays, with where it shows.
struct Excuse {
  std::string documented;              ///< words of docs/sandbox.md that say it
  std::vector<std::string> scenarios;  ///< patterns, in which `*` stands for anything
  std::vector<std::string> requests;   ///< of "METHOD path"; none: all
  std::vector<std::string> paths;
  std::vector<std::string> real;  ///< of what the real server says; none: all
  bool used = false;
};

/// The differences that are excused. Each excuse stands in docs/sandbox.md too, and must be needed:
/// one that is not was forgotten when the server learned better.
class Excuses {
 public:
  static Result<Excuses> Load(const std::filesystem::path& file);

  bool Excused(const Scenario& scenario, const Step& step, const Difference& difference);
  std::vector<std::string> Unused() const;
  /// Those whose words are not in `docs`.
  std::vector<std::string> Undocumented(std::string_view docs) const;

 private:
  std::vector<Excuse> excuses_;
};

}  // namespace flyball::sameness

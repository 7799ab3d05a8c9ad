#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/client/discovery.h"
#include "tests/faults/point.h"
#include "tests/faults/run.h"
#include "tests/parity/scenario.h"
#include "tests/scenario/excuses.h"

namespace flyball::faults {

/// Points of one run: "kill-before-7", or "act-late-3+freeze-5".
using Points = std::vector<Point>;
std::string ToString(const Points& points);
/// Nothing if it is none.
std::optional<Points> ParsePoints(std::string_view text);

/// What a run had to be, and was not.
struct Finding {
  Points points;
  std::uint64_t seed;  ///< of the run
  std::string at;      ///< for people: what was written, or in which watch it was
  std::string text;    ///< likewise: in what it differs
};

/// Plays a scenario undisturbed, then again with each of its points, and compares. Then, if it is
/// small, schedules that dice make: two points at a time, of any kinds, and another order of tasks.
class Sweep {
 public:
  struct Options {
    std::uint64_t seed = 1;
    int stride = 1;  ///< one point in so many
    int offset = 0;  ///< of those before the first
    Points only = {};
    int schedules = 0;  ///< that dice make, of each scenario that is small
    /// No faults that take a minute, and no two of them: see README.md.
    bool brief = false;
    std::shared_ptr<LogSink> log = {};  ///< of a run that is played alone
    std::size_t side_by_side = 1;
  };
  Sweep(Executor& executor, scenario::Excuses& excuses, Options options)
      : executor_(executor), excuses_(excuses), options_(std::move(options)) {}

  struct Report {
    std::size_t points = 0;     ///< that there are
    std::size_t schedules = 0;  ///< that dice made, of the runs
    std::size_t runs = 0;       ///< that were played
    std::vector<Finding> findings = {};
  };
  /// Fails if the scenario itself does, or if it does not go the same way twice.
  Result<Report> Play(const parity::Scenario& scenario);

 private:
  /// One run of a scenario.
  struct Plan {
    Points points;
    std::uint64_t seed;
  };

  Result<Outcome> PlayUndisturbed(const parity::Scenario& scenario, std::uint64_t seed) const;
  /// Those that this sweep is to play.
  std::vector<Plan> Choose(const std::vector<Point>& points) const;
  std::vector<Plan> Dice(const Outcome& undisturbed) const;
  std::vector<Outcome> PlayAll(const parity::Scenario& scenario, const std::vector<Plan>& plans);
  std::string Compare(const std::string& scenario, const Points& points, const Outcome& expected,
                      const Outcome& actual);

  Executor& executor_;
  scenario::Excuses& excuses_;
  const Options options_;
  const std::vector<client::ServedResource> served_ = Run::Served();
};

}  // namespace flyball::faults

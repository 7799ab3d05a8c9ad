#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flyball/base/executor.h"
#include "flyball/client/discovery.h"
#include "tests/faults/point.h"
#include "tests/faults/run.h"
#include "tests/parity/scenario.h"
#include "tests/scenario/excuses.h"

namespace flyball::faults {

/// What a run had to be, and was not.
struct Finding {
  Point point;
  std::string at;    ///< for people: what was written, or in which watch it was
  std::string text;  ///< likewise: in what it differs
};

/// Plays a scenario undisturbed, then again with each of its points, and compares.
class Sweep {
 public:
  struct Options {
    std::uint64_t seed = 1;
    int stride = 1;  ///< one point in so many
    int offset = 0;  ///< of those before the first
    std::optional<Point> only = {};
    std::shared_ptr<LogSink> log = {};  ///< of a run that is played alone
    std::size_t side_by_side = 1;
  };
  Sweep(Executor& executor, scenario::Excuses& excuses, Options options)
      : executor_(executor), excuses_(excuses), options_(std::move(options)) {}

  struct Report {
    std::size_t points = 0;  ///< that there are
    std::size_t runs = 0;    ///< that were played
    std::vector<Finding> findings = {};
  };
  /// Fails if the scenario itself does, or if it does not go the same way twice.
  Result<Report> Play(const parity::Scenario& scenario);

 private:
  Result<Outcome> PlayUndisturbed(const parity::Scenario& scenario) const;
  /// Those that this sweep is to play.
  std::vector<Point> Choose(const std::vector<Point>& points) const;
  std::map<std::size_t, Outcome> PlayAll(const parity::Scenario& scenario,
                                         const std::vector<Point>& points);
  std::string Compare(const std::string& scenario, const Point& point, const Outcome& expected,
                      const Outcome& actual);

  Executor& executor_;
  scenario::Excuses& excuses_;
  const Options options_;
  const std::vector<client::ServedResource> served_ = Run::Served();
};

}  // namespace flyball::faults

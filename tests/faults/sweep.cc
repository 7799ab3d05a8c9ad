#include "tests/faults/sweep.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tests/faults/comparison.h"
#include "tests/scenario/differences.h"

namespace flyball::faults {
namespace {

using scenario::Difference;

/// Every point of a scenario, in the order in which they come as far as one can tell.
std::vector<Point> PointsOf(const Outcome& undisturbed) {
  std::vector<Point> points;
  for (int i = 1; i <= std::ssize(undisturbed.writes); ++i) {
    for (const Point::Kind kind : Point::kOfWrites) points.push_back({kind, i});
  }
  for (int i = 1; i <= std::ssize(undisturbed.events); ++i) {
    for (const Point::Kind kind : Point::kOfEvents) points.push_back({kind, i});
  }
  return points;
}

/// Where the two part, for people.
std::string FirstDifference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  const auto number = std::to_string(in_a - a.begin() + 1);
  return "number " + number + " is \"" + (in_a == a.end() ? "" : *in_a) + "\" in one run and \"" +
         (in_b == b.end() ? "" : *in_b) + "\" in the other";
}

Result<> SameRuns(const Outcome& first, const Outcome& second) {
  if (first.writes != second.writes) {
    return Fail(ErrorCode::kInvalid, "not the same twice: of the writes " +
                                         FirstDifference(first.writes, second.writes));
  }
  if (first.events != second.events) {
    return Fail(ErrorCode::kInvalid, "not the same twice: of the events " +
                                         FirstDifference(first.events, second.events));
  }
  if (*first.record != *second.record)
    return Fail(ErrorCode::kInvalid, "it does not end the same way twice");
  return {};
}

}  // namespace

Result<Outcome> Sweep::PlayUndisturbed(const parity::Scenario& scenario) const {
  const Run::Options options{.scenario = scenario, .served = served_, .seed = options_.seed};
  Outcome first = Run::Play(options);
  FLYBALL_TRY(first.record);
  if (!first.violations.empty()) return Fail(ErrorCode::kInvalid, first.violations.front());
  const Outcome second = Run::Play(options);
  FLYBALL_TRY(second.record);
  FLYBALL_TRY(SameRuns(first, second));
  return first;
}

std::vector<Point> Sweep::Choose(const std::vector<Point>& points) const {
  if (options_.only) return {*options_.only};
  std::vector<Point> chosen;
  for (auto i = static_cast<std::size_t>(options_.offset); i < points.size();
       i += static_cast<std::size_t>(options_.stride)) {
    chosen.push_back(points[i]);
  }
  return chosen;
}

std::map<std::size_t, Outcome> Sweep::PlayAll(const parity::Scenario& scenario,
                                              const std::vector<Point>& points) {
  std::vector<std::optional<Outcome>> outcomes(points.size());
  std::atomic<std::size_t> next = 0;
  for (std::size_t i = 0; i < options_.side_by_side; ++i) {
    executor_.Start("sweep-" + std::to_string(i), [&] {
      for (std::size_t mine = next++; mine < points.size(); mine = next++) {
        outcomes[mine] = Run::Play({.scenario = scenario,
                                    .served = served_,
                                    .point = points[mine],
                                    .seed = options_.seed,
                                    .log = options_.log});
      }
    });
  }
  executor_.Drain();
  std::map<std::size_t, Outcome> all;
  for (std::size_t i = 0; i < outcomes.size(); ++i) all.emplace(i, *std::move(outcomes[i]));
  return all;
}

Result<Sweep::Report> Sweep::Play(const parity::Scenario& scenario) {
  FLYBALL_TRY(const Outcome undisturbed, PlayUndisturbed(scenario));
  const std::vector<Point> points = PointsOf(undisturbed);
  const std::vector<Point> chosen = Choose(points);
  Report report{.points = points.size(), .runs = chosen.size()};
  for (const auto& [i, outcome] : PlayAll(scenario, chosen)) {
    const Point& point = chosen[i];
    std::string text = Compare(scenario.name, point, undisturbed, outcome);
    if (text.empty()) continue;
    const auto& list = point.of_writes() ? undisturbed.writes : undisturbed.events;
    const auto index = static_cast<std::size_t>(point.number - 1);
    report.findings.push_back({point, index < list.size() ? list[index] : "", std::move(text)});
  }
  return report;
}

std::string Sweep::Compare(const std::string& scenario, const Point& point, const Outcome& expected,
                           const Outcome& actual) {
  std::string text;
  if (!actual.met) text += "the point never came\n";
  const auto note = [&](const std::string& checkpoint, const Difference& difference) {
    const std::string place = point.ToString() + " " + checkpoint;
    if (excuses_.Excused(scenario, place, difference)) return;
    text += (checkpoint.empty() ? "" : "at \"" + checkpoint + "\": ") + difference.path +
            "\n    undisturbed: " + difference.expected +
            "\n    disturbed:   " + difference.actual + "\n";
  };
  for (const std::string& each : actual.violations) note("", {"invariants", "", each});
  if (!actual.record) return text + actual.record.error().Describe() + "\n";
  const auto& checkpoints = actual.record->checkpoints;
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    for (const Difference& each :
         scenario::FindDifferences(WithoutTheWay(expected.record->checkpoints[i].portrait),
                                   WithoutTheWay(checkpoints[i].portrait))) {
      note(checkpoints[i].name, each);
    }
  }
  return text;
}

}  // namespace flyball::faults

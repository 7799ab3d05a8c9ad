#include "tests/faults/sweep.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <random>
#include <utility>

#include "tests/faults/comparison.h"
#include "tests/scenario/differences.h"

namespace flyball::faults {
namespace {

using scenario::Difference;

/// A scenario with so many writes is small.
constexpr std::ptrdiff_t kFewWrites = 25;
/// In so many orders of tasks schedules are played: in each the scenario is played undisturbed,
/// too.
constexpr std::uint64_t kOrders = 4;

bool IsSmall(const Outcome& undisturbed) { return std::ssize(undisturbed.writes) <= kFewWrites; }

/// Every point of a scenario, in the order in which they come as far as one can tell.
std::vector<Point> PointsOf(const Outcome& undisturbed, bool brief) {
  std::vector<Point> points;
  for (int i = 1; i <= std::ssize(undisturbed.writes); ++i) {
    for (const Point::Kind kind : Point::kOfWrites) points.push_back({kind, i});
    if (!IsSmall(undisturbed)) continue;
    for (const Point::Kind kind : Point::kOfFewWrites) points.push_back({kind, i});
  }
  for (int i = 1; i <= std::ssize(undisturbed.events); ++i) {
    for (const Point::Kind kind : Point::kOfEvents) points.push_back({kind, i});
    if (!IsSmall(undisturbed)) continue;
    for (const Point::Kind kind : Point::kOfFewEvents) points.push_back({kind, i});
  }
  if (brief) std::erase_if(points, [](const Point& point) { return point.takes_long(); });
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

std::string ToString(const Points& points) {
  std::string text;
  for (const Point& point : points) text += (text.empty() ? "" : "+") + point.ToString();
  return text;
}

std::optional<Points> ParsePoints(std::string_view text) {
  Points points;
  while (true) {
    const auto end = text.find('+');
    const auto point = Point::Parse(text.substr(0, end));
    if (!point) return std::nullopt;
    points.push_back(*point);
    if (end == std::string_view::npos) return points;
    text.remove_prefix(end + 1);
  }
}

Result<Outcome> Sweep::PlayUndisturbed(const parity::Scenario& scenario, std::uint64_t seed) const {
  const Run::Options options{.scenario = scenario, .served = served_, .seed = seed};
  Outcome first = Run::Play(options);
  FLYBALL_TRY(first.record);
  if (!first.violations.empty()) return Fail(ErrorCode::kInvalid, first.violations.front());
  const Outcome second = Run::Play(options);
  FLYBALL_TRY(second.record);
  FLYBALL_TRY(SameRuns(first, second));
  return first;
}

std::vector<Sweep::Plan> Sweep::Choose(const std::vector<Point>& points) const {
  if (!options_.only.empty()) return {{options_.only, options_.seed}};
  std::vector<Plan> chosen;
  for (auto i = static_cast<std::size_t>(options_.offset); i < points.size();
       i += static_cast<std::size_t>(options_.stride)) {
    chosen.push_back({{points[i]}, options_.seed});
  }
  return chosen;
}

std::vector<Sweep::Plan> Sweep::Dice(const Outcome& undisturbed) const {
  std::vector<Plan> plans;
  const std::vector<Point> points = PointsOf(undisturbed, options_.brief);
  if (options_.brief || !options_.only.empty() || !IsSmall(undisturbed) || points.empty())
    return plans;
  std::mt19937_64 dice(options_.seed);
  for (int i = 0; i < options_.schedules; ++i) {
    Plan& plan = plans.emplace_back();
    plan.seed = options_.seed + dice() % kOrders;
    for (int j = 0; j < 2; ++j) plan.points.push_back(points[dice() % points.size()]);
  }
  return plans;
}

std::vector<Outcome> Sweep::PlayAll(const parity::Scenario& scenario,
                                    const std::vector<Plan>& plans) {
  std::vector<Outcome> outcomes(plans.size());
  std::atomic<std::size_t> next = 0;
  for (std::size_t i = 0; i < options_.side_by_side; ++i) {
    executor_.Start("sweep-" + std::to_string(i), [&] {
      for (std::size_t mine = next++; mine < plans.size(); mine = next++) {
        outcomes[mine] = Run::Play({.scenario = scenario,
                                    .served = served_,
                                    .points = plans[mine].points,
                                    .seed = plans[mine].seed,
                                    .log = options_.log});
      }
    });
  }
  executor_.Drain();
  return outcomes;
}

Result<Sweep::Report> Sweep::Play(const parity::Scenario& scenario) {
  std::map<std::uint64_t, Outcome> undisturbed;  // by seed
  FLYBALL_TRY(undisturbed[options_.seed], PlayUndisturbed(scenario, options_.seed));
  const Outcome& first = undisturbed[options_.seed];
  const std::vector<Point> points = PointsOf(first, options_.brief);
  std::vector<Plan> plans = Choose(points);
  const std::vector<Plan> diced = Dice(first);
  std::ranges::copy(diced, std::back_inserter(plans));
  for (const Plan& plan : diced) {
    if (undisturbed.contains(plan.seed)) continue;
    FLYBALL_TRY(undisturbed[plan.seed], PlayUndisturbed(scenario, plan.seed));
  }
  const std::vector<Outcome> outcomes = PlayAll(scenario, plans);
  Report report{.points = points.size(), .schedules = diced.size(), .runs = plans.size()};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& [its_points, seed] = plans[i];
    std::string text = Compare(scenario.name, its_points, undisturbed[seed], outcomes[i]);
    if (text.empty()) continue;
    const Point& point = its_points.front();
    const auto& list = point.of_writes() ? undisturbed[seed].writes : undisturbed[seed].events;
    const auto index = static_cast<std::size_t>(point.number - 1);
    report.findings.push_back(
        {its_points, seed, index < list.size() ? list[index] : "", std::move(text)});
  }
  return report;
}

std::string Sweep::Compare(const std::string& scenario, const Points& points,
                           const Outcome& expected, const Outcome& actual) {
  std::string text;
  // The second of two may be none any more, with what the first has changed.
  if (actual.met == 0) text += "the point never came\n";
  const auto note = [&](const std::string& checkpoint, const Difference& difference) {
    const std::string place = ToString(points) + " " + checkpoint;
    if (excuses_.Excused(scenario, place, difference)) return;
    text += (checkpoint.empty() ? "" : "at \"" + checkpoint + "\": ") + difference.path +
            "\n    undisturbed: " + difference.expected +
            "\n    disturbed:   " + difference.actual + "\n";
  };
  for (const std::string& each : actual.violations) note("", {"invariants", "", each});
  if (!actual.record) return text + actual.record.error().Describe() + "\n";
  // What is written with a wrong date stays, and so does what a wrong age has led to.
  if (std::ranges::any_of(points, &Point::shifts_clock)) return text;
  const auto& checkpoints = actual.record->checkpoints;
  const bool aged =
      points.size() > 1 || points.front().takes_long() || points.front().replaces_manager();
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    for (const Difference& each :
         scenario::FindDifferences(WithoutTheWay(expected.record->checkpoints[i].portrait, aged),
                                   WithoutTheWay(checkpoints[i].portrait, aged))) {
      note(checkpoints[i].name, each);
    }
  }
  return text;
}

}  // namespace flyball::faults

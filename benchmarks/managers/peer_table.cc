#include "benchmarks/managers/peer_table.h"

#include <cstdarg>
#include <cstdio>
#include <functional>
#include <set>
#include <string_view>

namespace flyball::bench {
namespace {

class Table {
 public:
  /// `what` has two numbers in it.
  void Title(std::string what, const Size& size) {
    for (const int number : {size.count, size.each}) {
      const std::size_t at = what.find("%d");
      if (at != std::string::npos) what.replace(at, 2, std::to_string(number));
    }
    Line("kube-controller-manager, %s\n", what.c_str());
  }
  void Heading(const std::string& text) { Line("\n%s\n", text.c_str()); }
  void Columns() { Line("%-30s %12s %12s %8s %8s\n", "", "upstream", "ours", "ratio", "goal"); }

  using Number = std::function<double(const Cost&)>;
  void Row(const std::string& what, const Cost* theirs, const Cost* ours, double goal,
           const Number& number) {
    Line("  %-28s %12s %12s", what.c_str(), Text(theirs, number).c_str(),
         Text(ours, number).c_str());
    if (theirs == nullptr || ours == nullptr) return Line("\n");
    const double base = number(*theirs);
    if (base <= 0) return Line("\n");
    const double ratio = number(*ours) / base;
    Line(" %8.3f", ratio);
    if (goal > 0) Judge(ratio, goal);
    Line("\n");
  }
  void Judge(double ratio, double goal) {
    missed_ += ratio > goal ? 1 : 0;
    ++goals_;
    Line(" %8.3f  %s", goal, ratio <= goal ? "held" : "MISSED");
  }
  void Sum() { Line("\n%d goals, %d missed\n", goals_, missed_); }

  __attribute__((format(printf, 2, 3))) void Line(const char* format, ...) {
    char buffer[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(buffer, sizeof(buffer), format, values);
    va_end(values);
    text_ += buffer;
  }
  std::string text() && { return std::move(text_); }
  int goals() const { return goals_; }

 private:
  static std::string Text(const Cost* cost, const Number& number) {
    if (cost == nullptr) return "-";
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.2f", number(*cost));
    return buffer;
  }

  std::string text_;
  int goals_ = 0;
  int missed_ = 0;
};

void AddPhase(Table& table, const Goals& goals, const Cost* theirs, const Cost* ours) {
  const auto row = [&](const std::string& what, double goal, const Table::Number& number) {
    table.Row(what, theirs, ours, goal, number);
  };
  row("wall, s", goals.wall, [](const Cost& cost) { return cost.wall_seconds; });
  row("CPU, s", goals.cpu, [](const Cost& cost) { return cost.cpu_seconds; });
  row("resident, MB", goals.resident, [](const Cost& cost) { return cost.resident_mb; });
  row("peak, MB", goals.peak, [](const Cost& cost) { return cost.peak_mb; });
  row("received, MB", goals.received, [](const Cost& cost) { return cost.received_mb; });
  row("watch streams", goals.streams, [](const Cost& cost) { return cost.streams; });
  row("requests", goals.requests, [](const Cost& cost) { return cost.AllRequests(); });
  std::set<std::string> verbs;
  for (const Cost* const cost : {theirs, ours}) {
    if (cost == nullptr) continue;
    for (const auto& [verb, count] : cost->requests) verbs.insert(verb);
  }
  for (const std::string& verb : verbs) {
    row("  " + verb, 0, [&verb](const Cost& cost) {
      const auto found = cost.requests.find(verb);
      return found == cost.requests.end() ? 0.0 : found->second;
    });
  }
}

template <typename Key>
const Cost* Find(const std::optional<RunCosts>& run,
                 std::vector<std::pair<Key, Cost>> RunCosts::* member, std::size_t number) {
  if (!run || number >= ((*run).*member).size()) return nullptr;
  return &((*run).*member)[number].second;
}

/// A sync may not cost more because there are others.
void AddGrowth(Table& table, const RunCosts& ours) {
  constexpr double kMostGrowth = 1.25;
  if (ours.touches.size() < 2) return;
  const auto& [few, little] = ours.touches.front();
  const auto& [many, much] = ours.touches.back();
  table.Line("  ours beside %d as a part of beside %d:", many, few);
  table.Line(" %23.3f", much.cpu_seconds / little.cpu_seconds);
  table.Judge(much.cpu_seconds / little.cpu_seconds, kMostGrowth);
  table.Line("\n");
}

}  // namespace

std::string PeerTable(const Load& load, const Size& size, const Stage::Touches& touches,
                      const PeerCosts& costs) {
  Table table;
  table.Title(load.what, size);
  table.Columns();
  const RunCosts& any = costs.theirs ? *costs.theirs : *costs.ours;
  for (std::size_t i = 0; i < any.phases.size(); ++i) {
    table.Heading(any.phases[i].first);
    AddPhase(table, load.goals(any.phases[i].first, size), Find(costs.theirs, &RunCosts::phases, i),
             Find(costs.ours, &RunCosts::phases, i));
  }
  if (!any.touches.empty()) {
    table.Heading("one deployment is touched, beside others; " + std::to_string(touches.count) +
                  " times");
  }
  for (std::size_t i = 0; i < any.touches.size(); ++i) {
    const Cost* const theirs = Find(costs.theirs, &RunCosts::touches, i);
    const Cost* const ours = Find(costs.ours, &RunCosts::touches, i);
    const std::string beside = " beside " + std::to_string(any.touches[i].first);
    table.Row("CPU, ms" + beside, theirs, ours, 0.25,
              [](const Cost& cost) { return cost.cpu_seconds * 1000; });
    table.Row("wall, ms" + beside, theirs, ours, 0,
              [](const Cost& cost) { return cost.wall_seconds * 1000; });
  }
  if (costs.ours) AddGrowth(table, *costs.ours);
  if (table.goals() > 0) table.Sum();
  return std::move(table).text();
}

}  // namespace flyball::bench

#include "flyball/up/view/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "flyball/api/time.h"
#include "flyball/base/stable_sort.h"

namespace flyball::up {
namespace {

using Lines = std::vector<StyledText>;

/// A part of the screen: what it would show, and the fewest lines that are of use.
struct Section {
  std::string_view title;
  std::string_view heads;  ///< of its columns
  Lines lines = {};
  bool newest_last = false;  ///< of which the end is shown, and not the beginning
};

std::string Count(std::size_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string ClockTime(WallTime when) {
  return api::Time(when).ToString().substr(11, 8);  // of 2026-01-02T15:04:05Z
}

std::string_view StateText(const Rollout& rollout) {
  switch (rollout.state) {
    case Rollout::State::kUnderWay:
      return "rolling out";
    case Rollout::State::kDone:
      return "done";
    case Rollout::State::kPaused:
      return "paused";
    case Rollout::State::kStuck:
      return "stuck";
  }
  return "";
}

Style StateStyle(Rollout::State state) {
  switch (state) {
    case Rollout::State::kDone:
      return Style::kGood;
    case Rollout::State::kStuck:
      return Style::kBad;
    case Rollout::State::kUnderWay:
    case Rollout::State::kPaused:
      return Style::kBusy;
  }
  return Style::kPlain;
}

/// How much of `whole` a part is, in blocks.
void AddBar(StyledText& line, std::size_t columns, std::int32_t available, std::int32_t updated,
            std::int32_t whole, Style style) {
  const auto blocks = [&](std::int32_t part) {
    if (whole <= 0) return columns;
    const double share = std::clamp(static_cast<double>(part) / whole, 0.0, 1.0);
    return static_cast<std::size_t>(std::floor(share * static_cast<double>(columns)));
  };
  const std::size_t there = blocks(std::min(available, updated));
  const std::size_t coming = std::max(blocks(updated), there);
  const auto repeat = [](std::string_view text, std::size_t times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
  };
  line.Add(repeat("█", there), style)
      .Add(repeat("▒", coming - there), style)
      .Add(repeat("░", columns - coming), Style::kDim);
}

StyledText RolloutLine(const Rollout& rollout, std::size_t width) {
  const std::size_t name_width = std::clamp<std::size_t>(width / 4, 12, 32);
  const std::size_t bar_width = std::clamp<std::size_t>(width / 4, 10, 40);
  StyledText line(width);
  line.Add("  ").Add(Fitted(rollout.name, name_width), Style::kBold).To(name_width + 3);
  AddBar(line, bar_width, rollout.available, rollout.updated, rollout.desired,
         StateStyle(rollout.state));
  line.Add(" " + std::to_string(std::min(rollout.available, rollout.updated)) + "/" +
           std::to_string(rollout.desired) + " ")
      .To(name_width + bar_width + 9)
      .Add(StateText(rollout), StateStyle(rollout.state));
  if (rollout.old > 0) line.Add(", " + std::to_string(rollout.old) + " old", Style::kDim);
  if (!rollout.reason.empty()) line.Add(": " + rollout.reason, Style::kBad);
  line.Add(" ").To(name_width + bar_width + 29).Add(rollout.image, Style::kDim);
  if (rollout.kind != "deployment") line.Add("  " + rollout.kind, Style::kDim);
  return line;
}

StyledText PodLine(const PodCounts& pods, std::size_t width) {
  StyledText line(width);
  line.Add("  ");
  const std::array<std::pair<std::size_t, std::pair<std::string_view, Style>>, 6> states = {{
      {pods.ready, {"ready", Style::kGood}},
      {pods.starting, {"starting", Style::kBusy}},
      {pods.pending, {"pending", Style::kBusy}},
      {pods.ending, {"ending", Style::kDim}},
      {pods.failed, {"failed", Style::kBad}},
      {pods.finished, {"finished", Style::kDim}},
  }};
  bool first = true;
  for (const auto& [count, look] : states) {
    if (count == 0) continue;
    if (!std::exchange(first, false)) line.Add("   ");
    line.Add("● ", look.second).Add(std::to_string(count) + " ").Add(look.first, look.second);
  }
  if (first) line.Add("none", Style::kDim);
  return line;
}

StyledText NodesLine(const std::vector<NodeLine>& nodes, std::size_t width) {
  StyledText line(width);
  line.Add("  ");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeLine& node = nodes[i];
    const std::string text = node.name + " " + std::to_string(node.pods);
    if (line.left() < ColumnsOf(text) + 12 && i + 1 < nodes.size()) {
      line.Add("and " + std::to_string(nodes.size() - i) + " more", Style::kDim);
      break;
    }
    line.Add("■ ", node.ready ? Style::kGood : Style::kBad).Add(text + "   ");
  }
  if (nodes.empty()) line.Add("none", Style::kDim);
  return line;
}

std::string LatencyText(std::chrono::nanoseconds latency) {
  const double milliseconds = std::chrono::duration<double, std::milli>(latency).count();
  std::array<char, 32> text{};
  const int size = milliseconds < 10
                       ? std::snprintf(text.data(), text.size(), "%.1f ms", milliseconds)
                       : std::snprintf(text.data(), text.size(), "%.0f ms", milliseconds);
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string RateText(double rate) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), rate < 10 ? "%.1f/s" : "%.0f/s", rate);
  return {text.data(), static_cast<std::size_t>(size)};
}

StyledText ControllerText(const ControllerLine& controller, std::size_t width) {
  StyledText line(width);
  const bool busy = controller.waiting > 0 || controller.rate > 0;
  line.Add("  ").Add(controller.name, busy ? Style::kPlain : Style::kDim).To(48);
  line.Add(RateText(controller.rate), busy ? Style::kBusy : Style::kDim).To(57);
  line.Add(LatencyText(controller.latency), busy ? Style::kPlain : Style::kDim).To(68);
  if (controller.waiting > 0) line.Add(std::to_string(controller.waiting) + " ", Style::kBusy);
  if (controller.failing > 0) {
    line.Add(std::to_string(controller.failing) + " failing", Style::kBad);
  }
  return line;
}

StyledText EventText(const EventLine& event, std::size_t width) {
  StyledText line(width);
  line.Add("  ")
      .Add(ClockTime(event.when), Style::kDim)
      .Add(" ")
      .Add(event.reason, event.warning ? Style::kBad : Style::kPlain)
      .To(31)
      .Add(event.about + "  ")
      .Add(event.message, Style::kDim);
  return line;
}

/// How many lines each section gets of those that there are: all what they need if that fits, else
/// by turns, so that a short one is whole before a long one takes the rest.
std::vector<std::size_t> Share(const std::vector<std::size_t>& wanted, std::size_t lines) {
  std::vector<std::size_t> given(wanted.size(), 0);
  for (bool any = true; any && lines > 0;) {
    any = false;
    for (std::size_t i = 0; i < wanted.size() && lines > 0; ++i) {
      if (given[i] == wanted[i]) continue;
      ++given[i];
      --lines;
      any = true;
    }
  }
  return given;
}

/// What fits of a section, its last or first line saying how much does not.
void AddSome(Section section, std::size_t lines, std::size_t width, Lines& screen) {
  Lines& all = section.lines;
  if (all.size() > lines && lines > 0) {
    if (section.newest_last) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
    } else {
      const std::size_t hidden = all.size() - lines + 1;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(lines - 1), all.end());
      all.push_back(
          StyledText(width).Add("  and " + std::to_string(hidden) + " more", Style::kDim));
    }
  } else if (lines == 0) {
    all.clear();
  }
  std::ranges::move(all, std::back_inserter(screen));
}

StyledText Title(const Snapshot& snapshot, std::size_t width) {
  StyledText line(width);
  line.Add(" flyball up ", Style::kBold).Add(" " + snapshot.server, Style::kDim);
  const std::string time = ClockTime(snapshot.now);
  if (width > time.size() + 1) line.To(width - time.size() - 1).Add(time, Style::kDim);
  return line;
}

/// Those that have something to do, then those that did the most.
std::vector<ControllerLine> ByWork(std::vector<ControllerLine> controllers) {
  StableSort(controllers, [](const ControllerLine& a, const ControllerLine& b) {
    return std::tuple(a.failing > 0, a.reconciles) > std::tuple(b.failing > 0, b.reconciles);
  });
  return controllers;
}

/// Those that are not done first.
std::vector<Rollout> ByUrgency(std::vector<Rollout> rollouts) {
  StableSort(rollouts, {},
             [](const Rollout& rollout) { return rollout.state == Rollout::State::kDone; });
  return rollouts;
}

StyledText HeadLine(const Section& section, std::size_t width) {
  StyledText line(width);
  line.Add(" ").Add(section.title, Style::kBold).Add(section.heads, Style::kDim);
  return line;
}

std::vector<Section> SectionsOf(const Snapshot& snapshot, std::size_t width) {
  Section rollouts{.title = "Rollouts", .heads = ""};
  for (const Rollout& rollout : ByUrgency(snapshot.rollouts)) {
    rollouts.lines.push_back(RolloutLine(rollout, width));
  }
  if (rollouts.lines.empty()) {
    rollouts.lines.push_back(StyledText(width).Add("  nothing yet", Style::kDim));
  }
  Section controllers{.title = "Controllers",
                      .heads = "                                    rate     latency    waiting"};
  for (const ControllerLine& controller : ByWork(snapshot.controllers)) {
    controllers.lines.push_back(ControllerText(controller, width));
  }
  Section events{.title = "Events", .heads = "", .newest_last = true};
  for (const EventLine& event : snapshot.events) events.lines.push_back(EventText(event, width));
  std::vector<Section> sections;
  sections.push_back(std::move(rollouts));
  if (!controllers.lines.empty()) sections.push_back(std::move(controllers));
  if (!events.lines.empty()) sections.push_back(std::move(events));
  return sections;
}

}  // namespace

std::vector<StyledText> DrawScreen(const Snapshot& snapshot, ScreenSize size) {
  const std::size_t width = size.columns;
  Lines screen;
  screen.push_back(Title(snapshot, width));
  if (!snapshot.caption.empty()) {
    screen.push_back(StyledText(width).Add(" ▸ " + snapshot.caption, Style::kBusy));
  }
  screen.push_back(StyledText(width)
                       .Add(" Pods ", Style::kBold)
                       .Add(Count(snapshot.pods.total(), "pod"), Style::kDim));
  screen.push_back(PodLine(snapshot.pods, width));
  screen.push_back(StyledText(width).Add(" Nodes", Style::kBold));
  screen.push_back(NodesLine(snapshot.nodes, width));

  std::vector<Section> sections = SectionsOf(snapshot, width);
  const std::size_t taken = screen.size() + sections.size();
  const std::size_t lines = size.rows > taken ? size.rows - taken : 0;
  std::vector<std::size_t> wanted;
  for (const Section& section : sections) wanted.push_back(section.lines.size());
  const std::vector<std::size_t> given = Share(wanted, lines);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    screen.push_back(HeadLine(sections[i], width));
    AddSome(std::move(sections[i]), given[i], width, screen);
  }
  if (screen.size() > size.rows) {
    screen.erase(screen.begin() + static_cast<std::ptrdiff_t>(size.rows), screen.end());
  }
  return screen;
}

}  // namespace flyball::up
